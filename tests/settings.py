"""The site's settings, for tests: a var folder and a Redis of their own, quick password hashes."""

from tests.support.environment import prepare_environment

prepare_environment()

from flowsite.settings import *  # noqa: E402, F403 - the environment comes first

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
