"""The command `frontend_schemas`: writes the JSON Schema from which the editor's TypeScript types are made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from editor.language.schema import document_json_schema


def schema_text() -> str:
    """The text of frontend/schema/document.json as it has to be now."""
    return json.dumps(document_json_schema(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


class Command(BaseCommand):
    help = "Write frontend/schema/document.json, from which `npm run types` makes the editor's types."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="Write nothing; fail if the file is not as it should.")

    def handle(self, *args: Any, **options: Any) -> None:
        path = Path(settings.BASE_DIR) / "frontend" / "schema" / "document.json"
        if not options["check"]:
            path.write_text(schema_text(), encoding="utf-8")
        elif path.read_text(encoding="utf-8") != schema_text():
            raise CommandError(f"{path} is out of date. Run `manage.py frontend_schemas`, then `npm run types`.")
