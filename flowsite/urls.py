"""The site's URLs: which app answers which path. Views live in their apps."""

from django.contrib import admin
from django.urls import include, path

from flowsite.health import healthz

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("admin/", admin.site.urls),
    path("", include("runner.urls")),
]
