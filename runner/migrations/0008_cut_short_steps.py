# An index for lists of attempts that were canceled or skipped: they are few among very many.

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):

    dependencies = [
        ('runner', '0007_lists'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='steprun',
            index=models.Index(fields=['run', 'path', 'visit', 'attempt'], condition=Q(status__in=['canceled', 'skipped']), name='steprun_cut_short'),
        ),
    ]
