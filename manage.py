#!/usr/bin/env python3
"""The one command of the site: `up` runs it, `test` tests it, the rest are commands of the apps."""

import os
import sys


def main():
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flowsite.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
