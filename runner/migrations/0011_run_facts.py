# By what runs are found: values of their inputs, errors, failed steps, versions and presets; views that people save.

import json
import re

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import runner.models.fields

ROWS, BATCH = 500, 2_000
_WORD = re.compile(r"[^\W_](?:[\w.@-]*[^\W_])?")
_COUNT_FAILED = """
UPDATE runner_run SET failed_steps = (
    SELECT count(*) FROM runner_steprun s WHERE s.run_id = runner_run.id AND s.status IN ('failed', 'budget_exhausted')
    AND NOT EXISTS (SELECT 1 FROM runner_steprun l WHERE l.run_id = s.run_id AND l.path = s.path
                    AND l.visit = s.visit AND l.attempt > s.attempt)
) WHERE status = 'succeeded' AND EXISTS (
    SELECT 1 FROM runner_steprun f WHERE f.run_id = runner_run.id AND f.status IN ('failed', 'budget_exhausted')
)"""


def fill(apps, schema_editor):
    """Of runs that are there already: count failed steps, and keep by what they are found, as for new ones."""
    schema_editor.connection.cursor().execute(_COUNT_FAILED)
    Run, RunFact = apps.get_model('runner', 'Run'), apps.get_model('runner', 'RunFact')
    sealed, rows = {}, []
    runs = Run.objects.filter(flow_test__isnull=True).values_list(
        'pk', 'version_id', 'started_at', 'inputs', 'status', 'error', 'failed_steps'
    )
    for pk, version, started_at, inputs, status, error, failed in runs.iterator(chunk_size=ROWS):
        if version not in sealed:
            sealed[version] = _sealed(apps, version)
        found = [('input', key, value) for key, value in _leaves(inputs, sealed[version])][:40]
        errors = [error] if status == 'failed' and error else _errors(apps, pk) if failed else []
        found += [('error', '', word) for word in _words(errors)]
        rows += [
            RunFact(run_id=pk, kind=kind, key=key, value=value, started_at=started_at)
            for kind, key, value in dict.fromkeys(found)
        ]
        if len(rows) >= BATCH:
            RunFact.objects.bulk_create(rows)
            rows = []
    RunFact.objects.bulk_create(rows)


def _sealed(apps, version):
    text = apps.get_model('editor', 'FlowVersion').objects.values_list('document', flat=True).get(pk=version)
    document = json.loads(text) if isinstance(text, str) else text
    inputs = document.get('inputs') or []
    state = (document.get('state') or {}).get('properties') or {}
    return {one.get('name') for one in inputs if one.get('sensitive')} | {
        key for key, part in state.items() if isinstance(part, dict) and part.get('x-sensitive')
    }


def _leaves(value, sealed, path='', depth=0):
    if isinstance(value, dict) and depth < 3:
        for key, inner in value.items():
            if depth or key not in sealed:
                yield from _leaves(inner, sealed, f'{path}.{key}' if path else key, depth + 1)
    elif isinstance(value, list):
        for inner in value[:20]:
            if not isinstance(inner, (dict, list)):
                yield from _leaves(inner, sealed, path, depth + 1)
    elif path and not isinstance(value, dict):
        text = (value if isinstance(value, str) else json.dumps(value)).strip().casefold()
        if len(path) <= 200 and 0 < len(text) <= 200 and '\0' not in text:
            yield path, text


def _errors(apps, run):
    failed = apps.get_model('runner', 'StepRun').objects.filter(run=run, status__in=['failed', 'budget_exhausted'])
    return [error for error in failed.order_by('path', 'visit', 'attempt').values_list('error', flat=True)[:5] if error]


def _words(errors):
    texts = [f'{error.get("code", "")} {str(error.get("message", ""))[:1000]}'.casefold() for error in errors]
    found = (match.group()[:40] for text in texts for match in _WORD.finditer(text.replace('\0', ' ')))
    return list(dict.fromkeys(word for word in found if len(word) > 1))[:24]


class Migration(migrations.Migration):

    dependencies = [
        ('editor', '0004_pinned_skills'),
        ('runner', '0010_event_acts'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='RunFact',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=10)),
                ('key', models.CharField(max_length=200)),
                ('value', models.CharField(max_length=200)),
                ('started_at', runner.models.fields.InstantField()),
                ('run', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='facts', to='runner.run')),
            ],
            options={
                'indexes': [models.Index(fields=['kind', 'key', 'value', '-started_at', '-run'], name='runfact_newest')],
                'constraints': [models.UniqueConstraint(fields=('run', 'kind', 'key', 'value'), name='runfact_once')],
            },
        ),
        migrations.CreateModel(
            name='SavedView',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80)),
                ('query', models.CharField(blank=True, max_length=2000)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='saved_views', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('person', 'name'), name='savedview_name')],
            },
        ),
        migrations.AddField(
            model_name='run',
            name='failed_steps',
            field=models.IntegerField(db_default=0, default=0),
        ),
        migrations.AlterField(
            model_name='run',
            name='version',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='editor.flowversion'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(fields=['version', '-started_at', '-id'], name='run_by_version'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('preset__isnull', False)), fields=['preset', '-started_at', '-id'], name='run_by_preset'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('failed_steps__gt', 0)), fields=['-started_at', '-id'], name='run_with_failures'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('failed_steps__gt', 0), ('status', 'failed'), _connector='OR'), fields=['-started_at', '-id'], name='run_troubled'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
