"""By what a run is found from its start on: words of its inputs for the search, single values for the run list.

What a flow marks as sensitive gives neither.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from editor.language.canonical import canonical_text
from editor.language.definition import Input
from runner.engine.program import Program
from runner.models.facts import INPUT, LONGEST_KEY, LONGEST_VALUE
from runner.store.facts import write_facts
from runner.store.transactions import RunTransaction
from runner.store.words import words_in, write_words

MOST_WORDS = 12
"""Words that are kept of one run."""
READ_CHARS = 400
"""Of one input no more is read for words."""
MOST_VALUES, DEEPEST, MOST_ITEMS = 40, 3, 20
"""Values that are kept of one run; how deep in objects they stand; how many items of a list are looked at."""
_FOUND_BY = ("short_text", "long_text", "choice", "date", "integer")


def keep_words(program: Program, work: RunTransaction, inputs: Mapping[str, Any]) -> None:
    """Keep by which words the search finds a new run."""
    write_words(work.run_id, work.run.started_at, words_of_inputs(program.definition.inputs, inputs))


def keep_values(program: Program, work: RunTransaction, inputs: Mapping[str, Any]) -> None:
    """Keep by which values of its inputs the run list finds a new run."""
    found = values_of_inputs(inputs, program.sensitive_keys)
    write_facts(work.run_id, work.run.started_at, [(INPUT, path, text) for path, text in found])


def words_of_inputs(declared: Iterable[Input], inputs: Mapping[str, object]) -> list[str]:
    """The words by which a run is found."""
    texts = [
        str(inputs[one.name])[:READ_CHARS]
        for one in declared
        if one.type in _FOUND_BY and not one.sensitive and inputs.get(one.name) is not None
    ]
    return words_in("\n".join(texts))[:MOST_WORDS]


def values_of_inputs(inputs: Mapping[str, Any], sensitive: Collection[str]) -> list[tuple[str, str]]:
    """The path (`order.id`) and the text of each value by which a run is found, but those of sensitive inputs."""
    open_ones = {key: value for key, value in inputs.items() if key not in sensitive}
    return list(dict.fromkeys(_leaves(open_ones, "", 0)))[:MOST_VALUES]


def value_text(value: Any) -> str:
    """A single value as it is kept and asked for: upper and lower case count for nothing, 5 is `5`."""
    return (value if isinstance(value, str) else canonical_text(value)).strip().casefold()


def _leaves(value: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        if depth < DEEPEST:
            for key, inner in value.items():
                yield from _leaves(inner, f"{path}.{key}" if path else key, depth + 1)
    elif isinstance(value, list):
        for inner in value[:MOST_ITEMS]:
            if not isinstance(inner, list | Mapping):
                yield from _leaves(inner, path, depth + 1)
    elif path and len(path) <= LONGEST_KEY:
        text = value_text(value) if not isinstance(value, str) or len(value) <= 2 * LONGEST_VALUE else ""
        if 0 < len(text) <= LONGEST_VALUE and "\0" not in text:
            yield path, text
