"""Verify a run dossier offline: `python3 verify.py DOSSIER.zip`. It needs nothing but Python 3.9 and the dossier.

Exit code 0: all is as it was signed; 1: something is not; 2: there is nothing here to verify. `--public-key HEX` is the
key that you trust, from the site itself: without it, only that the dossier fits the key inside it is proven.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import zipfile
from pathlib import Path
from typing import Any, Iterator  # noqa: UP035 - an auditor's Python may be older than the product's

FORMAT = "flowsite-dossier-1"
MANIFEST, SIGNATURE = "manifest.json", "signature.json"


class Fault(Exception):
    """Something is not as it was signed."""


# --- Ed25519, after the Python code of RFC 8032, section 6; used where `cryptography` is not installed ------------

P = 2**255 - 19
Q = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)  # a square root of -1
Point = tuple[int, int, int, int]  # (X, Y, Z, T): x = X/Z, y = Y/Z, x*y = T/Z


def _add(one: Point, other: Point) -> Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def _times(factor: int, point: Point) -> Point:
    found: Point = (0, 1, 1, 0)
    while factor > 0:
        if factor & 1:
            found = _add(found, point)
        point = _add(point, point)
        factor >>= 1
    return found


def _same(one: Point, other: Point) -> bool:
    return (one[0] * other[2] - other[0] * one[2]) % P == 0 and (one[1] * other[2] - other[1] * one[2]) % P == 0


def _recover_x(y: int, sign: int) -> int | None:
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if square == 0:
        return None if sign else 0
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT % P
    if (x * x - square) % P != 0:
        return None
    return P - x if x & 1 != sign else x


_Y = 4 * pow(5, P - 2, P) % P
_X = _recover_x(_Y, 0) or 0
BASE: Point = (_X, _Y, 1, _X * _Y % P)


def _point(text: bytes) -> Point | None:
    y = int.from_bytes(text, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    x = _recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


def verify_ed25519(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether a signature of 64 bytes over a message was made with the secret of this public key of 32 bytes."""
    if len(public) != 32 or len(signature) != 64:
        return False
    a, r = _point(public), _point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= Q:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % Q
    return _same(_times(s, BASE), _add(r, _times(h, a)))


def is_signed(public: bytes, message: bytes, signature: bytes, pure: bool = False) -> bool:
    """The same, by `cryptography` where it is installed."""
    if not pure:
        try:
            from cryptography.exceptions import InvalidSignature
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        except ImportError:
            return verify_ed25519(public, message, signature)
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True
    return verify_ed25519(public, message, signature)


# --- The dossier -------------------------------------------------------------------------------------------------


class Dossier:
    """The files of a dossier, from a zip or from the folder into which it was unpacked."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.zip = zipfile.ZipFile(place) if place.is_file() else None

    def names(self) -> list[Any]:
        """All files; a name twice in a zip is told twice."""
        if self.zip is not None:
            return [info.filename for info in self.zip.infolist()]
        here = self.place
        return sorted(one.relative_to(here).as_posix() for one in here.rglob("*") if one.is_file())

    def read(self, name: str) -> bytes:
        """The bytes of a file. Raises Fault if there is none."""
        try:
            return self.zip.read(name) if self.zip is not None else (self.place / name).read_bytes()
        except (KeyError, OSError, zipfile.BadZipFile) as error:
            raise Fault(f"{name} cannot be read: {error}") from None

    def json(self, name: str) -> Any:
        """A file's JSON. Raises Fault."""
        try:
            return json.loads(self.read(name))
        except ValueError:
            raise Fault(f"{name} is no JSON") from None


def canonical(value: Any) -> str:
    """The text of a JSON value that was hashed: sorted keys, no spaces, one number form."""
    return json.dumps(_one_form(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _one_form(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, dict):
        return {key: _one_form(item) for key, item in value.items()}
    return [_one_form(item) for item in value] if isinstance(value, list) else value


def digest_of_text(text: str) -> str:
    """The tagged hash of a text."""
    return "v1:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def check(place: Path, trusted: str = "", pure: bool = False) -> list[Any]:
    """Verify a dossier; gives what was found to be true, line by line. Raises Fault."""
    dossier = Dossier(place)
    told = [_check_signature(dossier, trusted, pure)]
    manifest = dossier.json(MANIFEST)
    if manifest.get("format") != FORMAT:
        raise Fault(f"{MANIFEST}: this script reads {FORMAT}, not {manifest.get('format')}")
    told.append(_check_files(dossier, manifest))
    events = list(_chained(dossier, manifest))
    told.append(f"{len(events)} events are chained without a gap, up to {manifest['head_hash']}")
    told.append(_check_documents(dossier, manifest, events))
    told.append(_check_artifacts(dossier, manifest, events))
    told.append(_check_values(dossier, manifest))
    told += _check_approvals(dossier, manifest, events)
    told.append(_check_run(dossier, events))
    return told


def _check_signature(dossier: Dossier, trusted: str, pure: bool) -> str:
    found = dossier.json(SIGNATURE)
    try:
        public, signature = bytes.fromhex(found["public_key"]), bytes.fromhex(found["signature"])
    except (KeyError, TypeError, ValueError):
        raise Fault(f"{SIGNATURE} holds no key and signature") from None
    if trusted and trusted.lower() != public.hex():
        raise Fault("the dossier was signed with another key than the one you trust")
    if found.get("algorithm") != "Ed25519" or not is_signed(public, dossier.read(MANIFEST), signature, pure):
        raise Fault(f"{MANIFEST} is not what was signed with the key {found.get('key_id')}")
    known = "which you trust" if trusted else f"public key {public.hex()}: compare it with the one that the site shows"
    return f"the manifest was signed with the key {found.get('key_id')} ({known})"


def _check_files(dossier: Dossier, manifest: Any) -> str:
    listed = {one["name"]: one for one in manifest["files"]}
    there = [name for name in dossier.names() if name not in (MANIFEST, SIGNATURE)]
    if sorted(there) != sorted(listed):
        odd = sorted(set(there) ^ set(listed)) or sorted(name for name in there if there.count(name) > 1)
        raise Fault(f"{odd[0]}: the files are not those that the manifest lists")
    for name, one in listed.items():
        data = dossier.read(name)
        if (len(data), hashlib.sha256(data).hexdigest()) != (one["bytes"], one["sha256"]):
            raise Fault(f"{name} is not the file that was signed")
    return f"{len(listed)} files are those that the manifest lists"


def _chained(dossier: Dossier, manifest: Any) -> Iterator[Any]:
    before, seq = "", 0
    for line in dossier.read("events.jsonl").decode("utf-8").split("\n"):
        if not line:
            continue
        try:
            event = json.loads(line)
        except ValueError:
            raise Fault(f"event {seq + 1} is no JSON") from None
        seq += 1
        if (event.get("run"), event.get("seq"), event.get("prev")) != (manifest["run"], seq, before):
            raise Fault(f"event {seq} does not follow the one before it")
        before = digest_of_text(line)
        yield event
    if (seq, before) != (manifest["events"], manifest["head_hash"]):
        raise Fault(f"the history ends with event {seq}, and its end is not the one in the manifest")


def _check_documents(dossier: Dossier, manifest: Any, events: list[Any]) -> str:
    named = {events[0]["data"].get("content_hash")}
    named |= {event["data"]["to"]["content_hash"] for event in events if event["type"] == "run-moved"}
    held = {digest_of_text(dossier.read(one["name"]).decode("utf-8")) for one in manifest["documents"]}
    if held != named:
        raise Fault("a document is not the version that the history says the run was bound to")
    return f"{len(held)} versions of the flow are those that the run was bound to"


def _check_artifacts(dossier: Dossier, manifest: Any, events: list[Any]) -> str:
    made = {e["data"]["artifact"]["id"]: e["data"]["digest"] for e in events if e["type"] == "artifact-created"}
    listed = {one["id"]: one for one in manifest["artifacts"] if one["of_this_run"]}
    if set(made) != set(listed):
        raise Fault("the artifacts are not those that the history tells of")
    for key, one in listed.items():
        text = dossier.read(one["name"]).decode("utf-8")
        whole = canonical(text) if one["form"] == "text" else text
        if digest_of_text(whole) != made[key]:
            raise Fault(f"{one['name']} is not the artifact that was made")
    return f"{len(listed)} artifacts are those that were made"


def _check_values(dossier: Dossier, manifest: Any) -> str:
    for one in manifest["values"]:
        if digest_of_text(dossier.read(one["name"]).decode("utf-8")) != one["digest"]:
            raise Fault(f"{one['name']} is not the value with its digest")
    return f"{len(manifest['values'])} large values have the digests by which events name them"


def fits(told: Any, value: Any, salt: str) -> bool | None:
    """Whether a value is the one that an event names; None: it is sealed, and nobody can tell without the salt."""
    found = digest_of_text(canonical(value))
    if "v" in told:
        return bool(found == digest_of_text(canonical(told["v"])))
    if "digest" in told:
        return bool(found == told["digest"])
    return bool(told["sealed"] == digest_of_text(f"{salt}|{found}")) if salt else None


def _check_approvals(dossier: Dossier, manifest: Any, events: list[Any]) -> list[Any]:
    """What was shown, what reviewers changed it to, and what was called with: told by events and by the rows."""
    salt = dossier.json("revealed.json")["salt"] if "revealed.json" in {f["name"] for f in manifest["files"]} else ""
    rows = {one["id"]: one for one in dossier.json("approvals.json")}
    asked = {e["data"]["approval"]: e for e in events if e["type"] == "approval-requested"}
    if set(rows) != set(asked):
        raise Fault("the approvals are not those that the history asked for")
    sealed, called = 0, 0
    for key, question in asked.items():
        decided = [e for e in events if e["type"] == "approval-decided" and e["data"]["approval"] == key]
        last = question["data"]["shown"]
        sealed += _check_value(rows[key], "shown", last, salt)
        if [e["actor"] for e in decided] != [one["actor"] for one in rows[key]["decisions"]]:
            raise Fault(f"approval of {question['path']}: the history names others who decided")
        for event, row in zip(decided, rows[key]["decisions"]):  # noqa: B905 - as many of both; Python 3.9 knows no strict
            if (event["data"]["verdict"], event["ts"]) != (row["verdict"], row["ts"]):
                raise Fault(f"approval of {question['path']}: it was decided otherwise")
            if "changed" in event["data"]:
                last = event["data"]["changed"]
                sealed += _check_value(row, "changed", last, salt)
        if "executed" in rows[key]:
            called += 1
            if not decided or decided[-1]["data"]["verdict"] not in ("approved", "happened", "try_again"):
                raise Fault(f"approval of {question['path']}: it was called without having been approved")
            sealed += _check_value(rows[key], "executed", last, salt)
    told = [f"{len(asked)} approvals are as the history tells; {called} calls had exactly the approved arguments"]
    if sealed:
        told.append(f"{sealed} values of approvals are sealed: they are sensitive, and cannot be compared here")
    return told


def _check_value(row: Any, name: str, told: Any, salt: str) -> int:
    """Compare one value with what an event says of it; gives 1 where it is sealed. Raises Fault."""
    if name not in row or "value" not in row[name]:
        if "sealed" in told:
            return 1
        raise Fault(f"approval of {row['path']}: what was {name} is missing")
    fit = fits(told, row[name]["value"], salt)
    if fit is False:
        raise Fault(f"approval of {row['path']}: what was {name} is not what the history says")
    return 0 if fit else 1


def _check_run(dossier: Dossier, events: list[Any]) -> str:
    run = dossier.json("run.json")
    ends = {"flow-complete": "succeeded", "flow-error": "failed", "flow-canceled": "canceled"}
    ended = None
    for event in events:
        if event["type"] in ends:
            ended = event
        elif event["type"] == "step-retry-created":
            ended = None
    if ended is None and run["status"] in ends.values():
        raise Fault(f"run.json says that the run {run['status']}, its history does not end")
    if ended is not None:
        if run["status"] != ends[ended["type"]]:
            raise Fault(f"run.json says that the run {run['status']}, its history that it {ends[ended['type']]}")
        told = ended["data"].get("result")
        if told is not None and "result" in run and fits(told, run["result"], "") is False:
            raise Fault("run.json has another result than the history")
    for key, told in events[0]["data"].get("state", {}).items():
        if (
            key in run["inputs"]
            and run["inputs"][key] != {"sealed": True}
            and fits(told, run["inputs"][key], "") is False
        ):
            raise Fault(f"run.json has another input {key} than the history")
    if events[0]["actor"] != run["started_by"] and "parent" not in events[0]["data"]:
        raise Fault("run.json names another person who started the run")
    return f"the run {run['status'].replace('_', ' ')}, as its history tells"


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Verify a run dossier offline.")
    parser.add_argument("dossier", nargs="?", default=str(Path(__file__).resolve().parent), help="a zip, or a folder")
    parser.add_argument("--public-key", default="", metavar="HEX", help="the key that you trust (64 hex digits)")
    parser.add_argument("--pure", action="store_true", help="do not use the package cryptography")
    given = parser.parse_args(arguments)
    place = Path(given.dossier)
    if not place.exists() or (place.is_file() and not zipfile.is_zipfile(place)):
        print(f"{place} is no dossier.", file=sys.stderr)
        return 2
    try:
        told = check(place, given.public_key, given.pure)
    except Fault as fault:
        print(f"NOT AS IT WAS SIGNED: {fault}")
        return 1
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, zipfile.BadZipFile) as error:
        print(f"NOT AS IT WAS SIGNED: a part of it cannot be read ({type(error).__name__}: {error})")
        return 1
    for line in told:
        print(f"ok: {line}")
    print("The dossier is as it was signed.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
