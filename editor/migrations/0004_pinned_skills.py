"""A version keeps which skills its document stood for; a trial is known by its content and its skills."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("editor", "0003_sharing")]

    operations = [
        migrations.RemoveConstraint(model_name="flowversion", name="trial_of_file_once"),
        migrations.RemoveConstraint(model_name="flowversion", name="trial_of_flow_once"),
        migrations.AddField(model_name="flowversion", name="skills", field=models.JSONField(default=dict)),
        migrations.AddField(
            model_name="flowversion", name="skills_hash", field=models.CharField(default="", max_length=80)
        ),
        migrations.AddConstraint(
            model_name="flowversion",
            constraint=models.UniqueConstraint(
                condition=models.Q(("flow__isnull", True), ("kind", "trial")),
                fields=("content_hash", "skills_hash"),
                name="trial_of_file_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="flowversion",
            constraint=models.UniqueConstraint(
                condition=models.Q(("flow__isnull", False), ("kind", "trial")),
                fields=("flow", "content_hash", "skills_hash"),
                name="trial_of_flow_once",
            ),
        ),
    ]
