"""The WSGI entry point, for servers without WebSockets: pages and API work, live updates do not."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flowsite.settings")

application = get_wsgi_application()
