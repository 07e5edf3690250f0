"""The ledger's table."""

import django.core.validators
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            name="LedgerEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("effect_key", models.CharField(max_length=100, unique=True)),
                ("invoice_number", models.CharField(max_length=100)),
                ("vendor", models.CharField(max_length=200)),
                ("iban", models.CharField(max_length=34)),
                ("amount_cents", models.BigIntegerField(validators=[django.core.validators.MinValueValidator(1)])),
                ("currency", models.CharField(max_length=3)),
                ("review_above_cents", models.BigIntegerField()),
                ("booked_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "verbose_name": "ledger entry",
                "verbose_name_plural": "ledger",
                "ordering": ("id",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("amount_cents__gt", 0)), name="samples_ledger_amount_positive"
                    )
                ],
            },
        ),
    ]
