# An index for all timers of a run: the admin lists them, and a purge deletes them.

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runner', '0008_cut_short_steps'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='timer',
            index=models.Index(fields=['run', 'id'], name='timer_of_run'),
        ),
    ]
