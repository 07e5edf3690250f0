"""Measurements that are run by hand: how much, how fast. No test is in here."""
