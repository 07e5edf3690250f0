"""The site's URLs: which app answers which path. Views live in their apps."""

from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from editor.api.base import Nowhere
from flowsite.api_pages import SchemaView, api_page
from flowsite.health import healthz, readyz
from runner.views.people import admin_sign_in

handler500 = "flowsite.problem_details.failed"

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("admin/login/", admin_sign_in),  # one door for passwords, with one lock
    path("admin/password_change/", RedirectView.as_view(pattern_name="profile")),
    path("admin/", admin.site.urls),
    path("api/schema/", SchemaView.as_view(), name="api-schema"),
    path("api/docs/", api_page, name="api-docs"),
    path("api/", include("editor.api.urls")),
    path("api/", include("runner.api.urls")),
    re_path(r"^api/", Nowhere.as_view(), name="api-nowhere"),
    path("", include("runner.urls")),
]
