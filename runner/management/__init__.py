"""Commands of the runner."""
