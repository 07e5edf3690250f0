"""Starting a run whose inputs come as files. Starting itself, and what a body of JSON may say, is runs.py's."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.base import ApiView
from editor.api.documenting import describe
from editor.api.parsing import GateParser
from editor.language.errors import LanguageError
from editor.language.json_gate import load_json
from runner.api.runs import KEY, start_asked, version_asked
from runner.serializers.api.runs import RunShape, RunStart
from runner.serializers.uploads import value_of_file

REQUEST = "request"
_BODY = {
    "multipart/form-data": {
        "type": "object",
        "properties": {
            REQUEST: {"type": "string", "description": "JSON: what `runs_start` takes as its body."},
        },
        "required": [REQUEST],
        "additionalProperties": {
            "type": "string",
            "format": "binary",
            "description": "A file, under the name of the input that it is for.",
        },
    }
}


class RunsWithFiles(ApiView):
    """Runs that are started with files."""

    parser_classes = (MultiPartParser,)
    scopes: ClassVar = {"POST": "run"}
    limits: ClassVar = {"POST": "start"}

    @describe(
        "runs_start_with_files",
        "Start a run with files",
        body=_BODY,
        parameters=[KEY],
        status=201,
        answers=RunShape,
        more={200: RunShape},
        errors={
            400: "The inputs do not fit, a file is no text, or names no input that takes one (`validation_failed`).",
            404: "There is no such flow or version, or it is not for you to see (`not_found`).",
            409: "The key was used with another request (`idempotency_conflict`).",
            413: "A file or a value is too large (`value_too_large`).",
            415: "The body is no `multipart/form-data`.",
        },
    )
    def post(self, request: Request) -> Response:
        """As `runs_start`, in parts: `request` is its body as JSON, and each file is the value of the input of its
        name: its text for a long text, the JSON in it for an object or a list. UTF-8, or UTF-16 with its mark."""
        given = _request(request)
        files = dict(request.FILES.items())
        version = version_asked(request, given)
        declared = {one.name: one for one in version.definition().inputs}
        inputs = dict(given.get("inputs", {}))
        for name, file in files.items():
            if name not in declared:
                raise _refused(name, f"There is no input of this name. There are: {', '.join(declared) or 'none'}.")
            if name in inputs:
                raise _refused(name, "This input is in the request as well. Give it once.")
            inputs[name] = _value(declared[name], file)
        return start_asked(request, version, {**given, "inputs": inputs})


def _request(request: Request) -> dict[str, Any]:
    """The part that says what to start. Raises LanguageError, ValidationError."""
    unknown = [name for name in request.POST if name != REQUEST]
    if unknown:
        raise _refused(unknown[0], "This part is no file. Inputs that are none stand in `request`.")
    texts = request.POST.getlist(REQUEST)
    if len(texts) != 1:
        raise _refused(REQUEST, "Send this part once, as text that is JSON.")
    shape = RunStart(data=load_json(texts[0], GateParser.limits(), what="the part “request”"))
    shape.is_valid(raise_exception=True)
    found: dict[str, Any] = shape.validated_data
    return found


def _value(declaration: Any, file: UploadedFile[Any]) -> Any:
    most = settings.FLOWSITE["FILE_BYTES"]
    return value_of_file(declaration, file.read(most + 1), str(file.name), most)


def _refused(name: str, told: str) -> LanguageError:
    problems = {"problems": [{"path": f"/{name}", "message": told}]}
    return LanguageError("validation_failed", f"{name}: {told}", problems)
