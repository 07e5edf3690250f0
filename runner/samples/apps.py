"""The samples as a Django app."""

from django.apps import AppConfig


class SamplesConfig(AppConfig):
    name = "runner.samples"
    label = "samples"
    verbose_name = "Samples"
    default_auto_field = "django.db.models.BigAutoField"
