# Short names for what is done often. Everything real is in manage.py and pyproject.toml.
PYTHON = .venv/bin/python

.PHONY: up check quick format

up:
	python3 manage.py up

# What decides: formatting, types, import rules, file sizes and all tests.
check:
	python3 manage.py test

# The same without the tests of what the code does.
quick:
	python3 manage.py test --db sqlite tests/architecture

format:
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .
