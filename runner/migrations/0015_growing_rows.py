# Numbers of rows that a step appends: on SQLite without a table of the highest number ever given.

from django.db import migrations

import runner.models.fields


class Migration(migrations.Migration):
    dependencies = [
        ("runner", "0014_trials"),
    ]

    operations = [
        migrations.AlterField(
            model_name="arrival",
            name="id",
            field=runner.models.fields.RowNumberField(primary_key=True, serialize=False),
        ),
        migrations.AlterField(
            model_name="event",
            name="id",
            field=runner.models.fields.RowNumberField(primary_key=True, serialize=False),
        ),
        migrations.AlterField(
            model_name="scope",
            name="id",
            field=runner.models.fields.RowNumberField(primary_key=True, serialize=False),
        ),
        migrations.AlterField(
            model_name="statevalue",
            name="id",
            field=runner.models.fields.RowNumberField(primary_key=True, serialize=False),
        ),
    ]
