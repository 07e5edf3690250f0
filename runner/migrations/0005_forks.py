# Where a forked run comes from and what it took over; when a run was moved to another version.

from django.db import migrations, models

import runner.models.fields


class Migration(migrations.Migration):

    dependencies = [
        ('runner', '0004_operations'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='forked_from',
            field=models.CharField(max_length=32, null=True),
        ),
        migrations.AddField(
            model_name='run',
            name='forked_seq',
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='run',
            name='moved_at',
            field=runner.models.fields.InstantField(null=True),
        ),
        migrations.AddField(
            model_name='run',
            name='snapshot',
            field=runner.models.fields.JsonTextField(null=True),
        ),
        migrations.AddField(
            model_name='run',
            name='snapshot_ref',
            field=models.CharField(max_length=80, null=True),
        ),
        migrations.AddField(
            model_name='run',
            name='snapshot_size',
            field=models.BigIntegerField(default=0),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('forked_from__isnull', False)), fields=['forked_from'], name='run_forks'),
        ),
    ]
