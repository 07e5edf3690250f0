"""Runs: what happened. Engine, store, workers and every page and endpoint that needs a run."""
