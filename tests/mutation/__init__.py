"""The mutation check: guards of the protocol are removed one at a time, and a test must notice each."""
