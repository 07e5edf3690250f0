"""The main job in a real browser: start on a CSV file, watch live, decide in the inbox, read every attempt."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Window
from tests.support.site import Site

pytestmark = [pytest.mark.processes, pytest.mark.slow]

CSV = """number,vendor,iban,issued,due,currency,net,tax,total
B-1,Harbour Paper Ltd,GB82 WEST 1234 5698 7654 32,2026-03-03,2026-04-02,EUR,350.00,66.50,416.50
B-2,Nordlicht Energie GmbH,DE89 3704 0044 0532 0130 00,2026-03-04,2026-03-18,EUR,1250.00,237.50,1487.50
B-3,Atelier Moreau,FR14 2004 1010 0505 0001 3M02 606,2026-03-05,2026-04-04,EUR,2820.00,535.80,3355.80
"""


def numbers_on(page: Page) -> list[int]:
    """The numbers of the events in the list, in its order."""
    return [int(text) for text in page.locator("#events .seq").all_text_contents()]


def start_with_file(page: Page, csv: Path) -> str:
    """Start the sample flow with a file of one's own computer; gives the path of the run's page."""
    page.click("nav >> text=Flows")
    page.click("a:has-text('Invoice approval')")
    page.click("a:has-text('Start v1')")
    page.fill("[name=input-limit]", "1000")
    page.set_input_files("[name=file-csv_text]", csv)
    page.click("button:has-text('Start run')")
    page.wait_for_url(re.compile(r"/runs/[0-9a-f]{32}/$"))
    return page.url


def test_the_whole_story(site: Site, sign_in: Callable[..., Window], tmp_path: Path) -> None:
    csv = tmp_path / "invoices.csv"
    csv.write_text(CSV)
    analyst = sign_in("analyst").page
    run = start_with_file(analyst, csv)
    expect(analyst.locator("#pill")).to_have_text("Live")
    expect(analyst.locator("[data-part=status] .mark")).to_have_text("Waiting for approval")
    expect(analyst.locator("[data-part=status]")).to_contain_text("waits for a decision by the group reviewer")
    expect(analyst.locator("#events")).to_contain_text("approval-requested")
    expect(analyst.locator("tr.attempt", has_text="each_invoice[0].pay")).to_contain_text("Succeeded")

    # The worker dies while a person thinks; whatever was committed stays, and a new one goes on.
    old = site.kill("worker")
    window = sign_in("reviewer")
    reviewer = window.page
    expect(reviewer.locator("[data-inbox-count]")).to_contain_text("1")
    reviewer.click("nav >> text=Inbox")
    reviewer.click("a:has-text('Pay invoice')")
    card = reviewer.locator(".area-call")
    for shown in ("pay_invoice", "1487.5", "Nordlicht Energie GmbH", "DE89370400440532013000"):
        expect(card).to_contain_text(shown)
    expect(reviewer.locator(".area-why")).to_contain_text("args.amount > args.review_above")
    reviewer.click("button.approve:has-text('Approve') >> nth=0")
    expect(reviewer.locator("[data-part=outcome] .card-head")).to_contain_text("Approved by reviewer")
    site.wait_for_restart("worker", old)
    expect(reviewer.locator("[data-part=outcome]")).to_contain_text("Succeeded", timeout=30_000)

    # The second payment: a rejection needs words, and they arrive in the flow.
    reviewer.click("nav >> text=Inbox")
    reviewer.click("a:has-text('Pay invoice')")
    expect(reviewer.locator(".area-call")).to_contain_text("Atelier Moreau")
    reviewer.click("button.reject")
    expect(reviewer.locator("#id_comment_error")).to_contain_text("Say why you reject")
    window.forgive("/decide/")  # the browser notes the answer 400
    reviewer.fill("[name=comment]", "Not ordered by us")
    reviewer.click("button.reject")
    expect(reviewer.locator("[data-part=outcome] .card-head")).to_contain_text("Rejected by reviewer")

    # The analyst's page has followed all along, without being loaded again.
    expect(analyst.locator("[data-part=status] .mark")).to_have_text(re.compile("Succeeded"), timeout=30_000)
    assert analyst.url == run
    expect(analyst.locator("#events")).to_contain_text("flow-complete")
    analyst.check("#show-detail")
    found = numbers_on(analyst)
    assert found == list(range(1, found[-1] + 1)), "each event once, in order, without a gap"
    expect(analyst.locator("#events-count")).to_have_text(f"{len(found)} of {len(found)}")
    with analyst.expect_download() as download:
        analyst.click("text=invoice-report.md")
    report = Path(download.value.path()).read_text()
    assert "B-2" in report and "Not ordered by us" in report
    attempt = analyst.locator("tr.attempt", has_text="each_invoice[1].pay")
    attempt.locator("button[data-open]").click()
    expect(analyst.locator("tr.detail")).to_contain_text("Nordlicht Energie GmbH")
    assert "Reconnecting" not in analyst.locator("#pill").inner_text()

    admin = sign_in("admin").page
    admin.goto(run)
    admin.click("text=In the admin")
    admin.click("text=step runs >> nth=0")
    rows = admin.locator("#result_list tbody tr")
    expect(rows.first).to_be_visible()
    paths = admin.locator("#result_list .field-path, #result_list th.field-path").all_inner_texts()
    assert "each_invoice[2].pay" in paths
    admin.click("#result_list a:has-text('each_invoice[2].pay')")
    expect(admin.locator("#content")).to_contain_text("Not ordered by us")
    expect(admin.locator("#content")).to_contain_text("Atelier Moreau")
    assert admin.locator("input[type=submit]").count() == 0

    verified = site.manage("verify_history", run.rstrip("/").rsplit("/", 1)[-1])
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_a_page_follows_over_a_server_that_dies(site: Site, sign_in: Callable[..., Window], tmp_path: Path) -> None:
    csv = tmp_path / "invoices.csv"
    csv.write_text(CSV)
    window = sign_in("analyst")
    page = window.page
    start_with_file(page, csv)
    expect(page.locator("[data-part=status] .mark")).to_have_text("Waiting for approval")
    old = site.kill("web")
    expect(page.locator("#pill")).to_contain_text("Reconnecting, data as of")
    site.wait_for_restart("web", old)
    expect(page.locator("#pill")).to_have_text("Live", timeout=30_000)
    window.complaints.clear()  # the browser says that the server was away
    page.click("summary:has-text('Cancel')")
    expect(page.locator("[data-part=actions]")).to_contain_text("The run ends for good")
    page.fill("[name=reason]", "Enough seen")
    page.click("button:has-text('Cancel the run for good')")
    expect(page.locator("[data-part=status] .mark")).to_have_text("Canceled")
    expect(page.locator("#pill")).to_have_text("Live")
    page.check("#show-detail")
    found = numbers_on(page)
    assert found == list(range(1, found[-1] + 1))


def test_what_another_reviewer_decides_replaces_the_form_and_keeps_the_words(
    site: Site, sign_in: Callable[..., Window], tmp_path: Path
) -> None:
    csv = tmp_path / "invoices.csv"
    csv.write_text(CSV)
    start_with_file(sign_in("analyst").page, csv)
    one, two = sign_in("reviewer").page, sign_in("admin").page
    for page in (one, two):
        page.goto("/inbox/")
        page.click("a:has-text('Pay invoice')")
        expect(page.locator("#pill")).to_have_text("Live")
    two.fill("[name=comment]", "I was not sure")
    one.click("button.approve >> nth=0")
    expect(two.locator("[data-part=outcome] .card-head")).to_contain_text("Approved by reviewer")
    expect(two.locator("#decision")).to_have_count(0)
    expect(two.locator("[data-part=outcome]")).to_contain_text("I was not sure")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_a_narrow_screen(site: Site, sign_in: Callable[..., Window], tmp_path: Path, scheme: str) -> None:
    csv = tmp_path / "invoices.csv"
    csv.write_text(CSV)
    page = sign_in("admin", width=360, scheme=scheme).page
    run = start_with_file(page, csv)
    expect(page.locator("[data-part=status] .mark")).to_have_text("Waiting for approval")
    page.goto("/inbox/")
    approval = page.locator(".asks .title").first.get_attribute("href")
    flow = "/flows/invoice_approval/"
    for path in ("/", "/flows/", flow, f"{flow}start/", "/runs/", run, "/inbox/", approval):
        page.goto(str(path))
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide == 0, path
        small = page.evaluate(
            """() => [...document.querySelectorAll("button, a.button, summary, select, input:not([type=hidden])")]
                .filter((one) => one.offsetParent && (one.closest("label") ?? one).getBoundingClientRect().height < 24)
                .map((one) => one.outerHTML)"""
        )
        assert small == [], path
    assert json.loads(page.evaluate("JSON.stringify(window.localStorage)")) == {}
