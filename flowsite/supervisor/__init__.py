"""`manage.py up`: makes the virtual environment, then owns the processes. Standard library only."""
