# Indexes for lists: closed approvals by time, approvals by whom they ask, attempts that failed.

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):

    dependencies = [
        ('runner', '0006_search_and_deadlines'),
    ]

    # With the key at its end an index gives the whole order of a list, and is taken rather than that of all runs.
    operations = [
        *(
            operation
            for name, column in (('run_by_status', 'status'), ('run_by_flow', 'flow'), ('run_by_starter', 'started_by'))
            for operation in (
                migrations.RemoveIndex(model_name='run', name=name),
                migrations.AddIndex(model_name='run', index=models.Index(fields=[column, '-started_at', '-id'], name=name)),
            )
        ),
        migrations.AddIndex(
            model_name='approval',
            index=models.Index(fields=['-created_at', '-id'], condition=~Q(status='open'), name='approval_closed'),
        ),
        migrations.AddIndex(
            model_name='approval',
            index=models.Index(fields=['group', 'run'], name='approval_by_group'),
        ),
        migrations.AddIndex(
            model_name='approval',
            index=models.Index(fields=['run'], condition=~Q(assignees=[]), name='approval_naming'),
        ),
        migrations.AddIndex(
            model_name='steprun',
            index=models.Index(fields=['run', 'path', 'visit', 'attempt'], condition=Q(status__in=['failed', 'budget_exhausted']), name='steprun_failed'),
        ),
    ]
