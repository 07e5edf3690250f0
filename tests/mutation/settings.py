"""Settings of the mutation check's database tests: their SQLite file is prepared once and copied for each guard."""

import os

from tests.settings import *  # noqa: F403
from tests.settings import DATABASES

DATABASES["default"]["TEST"] = {"NAME": os.environ["MUTATION_DATABASE"]}
