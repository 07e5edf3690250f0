"""Which columns of a run's rows nobody can prove, each with the reason. Every other column is proven by its history.

A test alters each column of each model and demands that it is found, or stands here: a new column must be decided upon.
"""

from __future__ import annotations

_NUMBER = "a number that the database gives; nothing refers to it"
_HANDED_ON = "when and how a step is handed to a worker; no result depends on it afterwards"
_WORKER = "a lost worker's step is taken over in its row without an event; who started it is in the start event"
_DUE = "what is still to come; what became due, and when, is in the events"
_COUNTED = "a running count for a limit; it holds nothing of the record"
_SEARCH = "made for finding; it can be made again from the inputs"
_MAIL = "that somebody is told by e-mail is not part of the record"
_ROUTED = "where an open question went: the audit has it; who decided it is in the events"
_LOGGED = "lines of tools are no part of the hashed history"

NOT_PROVEN: dict[str, dict[str, str]] = {
    "runner_run": {
        "rev": "counts transactions, also those that changed nothing",
        "salt": "proven where events name sensitive values, which it goes into; without any it says nothing",
        "engine_format": "which recipe wrote the rows; there is one",
        "state_bytes": _COUNTED,
        "depth": "of a run of a sub-flow, as long as the run that started it is kept; else it is only counted",
        "parent_step": "of a run of a sub-flow that is waited for: its id is made of it; else nothing refers to it",
        "idempotency_key": "how a repeated request is known; it is not part of the run",
        "request_digest": "how a repeated request is known; it is not part of the run",
        "flow_test": "the stand-ins of a flow test",
        "trial": "which steps were tried",
        "given_ends": "how the steps before those that were tried ended",
        "paused_at": "by how much a pause moves what is due; that it was paused is in the events",
        "failed_steps": "made for lists; the step runs tell it",
        "signed_at": "when the next signature is due",
    },
    "runner_steprun": {
        "fence": _WORKER,
        "worker": _WORKER,
        "lease_expires_at": _WORKER,
        "started_at": f"only that it lies between the start event and the end: {_WORKER}",
        "not_before": _HANDED_ON,
        "cancel_requested": "a wish to a worker; what came of it is in the events",
        "late_output": "what a worker gave after its attempt was taken from it: kept beside the record, by design",
        "notes": "only what the record names: the call, the idempotency key, items that failed, warnings",
        "hint_at": _HANDED_ON,
        "dispatched_at": _HANDED_ON,
        "dispatch_count": _HANDED_ON,
    },
    "runner_statevalue": {"id": _NUMBER, "seq": "when it was last written; the value itself is proven"},
    "runner_scope": {"id": _NUMBER},
    "runner_arrival": {"id": _NUMBER, "seq": "when the path came; that it came, and whether it went on, is proven"},
    "runner_timer": dict.fromkeys(("id", "run", "kind", "due_at", "step_id", "scope", "status"), _DUE),
    "runner_signal": {"id": _NUMBER},
    "runner_blob": {"id": _NUMBER},
    "runner_approval": {
        "editable": "whether the card offered a change; the change itself is proven",
        "expires_at": "of an open question, once a pause has moved it",
        "delegate": _ROUTED,
        "escalated_to": _ROUTED,
        "told_at": _MAIL,
    },
    "runner_decision": {"id": _NUMBER},
    "runner_artifact": {},
    "runner_event": {"id": _NUMBER},
    "runner_signedhead": {
        "id": _NUMBER,
        "at": "when it was signed",
        "key_id": "a signature of a key that this site does not know is told as not proven",
    },
    "runner_snapshot": {
        "run": "that one is missing: a snapshot only saves time, one that is there is proven",
        "id": _NUMBER,
        "at": "when it was taken; its number and what it refers to are proven",
    },
    "runner_steplog": dict.fromkeys(("id", "run", "step_run", "fence", "lines", "dropped", "at"), _LOGGED),
    "runner_runfact": dict.fromkeys(("id", "run", "kind", "key", "value", "started_at"), _SEARCH),
    "runner_routing": dict.fromkeys(
        ("id", "run", "approval", "key", "kind", "actor", "at", "person", "group", "reason"), _ROUTED
    ),
    "runner_notice": dict.fromkeys(("id", "run", "approval", "person", "kind", "at", "sent_at", "dropped"), _MAIL),
    "runner_runword": dict.fromkeys(("id", "run", "word", "started_at"), _SEARCH),
    "editor_flowversion": {
        "id": _NUMBER,
        "kind": "whether it was published or tried; the content is proven",
        "note": "what its publisher wrote about it; the audit has it",
        "created_by": "the audit has it (flow-publish)",
        "created_at": "the audit has it (flow-publish)",
    },
}
"""Table -> field -> why an altered value of it is not found, or not always."""
