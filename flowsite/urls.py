"""The site's URLs: which app answers which path. Views live in their apps."""

from django.contrib import admin
from django.urls import include, path, re_path

from editor.api.base import Nowhere
from flowsite.api_pages import SchemaView, api_page
from flowsite.health import healthz

handler500 = "flowsite.problem_details.failed"

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("admin/", admin.site.urls),
    path("api/schema/", SchemaView.as_view(), name="api-schema"),
    path("api/docs/", api_page, name="api-docs"),
    path("api/", include("editor.api.urls")),
    path("api/", include("runner.api.urls")),
    re_path(r"^api/", Nowhere.as_view(), name="api-nowhere"),
    path("", include("runner.urls")),
]
