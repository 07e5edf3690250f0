"""Every setting of the site: environment in, plain values out. No logic lives here beyond that.

The defaults are those of `python3 manage.py up`. A production site sets FLOWSITE_SECRET_KEY,
FLOWSITE_EVENT_SIGNING_KEY, FLOWSITE_HOSTS, FLOWSITE_ORIGINS, FLOWSITE_HTTPS, DATABASE_URL and REDIS_URL.
"""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import environ
from django.core.exceptions import ImproperlyConfigured

from flowsite.keys import load_or_create_key

env = environ.Env()

BASE_DIR = Path(__file__).resolve().parent.parent
VAR = Path(env.str("FLOWSITE_VAR", str(BASE_DIR / "var"))).resolve()
PORT = env.int("FLOWSITE_PORT", 8000)
HTTPS = env.bool("FLOWSITE_HTTPS", False)
DEBUG = env.bool("FLOWSITE_DEBUG", False)

# --- Keys: from the environment, else from files beside the database, never inside it ---
SECRET_KEY = env.str("FLOWSITE_SECRET_KEY", "") or load_or_create_key(VAR / "keys" / "secret_key")
EVENT_SIGNING_KEY = env.str("FLOWSITE_EVENT_SIGNING_KEY", "") or load_or_create_key(VAR / "keys" / "event_signing_key")
# Ed25519: 64 hex digits. Public keys of the past stay listed, so that old dossiers can be told from forged ones.
DOSSIER_SIGNING_KEY = env.str("FLOWSITE_DOSSIER_KEY", "") or load_or_create_key(VAR / "keys" / "dossier_signing_key")
DOSSIER_OLD_PUBLIC_KEYS = env.list("FLOWSITE_DOSSIER_OLD_PUBLIC_KEYS", default=[])
KEYS_SET = [name for name in ("FLOWSITE_SECRET_KEY", "FLOWSITE_EVENT_SIGNING_KEY") if env.str(name, "")]

# --- Who may talk to us ---
ALLOWED_HOSTS = env.list("FLOWSITE_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
# Exact origins (scheme, host and port): a WebSocket from any other page is refused.
WEBSOCKET_ORIGINS = env.list("FLOWSITE_ORIGINS", default=[f"http://127.0.0.1:{PORT}", f"http://localhost:{PORT}"])
CSRF_TRUSTED_ORIGINS = WEBSOCKET_ORIGINS

INSTALLED_APPS = [
    "flowsite",
    "servestatic",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "channels",
    "editor",
    "runner",
    "runner.samples",
    *env.list("FLOWSITE_APPS", default=[]),  # apps that bring tools, handlers and node types of their own
]
MIDDLEWARE = [
    "flowsite.requests.with_id",
    "django.middleware.security.SecurityMiddleware",
    "flowsite.middleware.content_security_policy",
    "servestatic.middleware.ServeStaticMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "flowsite.urls"
ASGI_APPLICATION = "flowsite.asgi.application"
WSGI_APPLICATION = "flowsite.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "runner.views.operations.stops_on_pages",
            ]
        },
    }
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
LOGIN_URL = "/sign-in/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/sign-in/"
AUTHENTICATION_BACKENDS = ["editor.sign_in.LockedBackend"]
SESSION_ENGINE = "editor.sessions"
# So many wrong passwords in a row, for one user name and from one address, lock signing in for so many seconds.
SIGN_IN_LOCK: dict[str, int] = {
    "name": env.int("FLOWSITE_SIGN_IN_NAME_TRIES", 10),
    "address": env.int("FLOWSITE_SIGN_IN_ADDRESS_TRIES", 100),
    "seconds": env.int("FLOWSITE_SIGN_IN_LOCK_S", 900),
}
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

# --- Static files: found in place, so that the ASGI server needs no collectstatic ---
STATIC_URL = "/static/"
STATICFILES_DIRS = [folder for folder in (BASE_DIR / "static",) if folder.is_dir()]
SERVESTATIC_USE_FINDERS = True
SERVESTATIC_AUTOREFRESH = DEBUG
SERVESTATIC_MAX_AGE = 0  # names are stable: browsers ask again, and get 304

# --- Database ---
DATABASES: dict[str, dict[str, Any]] = {
    "default": env.db_url("DATABASE_URL", default=f"sqlite:///{quote(str(VAR / 'flowsite.sqlite3'))}")
}
_database = DATABASES["default"]
_database["CONN_MAX_AGE"] = 0
_options: dict[str, Any] = _database.setdefault("OPTIONS", {})
if _database["ENGINE"] == "django.db.backends.sqlite3":
    # IMMEDIATE: a deferred transaction that reads and then writes fails at once if another wrote first.
    # synchronous FULL: a committed step is on the disk, literally.
    _options |= {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;",
    }
    _database["TEST"] = {"NAME": str(VAR / "test.sqlite3")}  # a file: several threads and processes open it
else:
    # A stuck process must not hold the lock of a run for ever.
    _statement_ms = env.int("FLOWSITE_DB_STATEMENT_TIMEOUT_MS", 30_000)
    _options.setdefault(
        "options",
        f"-c statement_timeout={_statement_ms} -c lock_timeout=5000 -c idle_in_transaction_session_timeout=30000",
    )
    # The server parses the statements of a step once; a pooler between must keep sessions (docs/howto/production.md).
    _options.setdefault("prepare_threshold", 3)
    if _pool_size := env.int("FLOWSITE_DB_POOL", 0):  # set by the ASGI entry point; pools must not be forked
        _options["pool"] = {"min_size": 1, "max_size": _pool_size}
        _database["CONN_HEALTH_CHECKS"] = True  # else each connection of the pool fails once after a restart

# --- Redis: hints for the workers and news for the sockets; losing it loses nothing but time ---
_embedded_redis = VAR / "run" / "redis_url"  # `manage.py up` writes it, so that other commands find its server
REDIS_URL = env.str("REDIS_URL", "") or (
    _embedded_redis.read_text().strip() if _embedded_redis.is_file() else "redis://127.0.0.1:6379/0"
)
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        "CONFIG": {
            "hosts": [
                {
                    "address": env.str("FLOWSITE_LIVE_REDIS_URL", REDIS_URL),
                    "socket_timeout": 15,  # longer than the layer's own blocking pop of 5 s
                    "socket_connect_timeout": 2,
                }
            ],
            "prefix": "flowsite-live",
            "capacity": 1000,
            "expiry": 10,
        },
    }
}

# Counters of rate limits, shared by all processes; each process has its own where Redis does not answer.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "flowsite-cache",
        "OPTIONS": {
            "serializer": "flowsite.cache.JsonSerializer",
            "socket_timeout": 1,
            "socket_connect_timeout": 1,
        },
    },
    "process": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "flowsite"},
}
# How often one person or token may do something: attempts, seconds.
RATE_LIMITS: dict[str, tuple[int, int]] = {
    "api": (env.int("FLOWSITE_RATE_API", 1_200), 60),
    "start": (env.int("FLOWSITE_RATE_START", 120), 60),
    "decide": (env.int("FLOWSITE_RATE_DECIDE", 60), 60),
    "simulate": (env.int("FLOWSITE_RATE_SIMULATE", 240), 60),  # tests and replays: each works for two seconds at most
    "link": (env.int("FLOWSITE_RATE_LINK", 30), 60),  # pages behind one-time links, by address
}

# --- Limits of the product: what a document, a value and a run may be, and how long things take ---
_KIB, _MIB = 1024, 1024 * 1024
FLOWSITE: dict[str, int] = {
    "DOCUMENT_BYTES": env.int("FLOWSITE_DOCUMENT_BYTES", 2 * _MIB),
    "DOCUMENT_NODES": env.int("FLOWSITE_DOCUMENT_NODES", 1_000),
    "DOCUMENT_NODES_WARNING": env.int("FLOWSITE_DOCUMENT_NODES_WARNING", 500),
    "JSON_DEPTH": env.int("FLOWSITE_JSON_DEPTH", 64),
    "VALUE_BYTES": env.int("FLOWSITE_VALUE_BYTES", 16 * _MIB),
    "FILE_BYTES": env.int("FLOWSITE_FILE_BYTES", 4 * _MIB),
    "INLINE_VALUE_BYTES": env.int("FLOWSITE_INLINE_VALUE_BYTES", 32 * _KIB),
    "STATE_BYTES": env.int("FLOWSITE_STATE_BYTES", 8 * _MIB),
    "EVENT_DATA_BYTES": env.int("FLOWSITE_EVENT_DATA_BYTES", 8 * _KIB),
    "FAN_OUT_WIDTH": env.int("FLOWSITE_FAN_OUT_WIDTH", 1_000),
    "FOR_EACH_ITEMS": env.int("FLOWSITE_FOR_EACH_ITEMS", 100_000),
    "CONCURRENCY": env.int("FLOWSITE_CONCURRENCY", 100),
    "RUN_STEPS": env.int("FLOWSITE_RUN_STEPS", 100_000),
    "VERIFY_REPLAY_EVENTS": env.int("FLOWSITE_VERIFY_REPLAY_EVENTS", 50_000),
    "SUB_RUN_DEPTH": env.int("FLOWSITE_SUB_RUN_DEPTH", 16),
    "SNAPSHOT_EVENTS": env.int("FLOWSITE_SNAPSHOT_EVENTS", 200),
    "DEFAULT_TIMEOUT_MS": env.int("FLOWSITE_DEFAULT_TIMEOUT_MS", 300_000),
    "LONGEST_ATTEMPT_MS": env.int("FLOWSITE_LONGEST_ATTEMPT_MS", 3_600_000),
    "APPROVAL_EXPIRES_MS": env.int("FLOWSITE_APPROVAL_EXPIRES_MS", 7 * 24 * 3_600_000),
    "LEASE_MS": env.int("FLOWSITE_LEASE_MS", 30_000),
    "CANCEL_POLL_MS": env.int("FLOWSITE_CANCEL_POLL_MS", 1_000),
    "SETTLE_MS": env.int("FLOWSITE_SETTLE_MS", 10_000),
    "LOST_ATTEMPTS": env.int("FLOWSITE_LOST_ATTEMPTS", 3),
    "SEGMENT_STEPS": env.int("FLOWSITE_SEGMENT_STEPS", 200),
    "SEGMENT_MS": env.int("FLOWSITE_SEGMENT_MS", 2_000),
    "SWEEP_MS": env.int("FLOWSITE_SWEEP_MS", 1_000),
    "SWEEP_BATCH": env.int("FLOWSITE_SWEEP_BATCH", 200),
}

# --- Approvals: when people are reminded, and when others are asked besides (docs/howto/approvals.md) ---
_HOUR_MS = 3_600_000
APPROVALS: dict[str, Any] = {
    # So long before an approval expires, but not before half of its time is over. 0: never.
    "REMIND_BEFORE_MS": env.int("FLOWSITE_APPROVAL_REMIND_BEFORE_MS", 24 * _HOUR_MS),
    # So long after it was asked. 0: never.
    "REMIND_AFTER_MS": env.int("FLOWSITE_APPROVAL_REMIND_AFTER_MS", 0),
    # So long after it was asked, the members of this group may decide, too. 0 or empty: never.
    "ESCALATE_AFTER_MS": env.int("FLOWSITE_APPROVAL_ESCALATE_AFTER_MS", 0),
    "ESCALATE_TO": env.str("FLOWSITE_APPROVAL_ESCALATE_TO", ""),
    # Whether people are told by e-mail, and how often one person gets a mail at most.
    "MAIL": env.bool("FLOWSITE_APPROVAL_MAIL", True),
    "MAIL_EVERY_MS": env.int("FLOWSITE_APPROVAL_MAIL_EVERY_S", 60) * 1_000,
}

# --- How long ended runs are kept: the sweeper deletes older ones by itself, if it is told to (0: it is not) ---
RETENTION: dict[str, Any] = {
    "DAYS": env.int("FLOWSITE_RETENTION_DAYS", 0),
    "STATUSES": env.list("FLOWSITE_RETENTION_STATUSES", default=["succeeded", "failed", "canceled"]),
    "BATCH": env.int("FLOWSITE_RETENTION_BATCH", 50),  # runs a minute, so that others get their turn
}

# --- The house's word on tools and models: runner/catalog.py reads it ---
# Permission rules like those of a flow, for every flow; the stricter side wins.
TOOL_RULES: list[dict[str, Any]] = env.json("FLOWSITE_TOOL_RULES", default=[])
# allow, ask or deny where no rule applies; empty: ask for tools marked at_most_once, allow the rest.
TOOL_DEFAULT = env.str("FLOWSITE_TOOL_DEFAULT", "")
# yes or no: whether the starter of a run may decide its approvals; empty: yes, but for at_most_once tools.
SELF_APPROVAL = env.str("FLOWSITE_SELF_APPROVAL", "")
# Roles and the tools bound to each, in order; the variable's roles come beside these, or in their place.
TOOL_ROLES: dict[str, list[str]] = {
    "search": ["folder_search"],
    "reader": ["folder_read"],
    **env.json("FLOWSITE_TOOL_ROLES", default={}),
}
# Folders whose documents flows may search and read, by name (docs/howto/folders.md): a path, or an object with
# `path` and `only`, a list of files and folders in it. The variable's folders come beside the product's own docs.
FOLDERS: dict[str, Any] = {
    "docs": str(BASE_DIR / "docs"),
    **env.json("FLOWSITE_FOLDERS", default={}),
}
DEFAULT_FOLDER = env.str("FLOWSITE_DEFAULT_FOLDER", "docs")
FOLDER_INDEXES = VAR / "folders"  # can be deleted at any time: they are built anew
# An endpoint that speaks the OpenAI chat completions protocol (docs/howto/models.md): where it is, its key, the
# models that flows may name (the first is its default), and their prices in dollars for a million tokens.
MODEL_ENDPOINT: dict[str, Any] = {
    "URL": env.str("FLOWSITE_OPENAI_URL", ""),
    "KEY": env.str("FLOWSITE_OPENAI_KEY", ""),
    "MODELS": env.list("FLOWSITE_OPENAI_MODELS", default=[]),
    "PRICES": env.json("FLOWSITE_OPENAI_PRICES", default={}),
}
# The model of a node that names none: `provider:model`. `offline` quotes the prompt and needs no key.
DEFAULT_MODEL = env.str("FLOWSITE_MODEL", "") or ("openai" if MODEL_ENDPOINT["URL"] else "offline")
# Files that sample flows may read.
INPUTS_FOLDER = Path(env.str("FLOWSITE_INPUTS", str(VAR / "inputs"))).resolve()
# Set by tests alone: the server whose replies stand in for tools, models and handlers of a flow test.
STAND_IN_URL = env.str("FLOWSITE_STAND_IN_URL", "")
# Set by tests alone: the database's time may be shifted.
TEST_CLOCK = env.bool("FLOWSITE_TEST_CLOCK", False)
TEST_CLOCK_STANDS = env.bool("FLOWSITE_TEST_CLOCK_STANDS", False)  # it shows the shift alone, and does not tick

# --- E-mail: where it is set, such as smtp+tls://user:password@mail.example:587; else mails are files in var/mail ---
_mail = env.email_url("FLOWSITE_EMAIL_URL", default="filemail://")
EMAIL_BACKEND = _mail["EMAIL_BACKEND"]
EMAIL_HOST, EMAIL_PORT = _mail["EMAIL_HOST"] or "localhost", _mail["EMAIL_PORT"] or 25
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _mail["EMAIL_HOST_USER"] or "", _mail["EMAIL_HOST_PASSWORD"] or ""
EMAIL_USE_TLS, EMAIL_USE_SSL = _mail.get("EMAIL_USE_TLS", False), _mail.get("EMAIL_USE_SSL", False)
EMAIL_TIMEOUT = 10  # seconds: a page waits for it
DEFAULT_FROM_EMAIL = env.str("FLOWSITE_EMAIL_FROM", "flowsite@localhost")
SENDS_MAIL = bool(env.str("FLOWSITE_EMAIL_URL", ""))
EMAIL_FILE_PATH = VAR / "mail"
# The address of this site in mails: what people type into a browser.
SITE_URL = (env.str("FLOWSITE_URL", "") or WEBSOCKET_ORIGINS[0]).rstrip("/")

DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * FLOWSITE["DOCUMENT_BYTES"]  # a document with its JSON escapes and envelope

# --- Celery: carries hints to prefork workers, keeps no results ---
CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_DEFAULT_QUEUE = "steps.inline"
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_RESULT_BACKEND = None
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
# The engine ends an attempt by its own time limit. Celery's limits stand outside that one, in this order:
# longest attempt (and the segment before it) < soft limit < hard limit < visibility time-out.
CELERY_TASK_SOFT_TIME_LIMIT = (FLOWSITE["LONGEST_ATTEMPT_MS"] + FLOWSITE["SEGMENT_MS"]) // 1000 + 60
CELERY_TASK_TIME_LIMIT = CELERY_TASK_SOFT_TIME_LIMIT + 30
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": CELERY_TASK_TIME_LIMIT + 600,
    "unacked_restore_interval": 10,
    "unacked_restore_throttle": 1,
    "socket_timeout": 5,
    "socket_connect_timeout": 2,
    "socket_keepalive": True,
    "health_check_interval": 10,
}
CELERY_TASK_PUBLISH_RETRY_POLICY = {
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.2,
    "interval_max": 0.2,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 2_000
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 400_000  # KiB
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = env.float("FLOWSITE_WORKER_SOFT_SHUTDOWN_S", 20.0)
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False  # a step does not need the broker to end well
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"

# --- API ---
REST_FRAMEWORK = {  # doors, parser and throttles of endpoints are those of editor/api/base.py
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "editor.api.documenting.Schema",
    "EXCEPTION_HANDLER": "flowsite.problem_details.answer",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Flowsite",
    "DESCRIPTION": "Flows, their drafts and versions, runs, approvals, and what flows can be made of.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/",
    "COMPONENT_SPLIT_REQUEST": True,
    "COMPONENT_SPLIT_PATCH": False,
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": ["editor.api.documenting.close_objects"],
}

# --- Browser security ---
SESSION_COOKIE_NAME = "flowsite_session"
CSRF_COOKIE_NAME = "flowsite_csrf"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]  # asked from inside, without TLS
SECURE_HSTS_SECONDS = env.int("FLOWSITE_HSTS_SECONDS", 31_536_000) if HTTPS else 0
# Whether all of a domain is served by HTTPS, for ever, is for its owner to say: not saying it is no fault.
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("FLOWSITE_HSTS_SUBDOMAINS", False)
SECURE_HSTS_PRELOAD = env.bool("FLOWSITE_HSTS_PRELOAD", False)
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.bool("FLOWSITE_BEHIND_PROXY", False) else None
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

# `line` for people, `json` for programs: one object a line, in every process (docs/howto/logs.md).
LOG_FORMAT = env.str("FLOWSITE_LOG_FORMAT", "line")
if LOG_FORMAT not in ("line", "json"):
    raise ImproperlyConfigured(f"FLOWSITE_LOG_FORMAT is {LOG_FORMAT!r}. It can be: line, json.")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "context": {"()": "flowsite.logs.AddContext"},
        "refusals": {"()": "flowsite.logs.RefusalsInOneLine"},
    },
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"},
        "json": {"()": "flowsite.logs.OneLine"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["context"]}},
    "root": {"handlers": ["console"], "level": env.str("FLOWSITE_LOG_LEVEL", "WARNING")},
    "loggers": {
        **{name: {"level": env.str("FLOWSITE_LOG_LEVEL", "INFO")} for name in ("flowsite", "editor", "runner")},
        "flowsite.requests": {"level": "INFO" if LOG_FORMAT == "json" else "WARNING"},
        # The server sets these up by itself; here they are lines like all others, and each request has one of ours.
        **{name: {"handlers": [], "propagate": True} for name in ("uvicorn", "uvicorn.error")},
        "uvicorn.access": {"handlers": [], "propagate": True, "level": "WARNING"},
        "django.request": {"filters": ["refusals"]},
        "django.security.DisallowedHost": {"level": "CRITICAL"},  # whoever tries addresses must not fill the log
        "py.warnings": {"level": "ERROR"},  # a worker logs Python's warnings: not for whoever runs the site
    },
}
