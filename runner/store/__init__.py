"""The only code that reads and writes the tables of runs: one transaction per change, one statement per fact."""
