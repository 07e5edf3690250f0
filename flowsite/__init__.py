"""The composition root: settings, URLs, ASGI and Celery entry points. No app imports it."""
