"""Outputs that are pinned to nodes of drafts."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("editor", "0009_reviews_in_the_inbox"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PinnedOutput",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("node", models.CharField(max_length=63)),
                ("node_name", models.CharField(blank=True, default="", max_length=200)),
                ("output", models.TextField()),
                ("writes", models.TextField(blank=True, default="")),
                (
                    "source",
                    models.CharField(choices=[("run", "Run"), ("try", "Try"), ("typed", "Typed")], max_length=10),
                ),
                ("run", models.CharField(blank=True, default="", max_length=32)),
                (
                    "updated_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                (
                    "flow",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pins",
                        to="editor.flow",
                    ),
                ),
                (
                    "updated_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("flow", "node"), name="pin_once_a_node")],
            },
        ),
    ]
