"""The run's own row, its version, artifacts, signals and large values against the events."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from editor.language.canonical import digest, digest_of_text
from editor.language.schema import parse_document
from editor.language.schema.hashes import logic_hash, structure_hash
from editor.models import ApiToken, FlowVersion
from runner.engine.events import Event
from runner.engine.fold import ENDINGS
from runner.engine.retry import step_run_id
from runner.engine.rows import Checkpoint
from runner.engine.statuses import RunStatus
from runner.engine.subflows import child_id
from runner.services.proof.tables import About, Proof, Row, content_digest, parsed, rows_by_id, rows_of
from runner.store.codec.stored import names
from runner.store.sql import fetch

_RUN = names(
    "id flow_id version_id parent_run parent_step depth forked_from forked_seq snapshot snapshot_ref snapshot_size"
    " preset status policy inputs inputs_ref inputs_size result result_ref result_size error started_by_id actor"
    " starter started_at ended_at moved_at last_ts"
)
_ARTIFACT = names("id run_id artifact step_id scope type filename content content_ref content_size created_at")
_SIGNAL = names("n key value value_ref value_size at taken_by")


def check_readable(proof: Proof) -> None:
    """The run's row holds what can be read at all. Raises AlteredError."""
    run = proof.run
    status, *texts = fetch("SELECT status, policy, error, actor FROM runner_run WHERE id = %s", [run.pk])[0]
    about = About(f"run {run.pk}", "runner_run", run.pk, "its form")
    if status not in set(RunStatus):
        proof.same(about, "status", "a status", status)
    for name, text in zip(("policy", "error", "actor"), texts, strict=True):
        found = parsed(text)
        if found is not None and not isinstance(found, dict):
            proof.same(about, name, "an object", found, covered=True)


def check_blobs(proof: Proof) -> None:
    """Every large value has the digest by which rows refer to it; none is kept in memory."""
    for row in rows_of("runner_blob", ["digest", "text", "size"], proof.run.pk, ["digest"]):
        proof.rows += 1
        about = About("large value", "runner_blob", row["digest"], "its digest")
        text = row["text"]
        if row["digest"] not in (content_digest(text), digest_of_text(text)):
            why = "its text is not the one that its digest was made of"
            raise proof.altered(about.row, why, about.table, about.key, "text", row["digest"], content_digest(text))
        proof.same(about, "size", len(text.encode()), row["size"])
        proof.blobs[row["digest"]] = row["size"]


@dataclass
class Facts:
    """Follows the events for what they say of the run as a whole."""

    proof: Proof
    first: Event | None = None
    policy: Any = None
    version: dict[str, Any] = field(default_factory=dict)
    versions: set[str | None] = field(default_factory=set)
    ended: Event | None = None
    moved_at: int | None = None
    made: list[Event] = field(default_factory=list)
    signals: list[Event] = field(default_factory=list)
    last_ts: int = 0

    def follow(self, event: Event) -> None:
        """Take in one event."""
        self.last_ts = event.ts
        if self.first is None:
            self.first, self.policy = event, event.data.get("policy")
            self.version = {name: event.data.get(name) for name in ("version", "content_hash")}
            self.versions.add(self.version["content_hash"])
        elif event.type == "run-moved":
            self.policy, self.version, self.moved_at = event.data["policy"], event.data["to"], event.ts
            self.versions.add(self.version["content_hash"])
        elif event.type in ENDINGS:
            self.ended = event
        elif event.type == "step-retry-created":
            self.ended = None
        elif event.type == "artifact-created":
            self.made.append(event)
        elif event.type == "signal-received":
            self.signals.append(event)

    def check(self, taken_over: Checkpoint | None) -> None:
        """Look at the rows. `taken_over`: with what a fork began. Raises AlteredError."""
        found = fetch(f"SELECT {', '.join(_RUN)} FROM runner_run WHERE id = %s", [self.proof.run.pk])
        row = dict(zip(_RUN, found[0], strict=True))
        about = About(f"run {self.proof.run.pk}", "runner_run", self.proof.run.pk, "the history")
        self.proof.rows += 1
        self._check_version(row)
        self._check_beginning(about, row)
        self._check_end(about, row)
        self._check_artifacts(taken_over)
        self._check_signals(taken_over)

    # The run's own row

    def _check_beginning(self, about: About, row: Row) -> None:
        event, same = self.first, self.proof.same
        assert event is not None
        data = event.data
        same(about, "preset", data.get("preset"), row["preset"])
        same(about, "policy", self.policy, parsed(row["policy"]))
        same(about, "started_at", event.ts, row["started_at"])
        same(about, "moved_at", self.moved_at, row["moved_at"])
        same(about, "last_ts", self.last_ts, row["last_ts"])
        origin = data.get("origin") or {}
        same(about, "forked_from", origin.get("run"), row["forked_from"])
        same(about, "forked_seq", origin.get("seq"), row["forked_seq"])
        self.proof.value(about, row, "snapshot", data.get("snapshot"), covered=True)
        given = self.proof.load(row, "inputs")
        self.proof.digest_of(about, row, "inputs")
        if "state" in data:
            self._check_inputs(about, data["state"], given)
        self._check_changed(about, data.get("changed", {}), given)
        length = len(row["inputs"].encode()) if row["inputs"] is not None else self.proof.blobs.get(row["inputs_ref"])
        same(about, "inputs_size", length, row["inputs_size"])
        self._check_starter(about, data, row)

    def _check_inputs(self, about: About, told: dict[str, Any], given: Any) -> None:
        held = given if isinstance(given, dict) else {}
        self.proof.same(about, "inputs", sorted(told), sorted(held))
        for key, one in told.items():
            self.proof.same(about, "inputs", *self.proof.named(one, held[key]), covered="sealed" in one)

    def _check_changed(self, about: About, told: dict[str, Any], given: Any) -> None:
        for key, one in told.items():
            if isinstance(given, dict) and key in given:
                self.proof.same(about, "inputs", *self.proof.named(one, given[key]), covered="sealed" in one)

    def _check_starter(self, about: About, data: dict[str, Any], row: Row) -> None:
        event, same, actor = self.first, self.proof.same, parsed(row["actor"])
        assert event is not None
        same(about, "parent_run", data.get("parent"), row["parent_run"])
        if "parent" in data:
            same(about, "starter", f"run:{data['parent']}", row["starter"])
            parent = fetch("SELECT actor, started_by_id, depth FROM runner_run WHERE id = %s", [data["parent"]])
            if parent:
                same(about, "actor", parsed(parent[0][0]), actor)
                same(about, "started_by_id", parent[0][1], row["started_by_id"])
                same(about, "depth", parent[0][2] + 1, row["depth"])
            if row["parent_step"] is not None:
                same(about, "parent_step", self.proof.run.pk, child_id(row["parent_step"]))
            return
        same(about, "actor", event.actor, actor)
        same(about, "starter", f"{event.actor.get('kind', '')}:{event.actor.get('id', '')}", row["starter"])
        if row["started_by_id"] is not None:
            same(about, "started_by_id", _person(event.actor, row["started_by_id"]), row["started_by_id"])

    def _check_end(self, about: About, row: Row) -> None:
        same, event = self.proof.same, self.ended
        is_over = row["status"] in ENDINGS.values()
        if event is None:
            if is_over:
                same(about, "status", "no end", row["status"])
            for name in ("ended_at", "error"):
                same(about, name, None, row[name])
            self.proof.value(about, row, "result", None, covered=True)
            return
        same(about, "status", ENDINGS[event.type], row["status"])
        same(about, "ended_at", event.ts, row["ended_at"])
        same(about, "error", event.data.get("error"), parsed(row["error"]))
        self.proof.value(about, row, "result", event.data.get("result"))

    # The version

    def _check_version(self, row: Row) -> None:
        version = FlowVersion.objects.get(pk=row["version_id"])
        about = About(f"version {version.number or version.content_hash[:11]}", "editor_flowversion", str(version.pk),
                      "the history")  # fmt: skip
        run = About(f"run {self.proof.run.pk}", "runner_run", self.proof.run.pk, "the history")
        self.proof.rows += 1
        document = parsed(version.document)
        if digest(document) != version.content_hash:
            if version.content_hash == self.version.get("content_hash"):
                why = "its document is not the one that was hashed"
                raise self.proof.altered(about.row, why, about.table, about.key, "document",
                                         version.content_hash, digest(document))  # fmt: skip
            self.proof.same(about, "content_hash", digest(document), version.content_hash)
        self.proof.same(run, "version_id", self.version.get("content_hash"), version.content_hash)
        self.proof.same(about, "number", self.version.get("version"), version.number)
        self.proof.same(about, "skills_hash", digest(version.skills) if version.skills else "", version.skills_hash)
        if version.flow_id != row["flow_id"]:
            is_version = isinstance(document, dict) and document.get("id") == row["flow_id"]
            place, column = (about, version.flow_id) if is_version else (run, row["flow_id"])
            self.proof.same(place, "flow_id", row["flow_id"] if is_version else version.flow_id, column)
        definition = parse_document(version.document).definition
        if definition is not None:
            self.proof.same(about, "logic_hash", logic_hash(definition), version.logic_hash)
            self.proof.same(about, "structure_hash", structure_hash(definition), version.structure_hash)

    # Artifacts and signals

    def _check_artifacts(self, taken_over: Checkpoint | None) -> None:
        run, told = self.proof.run.pk, {event.data["artifact"]["id"]: event for event in self.made}
        ids = list(told)
        for start in range(0, len(ids), 100):
            rows = rows_by_id("runner_artifact", _ARTIFACT, ids[start : start + 100])
            for key in ids[start : start + 100]:
                self._check_artifact(told[key], rows.get(key))
        before = {row.id: row for row in taken_over.artifacts} if taken_over is not None else {}
        for row in rows_of("runner_artifact", _ARTIFACT, run, ["id"]):
            about = About(f"artifact {row['artifact']}", "runner_artifact", row["id"], "the history")
            was = before.pop(row["id"], None)
            if was is not None:
                for name in ("artifact", "step_id", "scope", "type", "filename", "created_at"):
                    self.proof.same(about, name, getattr(was, name), row[name])
                told_value = {"digest": was.content.content_digest(), "size": was.content.size}
                self.proof.value(about, row, "content", told_value)
            elif row["id"] not in told:
                raise self.proof.altered(
                    about.row, "no event speaks of it", about.table, about.key, "", "no row", "a row"
                )
        _demand_none(self.proof, "artifact", "runner_artifact", before, extra=False)

    def _check_artifact(self, event: Event, row: Row | None) -> None:
        made, key = event.data["artifact"], event.data["artifact"]["id"]
        about = About(f"artifact {made['artifact']}", "runner_artifact", key, f"event {event.seq}")
        if row is None:
            raise self.proof.altered(about.row, "it has no row", about.table, key, "", "a row", "none")
        self.proof.rows += 1
        expected = {name: made[name] for name in ("artifact", "type", "filename")} | {
            "run_id": self.proof.run.pk,
            "step_id": step_run_id(self.proof.run.pk, event.path or "", event.visit or 0, event.attempt or 0),
            "scope": event.data["scope"],
            "created_at": event.ts,
        }
        for name, value in expected.items():
            self.proof.same(about, name, value, row[name])
        self.proof.value(about, row, "content", {"digest": event.data["digest"]}, covered=True)

    def _check_signals(self, taken_over: Checkpoint | None) -> None:
        before = taken_over.signals if taken_over is not None else []
        rows = list(rows_of("runner_signal", _SIGNAL, self.proof.run.pk, ["n"]))
        kept = {row["n"]: row for row in rows}
        told: dict[int, tuple[str, dict[str, Any], int]] = {
            one.n: (one.key, {"digest": one.value.content_digest(), "size": one.value.size}, one.at) for one in before
        }
        after = max(told, default=0)
        for place, event in enumerate(self.signals, start=1):
            told[after + place] = (event.data["key"], event.data["value"], event.ts)
        for n, (key, value, at) in told.items():
            about = About(f"signal {n}", "runner_signal", f"run {self.proof.run.pk}, signal {n}", "the history")
            row = kept.pop(n, None)
            if row is None:
                raise self.proof.altered(about.row, "it has no row", about.table, about.key, "n", "a row", "none")
            self.proof.rows += 1
            self.proof.same(about, "key", key, row["key"])
            self.proof.same(about, "at", at, row["at"])
            self.proof.value(about, row, "value", value)
            self._check_taker(about, row)
        _demand_none(self.proof, "signal", "runner_signal", kept, extra=True)

    def _check_taker(self, about: About, row: Row) -> None:
        """The wait that took a signal has its value as output."""
        if row["taken_by"] is None:
            return
        steps = rows_by_id("runner_steprun", names("id status output output_ref output_size"), [row["taken_by"]])
        step = steps.get(row["taken_by"])
        value = self.proof.digest_of(about, row, "value")
        output = self.proof.digest_of(about, step, "output") if step is not None else None
        if step is None or (step["status"] == "succeeded" and output != value):
            self.proof.same(about, "taken_by", "a wait that has its value", row["taken_by"])


def _demand_none(proof: Proof, what: str, table: str, left: Collection[Any], *, extra: bool) -> None:
    """Raise AlteredError for the first of these keys: rows that are too many (`extra`), or that are missing."""
    for key in left:
        why, told = ("no event speaks of it", ("no row", "a row")) if extra else ("it has no row", ("a row", "none"))
        raise proof.altered(f"{what} {key}", why, table, str(key), "", *told)


def _person(actor: dict[str, Any], otherwise: int) -> int:
    """The account for which an actor acts; `otherwise` where nobody can tell any more."""
    if actor.get("kind") == "user":
        return int(actor.get("id") or 0)
    if actor.get("kind") == "token":
        owner = ApiToken.objects.filter(pk=actor.get("id") or 0).values_list("owner_id", flat=True).first()
        return int(owner) if owner is not None else otherwise
    return otherwise
