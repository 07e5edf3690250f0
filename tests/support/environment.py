"""The surroundings of one pytest process: a var folder and a Redis of its own."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from flowsite.supervisor.valkey import EmbeddedValkey


def prepare_environment() -> None:
    """Point FLOWSITE_VAR and REDIS_URL at a fresh folder and a fresh embedded server, once in this process.

    A process started by a test keeps the values it was given; a parallel pytest worker gets its own.
    """
    owner = os.environ.get("FLOWSITE_TEST_OWNER")
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    if owner == worker or (owner and worker == "main"):
        return
    os.environ["FLOWSITE_TEST_OWNER"] = worker
    for name in [name for name in os.environ if name == "FLOWSITE_MODEL" or name.startswith("FLOWSITE_OPENAI_")]:
        del os.environ[name]  # no test may ask the developer's own model
    for limit in ("API", "START", "DECIDE", "LOGIN", "LOGIN_ADDRESS"):
        os.environ[f"FLOWSITE_RATE_{limit}"] = "1000000"  # tests ask faster than people
    var = Path(tempfile.mkdtemp(prefix="flowsite-test-"))
    atexit.register(shutil.rmtree, var, ignore_errors=True)
    os.environ["FLOWSITE_VAR"] = str(var)
    server = EmbeddedValkey(var / "valkey", persistent=False)
    server.start()
    atexit.register(server.stop)
    os.environ["REDIS_URL"] = server.url
