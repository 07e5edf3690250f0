"""Every conformance case of the expression language: its value, its text, its truth, also over float variables."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path

import pytest

from editor.language.expressions import UNDEFINED, ExpressionError, evaluate, to_text, truthy

FOLDER = Path(__file__).parent
Case = dict[str, object]


def load(name: str) -> list[Case]:
    with (FOLDER / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


CURATED = load("curated.jsonl")
GENERATED = load("generated.jsonl")
CASES = CURATED + GENERATED


def floated(value: object) -> object:
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, list):
        return [floated(item) for item in value]
    if isinstance(value, dict):
        return {key: floated(item) for key, item in value.items()}
    return value


def is_number(got: object, want: Case) -> bool:
    if isinstance(got, bool) or not isinstance(got, int | float):
        return False
    number = float(got)
    match want.get("special"):
        case "NaN":
            return math.isnan(number)
        case "Infinity" | "-Infinity":
            return number == float(str(want["special"]).replace("Infinity", "inf"))
        case "-0":
            return number == 0 and math.copysign(1, number) < 0
    return number == float(str(want["value"])) and not (number == 0 and math.copysign(1, number) < 0)


def is_wanted(got: object, want: Case) -> bool:
    match want["type"]:
        case "undefined":
            return got is UNDEFINED
        case "null":
            return got is None
        case "number":
            return is_number(got, want)
        case "boolean":
            return got is want["value"]
        case "string":
            return isinstance(got, str) and got == want["value"]
    return type(got) in (list, dict) and got == want["value"]


def check(case: Case, variables: dict[str, object]) -> None:
    want = case["want"]
    assert isinstance(want, dict)
    before = copy.deepcopy(variables)
    if not want["ok"]:
        with pytest.raises(ExpressionError) as caught:
            evaluate(str(case["expr"]), variables)
        assert 0 <= caught.value.position <= len(str(case["expr"]))
        return
    got = evaluate(str(case["expr"]), variables)
    assert is_wanted(got, want), f"got {got!r}, wanted {want}"
    assert to_text(got) == want["text"]
    assert truthy(got) is want["truthy"]
    assert variables == before


def variables_of(case: Case) -> dict[str, object]:
    variables = copy.deepcopy(case["vars"])
    assert isinstance(variables, dict)
    return variables


def test_no_case_was_lost() -> None:
    assert (len(CURATED), len(GENERATED)) == (454, 600)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_case_also_with_integers_handed_as_floats(case: Case) -> None:
    check(case, variables_of(case))
    variables = floated(variables_of(case))
    assert isinstance(variables, dict)
    check(case, variables)
