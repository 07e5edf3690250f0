"""`python -m flowsite.real_flow_tests ARGUMENT…`: flow tests on the real runner, on a private site of their own.

It starts an embedded Valkey and one worker beside a database of its own (or the one of DATABASE_URL), runs
`manage.py test_flow --real` there, and takes everything away again. What a test is, the runner knows.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from flowsite.supervisor.parent_death import die_with_parent
from flowsite.supervisor.plans import SitePlans
from flowsite.supervisor.valkey import EmbeddedValkey, free_port

ROOT = Path(__file__).resolve().parent.parent
WORKERS = 4
WORKER_START_S = 60
#: No lease lapses, however far a test moves the clock.
LONG_MS = 100 * 365 * 24 * 3_600_000


def main(arguments: list[str]) -> int:
    """Run `test_flow --real` with these arguments; gives its exit code."""
    with tempfile.TemporaryDirectory(prefix="flow-tests-") as folder:
        valkey = EmbeddedValkey(Path(folder) / "valkey", persistent=False)
        valkey.start()
        try:
            return _on_site(SitePlans(ROOT, Path(folder), free_port(), valkey.url), arguments)
        finally:
            valkey.stop(kill=True)


def _on_site(plans: SitePlans, arguments: list[str]) -> int:
    environment = plans.environment | {
        "FLOWSITE_STAND_IN_URL": f"http://127.0.0.1:{free_port()}/",
        "FLOWSITE_TEST_CLOCK": "1",
        "FLOWSITE_TEST_CLOCK_STANDS": "1",
        "FLOWSITE_LEASE_MS": str(LONG_MS),
        "FLOWSITE_CANCEL_POLL_MS": "200",
        "FLOWSITE_LOG_LEVEL": os.environ.get("FLOWSITE_LOG_LEVEL", "ERROR"),
    }
    manage = [sys.executable, str(ROOT / "manage.py")]
    failed = subprocess.call([*manage, "migrate", "--verbosity", "0"], cwd=ROOT, env=environment)
    if failed:
        return failed
    worker = _start_worker(plans, environment)
    try:
        return subprocess.call([*manage, "test_flow", "--real", *arguments], env=environment)
    finally:
        os.killpg(worker.pid, signal.SIGKILL)  # nobody will miss what it was at
        worker.wait()


def _start_worker(plans: SitePlans, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start the worker and wait until it takes messages. Raises RuntimeError if it does not."""
    os.environ["FLOWSITE_WORKERS"] = str(WORKERS)
    plan = plans.worker()
    plans.worker_ready.parent.mkdir(parents=True, exist_ok=True)
    parent = os.getpid()
    worker = subprocess.Popen(
        plan.argv,
        cwd=ROOT,
        env=plan.environment | environment,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: die_with_parent(parent, signal.SIGKILL),
    )
    until = time.monotonic() + WORKER_START_S
    while not plans.worker_ready.exists():
        if worker.poll() is not None or time.monotonic() > until:
            worker.kill()
            raise RuntimeError("The worker of the flow tests did not start; what it wrote stands above.")
        time.sleep(0.05)
    return worker


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
