# Short names for what is done often. Everything real is in manage.py and pyproject.toml.
PYTHON = .venv/bin/python

.PHONY: up test check format

up:
	python3 manage.py up

test:
	python3 manage.py test

# Quick: style, types and import rules, without the slow tests.
check:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m pytest -q tests/architecture

format:
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .
