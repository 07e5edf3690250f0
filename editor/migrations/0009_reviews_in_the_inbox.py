# Reviews wait in the inbox until they are closed; of those from before only a flow's newest does, if nobody has decided
# it and no version was published since.

from django.conf import settings
from django.db import migrations, models


def close_what_waits_for_nobody(apps, schema_editor):
    reviews = apps.get_model("editor", "VersionReview").objects
    waiting = reviews.filter(closed_at__isnull=True)
    waiting.exclude(status="open").update(closed_at=models.F("decided_at"))
    newest = list(reviews.values("flow").annotate(newest=models.Max("pk")).values_list("newest", flat=True))
    waiting.exclude(pk__in=newest).update(closed_at=models.F("asked_at"))
    versions = apps.get_model("editor", "FlowVersion").objects.filter(kind="published")
    published = versions.filter(flow=models.OuterRef("flow"), created_at__gt=models.OuterRef("asked_at"))
    waiting.filter(models.Exists(published)).update(closed_at=models.F("asked_at"))


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
        migrations.RunPython(close_what_waits_for_nobody, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name='versionreview',
            index=models.Index(condition=models.Q(('closed_at__isnull', True)), fields=['id'], name='review_unclosed'),
        ),
    ]
