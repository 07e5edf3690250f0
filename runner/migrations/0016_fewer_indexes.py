# Drops indexes that no query needs: those of run.flow and run.started_by, which the lists' indexes begin with, and on
# Postgres the second index of each text key, which Django makes for LIKE: nothing here asks with LIKE.

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def drop_indexes_for_like(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()"
            r" AND tablename LIKE 'runner\_%' AND indexname LIKE '%\_like'"
        )
        names = [name for (name,) in cursor.fetchall()]
    for name in names:
        schema_editor.execute(f"DROP INDEX {schema_editor.quote_name(name)}")


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("runner", "0015_growing_rows"),
    ]

    operations = [
        migrations.AlterField(
            model_name="run",
            name="flow",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="runs",
                to="editor.flow",
            ),
        ),
        migrations.AlterField(
            model_name="run",
            name="started_by",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="started_runs",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        # Going back leaves them dropped: they cost, and serve nothing.
        migrations.RunPython(drop_indexes_for_like, migrations.RunPython.noop),
    ]
