# Words by which runs are found, and an index for the inbox: what expires first comes first.

import django.db.models.deletion
import django.db.models.functions.comparison
from django.db import migrations, models
from django.db.models import F, Q, Value

import runner.models.fields


class Migration(migrations.Migration):

    dependencies = [
        ('runner', '0005_forks'),
    ]

    operations = [
        migrations.CreateModel(
            name='RunWord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('word', models.CharField(max_length=40)),
                ('started_at', runner.models.fields.InstantField()),
                ('run', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='words', to='runner.run')),
            ],
            options={
                'indexes': [models.Index(fields=['word', '-started_at', 'run'], name='runword_newest')],
                'constraints': [models.UniqueConstraint(fields=('run', 'word'), name='runword_once')],
            },
        ),
        migrations.AddIndex(
            model_name='approval',
            index=models.Index(django.db.models.functions.comparison.Coalesce(F('expires_at'), Value(253370764800000)), models.F('id'), condition=Q(status='open'), name='approval_by_deadline'),
        ),
    ]
