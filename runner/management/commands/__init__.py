"""Commands of the runner; each parses its arguments and calls what does the work."""
