"""System checks of `check --deploy`: what a site behind a domain name must not leave at the defaults of one machine."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register


@register(Tags.security, deploy=True)
def check_origins(**_: Any) -> list[CheckMessage]:
    """Pages over HTTPS open sockets over TLS from their own origin: any other is refused."""
    plain = [origin for origin in settings.WEBSOCKET_ORIGINS if not origin.startswith("https://")]
    if not settings.HTTPS or not plain:
        return []
    hint = "Set FLOWSITE_ORIGINS to the address that people see, such as https://flows.example."
    return [Warning(f"Live pages and forms are refused, for these origins are not HTTPS: {', '.join(plain)}.",
                    hint=hint, id="flowsite.W001")]  # fmt: skip


@register(Tags.security, deploy=True)
def check_keys(**_: Any) -> list[CheckMessage]:
    """Keys out of files differ from machine to machine: sessions and signatures of one are void on the other."""
    missing = [name for name in ("FLOWSITE_SECRET_KEY", "FLOWSITE_EVENT_SIGNING_KEY") if name not in settings.KEYS_SET]
    if not missing:
        return []
    hint = "Give every process the same two keys by its environment, and keep a copy of them apart from the database."
    return [
        Warning(f"{' and '.join(missing)} not set: this machine made keys of its own.", hint=hint, id="flowsite.W002")
    ]


@register(Tags.security, deploy=True)
def check_database(**_: Any) -> list[CheckMessage]:
    """SQLite is one file on one machine, with one writer at a time."""
    if not settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        return []
    hint = "Set DATABASE_URL to a Postgres database."
    return [Warning("The database is SQLite: it serves one machine.", hint=hint, id="flowsite.W003")]
