"""Proving a run: its chain of hashes and signatures, then every row against what the events say. It only reads."""
