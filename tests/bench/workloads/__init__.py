"""What is measured of the product, each workload a function that does it once and says what it took."""
