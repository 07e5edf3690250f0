"""What the tests of pages look at: a finished run with a report, a run that waits, an approval, a person. Over HTTP."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

from tests.support.site import Site

CSV = """number,vendor,iban,issued,due,currency,net,tax,total
B-1,Harbour Paper Ltd,GB82 WEST 1234 5698 7654 32,2026-03-03,2026-04-02,EUR,350.00,66.50,416.50
"""
ASKS = CSV + "B-2,Nordlicht Energie GmbH,DE89 3704 0044 0532 0130 00,2026-03-04,2026-03-18,EUR,1250.00,237.50,1487.50\n"


@dataclass(frozen=True)
class Scene:
    """Ids of what there is on the site."""

    finished: str
    asking: str
    approval: str
    decided: str
    artifact: str
    step: str
    person: str

    def values_for(self, name: str) -> list[dict[str, str]]:
        """Values for the names in a page's address: for some pages there are several things worth looking at."""
        common = {
            "flow_id": "invoice_approval", "run_id": self.finished, "other_id": self.asking, "step_id": self.step,
            "approval_id": self.approval,
            "artifact_id": self.artifact, "person_id": self.person, "name": "output", "seq": "3",
            "text": "wrong",
        }  # fmt: skip
        if name.startswith("run-value"):
            return [common | {"name": "inputs"}]
        if name == "run":
            return [common, common | {"run_id": self.asking}]
        if name == "approval":
            return [common, common | {"approval_id": self.decided}]
        return [common]


class Program:
    """Somebody who asks the API with a session, as a page's script does."""

    def __init__(self, site: Site, name: str) -> None:
        self.site, self.cookies = site, CookieJar()
        self.opener: OpenerDirector = build_opener(HTTPCookieProcessor(self.cookies))
        self.opener.open(f"{site.url}/sign-in/").read()
        form = {"username": name, "password": site.passwords[name], "csrfmiddlewaretoken": self.csrf, "next": "/"}
        self.opener.open(self._request("/sign-in/", urlencode(form).encode())).read()

    @property
    def csrf(self) -> str:
        return next((cookie.value or "" for cookie in self.cookies if cookie.name == "flowsite_csrf"), "")

    def _request(self, path: str, data: bytes | None = None, **headers: str) -> Request:
        given = {"X-CSRFToken": self.csrf, "Origin": self.site.url, "Referer": f"{self.site.url}/", **headers}
        return Request(f"{self.site.url}{path}", data, given)

    def get(self, path: str) -> Any:
        """What the API answers."""
        return json.load(self.opener.open(self._request(f"/api/{path}")))

    def post(self, path: str, body: Any) -> Any:
        """What the API answers to a body."""
        data = json.dumps(body).encode()
        return json.load(self.opener.open(self._request(f"/api/{path}", data, **{"Content-Type": "application/json"})))

    def put(self, path: str, body: Any) -> Any:
        """What the API answers to a body that takes the place of what is there."""
        request = self._request(f"/api/{path}", json.dumps(body).encode(), **{"Content-Type": "application/json"})
        request.method = "PUT"
        return json.load(self.opener.open(request))

    def found_on(self, path: str, pattern: str) -> str:
        """What stands on a page."""
        found = re.search(pattern, self.opener.open(self._request(path)).read().decode())
        assert found, f"{path} has no {pattern}"
        return found[1]

    def start(self, csv: str) -> str:
        """Start the sample flow with these invoices, and wait until its run rests."""
        inputs = {"csv_text": csv, "limit": 1000}
        return self.run({"flow": "invoice_approval", "inputs": inputs})

    def run(self, start: dict[str, Any]) -> str:
        """Start a run, and wait until it rests; gives its id."""
        run: str = self.post("runs/", start)["id"]
        for _ in range(600):
            if self.get(f"runs/{run}/")["status"] != "active":
                return run
            time.sleep(0.1)
        raise AssertionError(f"The run {run} does not come to rest.\n{self.site.output}")


def make_scene(site: Site) -> Scene:
    """Start runs and decide about one, as people would."""
    analyst, admin = Program(site, "analyst"), Program(site, "admin")
    finished, asking, other = (analyst.start(csv) for csv in (CSV, ASKS, ASKS))
    one = admin.get(f"approvals/?run={other}")["items"][0]
    admin.post(f"approvals/{one['id']}/decision/", {"verdict": "rejected", "digest": one["digest"], "comment": "no"})
    open_one = admin.get(f"approvals/?run={asking}")["items"][0]["id"]
    admin.post(f"approvals/{open_one}/delegation/", {"to": "reviewer", "reason": "You know the vendor."})
    return Scene(
        finished=finished,
        asking=asking,
        approval=open_one,
        decided=one["id"],
        artifact=analyst.get(f"runs/{finished}/artifacts/")["items"][0]["id"],
        step=analyst.get(f"runs/{finished}/steps/")["items"][0]["id"],
        person=admin.found_on("/people/", r"/people/(\d+)/"),
    )
