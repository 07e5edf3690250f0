"""Runs that try single steps: which ones, and how those before them ended."""

from django.db import migrations

import runner.models.fields


class Migration(migrations.Migration):
    dependencies = [
        ("runner", "0013_notices_of_reviews"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="trial",
            field=runner.models.fields.JsonTextField(null=True),
        ),
        migrations.AddField(
            model_name="run",
            name="given_ends",
            field=runner.models.fields.JsonTextField(null=True),
        ),
    ]
