# Reviews wait in the inbox until they are closed; those that were decided before wait for nobody.

from django.conf import settings
from django.db import migrations, models


def close_what_was_decided(apps, schema_editor):
    rows = apps.get_model("editor", "VersionReview").objects.exclude(status="open")
    rows.filter(closed_at__isnull=True).update(closed_at=models.F("decided_at"))


class Migration(migrations.Migration):

    dependencies = [
        ('editor', '0008_tokens_of_the_erased'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='versionreview',
            name='closed_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunPython(close_what_was_decided, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name='versionreview',
            index=models.Index(condition=models.Q(('closed_at__isnull', True)), fields=['id'], name='review_unclosed'),
        ),
    ]
