# Who is to be told by e-mail of a review that waits, or of its decision.

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import runner.models.fields


class Migration(migrations.Migration):

    dependencies = [
        ('editor', '0009_reviews_in_the_inbox'),
        ('runner', '0012_approvals_of_several'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ReviewNotice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('asked', 'Asked'), ('decided', 'Decided')], max_length=20)),
                ('at', runner.models.fields.InstantField()),
                ('sent_at', runner.models.fields.InstantField(null=True)),
                ('dropped', models.BooleanField(default=False)),
                ('person', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('review', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='editor.versionreview')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('dropped', False), ('sent_at__isnull', True)), fields=['person', 'id'], name='review_notice_unsent')],
                'constraints': [models.UniqueConstraint(fields=('review', 'person', 'kind'), name='review_notice_once')],
            },
        ),
    ]
