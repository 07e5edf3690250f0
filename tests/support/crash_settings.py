"""The site's settings with the app that kills workers."""

from flowsite.settings import *  # noqa: F403

INSTALLED_APPS = [*INSTALLED_APPS, "tests.support.crashing.CrashingConfig"]  # noqa: F405
