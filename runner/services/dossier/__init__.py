"""Run dossiers: one file for one run that an auditor verifies offline. Each holds `verify.py`."""
