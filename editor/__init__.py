"""Flows: what is written down. Runs, and everything that happens to a flow, live in `runner`."""
