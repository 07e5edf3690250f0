"""The outbox's table."""

import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("samples", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="OutboxMessage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("effect_key", models.CharField(max_length=100, unique=True)),
                ("recipient", models.CharField(max_length=200)),
                ("subject", models.CharField(max_length=200)),
                ("text", models.TextField()),
                ("category", models.CharField(max_length=20)),
                ("written_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "verbose_name": "message",
                "verbose_name_plural": "outbox",
                "ordering": ("id",),
            },
        ),
    ]
