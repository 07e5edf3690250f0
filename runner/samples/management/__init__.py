"""Commands of the samples."""
