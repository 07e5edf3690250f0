"""The tools of the sample flows, offered through the public tool API."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from runner.samples.input_files import read_input_file
from runner.samples.invoice_checks import iban_problem, invoice_problems
from runner.samples.invoice_csv import CsvError, read_invoices
from runner.samples.ledger import KeyTakenError, book_payment
from runner.samples.money import from_cents, to_cents, to_nearest_cent
from runner.samples.outbox import MessageKeyTakenError, put_into_outbox
from runner.samples.support_rules import Category, sort_by_words
from runner.tools import ToolContext, ToolError, tool
from runner.tools.llm import PROVIDERS
from runner.tools.llm.offline import OfflineProvider


class Invoice(BaseModel):
    """One invoice as read from a file. Amounts in its currency, dates as YYYY-MM-DD."""

    model_config = ConfigDict(extra="forbid")

    line: int
    number: str
    vendor: str
    iban: str
    issued: str
    due: str
    currency: str
    net: float
    tax: float
    total: float


@tool(effect="pure", read_only=True)
def read_invoices_csv(file: str = "", text: str = "", *, ctx: ToolContext) -> dict[str, Any]:
    """Read invoices from a CSV file: typed invoices, and the lines that could not be read.

    Args:
        file: Bare name of a file in the input folder.
        text: CSV text to read in place of the file, if not empty.
    """
    if not text and not file:
        raise ToolError("There is nothing to read. Name a file, or give the CSV text itself.")
    try:
        found = read_invoices(text or read_input_file(file))
    except CsvError as error:
        raise ToolError(str(error)) from None
    source = "the given text" if text else file
    ctx.log("read", source=source, invoices=len(found["invoices"]), bad_rows=len(found["bad_rows"]))
    return {"source": source, **found}


@tool(effect="pure", read_only=True)
def check_invoice(invoice: Invoice, seen_numbers: list[str]) -> dict[str, Any]:
    """Check whether an invoice may be paid: its sums, account number, dates, and that its number is new.

    Args:
        invoice: The invoice as read from the file.
        seen_numbers: Numbers of the invoices before it.
    """
    problems = invoice_problems(invoice.model_dump(), set(seen_numbers))
    return {"valid": not problems, "problems": problems}


@tool(effect="idempotent")
def pay_invoice(
    vendor: Annotated[str, Field(min_length=1, max_length=200, description="Who is paid.")],
    iban: Annotated[str, Field(max_length=34, description="Account of the vendor.")],
    amount: Annotated[float, Field(gt=0, description="What is paid, in whole cents.")],
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$", description="Three letters, such as EUR.")],
    invoice_number: Annotated[str, Field(min_length=1, max_length=100, description="What for.")],
    review_above: Annotated[float, Field(description="Above this amount a person is asked first.")],
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Pay an invoice: book it in the ledger, once for each call, however often the call is repeated."""
    problem = iban_problem(iban)
    if problem:
        raise ToolError(f"{problem} Nothing was paid.", "tool_args_invalid")
    try:
        cents = to_cents(amount)
    except ValueError as error:
        raise ToolError(f"{error}. Nothing was paid.", "tool_args_invalid") from None
    try:
        entry = book_payment(
            ctx.effect_key,
            vendor=vendor,
            iban=iban,
            amount_cents=cents,
            currency=currency,
            invoice_number=invoice_number,
            review_above_cents=to_nearest_cent(review_above),
        )
    except KeyTakenError as error:
        raise ToolError(f"The ledger refuses: {error}. Nothing was paid.", "ledger_conflict") from None
    return {
        "entry": entry.pk,
        "vendor": entry.vendor,
        "amount": from_cents(entry.amount_cents),
        "currency": entry.currency,
        "invoice_number": entry.invoice_number,
    }


@tool(effect="pure", read_only=True)
def choose_model(wanted: bool) -> dict[str, Any]:
    """Say whether a model can be asked, which one, and if none, why.

    Args:
        wanted: Whether the flow wants to ask one at all.
    """
    provider, own = PROVIDERS.resolve(None)
    if isinstance(provider, OfflineProvider):
        return {"use": False, "name": "", "why": "no model is set up on this site"}
    if not wanted:
        return {"use": False, "name": "", "why": "this run was to ask none"}
    named = own or next(iter(provider.models()), "")
    return {"use": True, "name": f"{provider.name}:{named}" if named else provider.name, "why": ""}


@tool(effect="pure", read_only=True)
def sort_by_keywords(message: str) -> dict[str, Any]:
    """Sort a message to support by the words in it, without any model: billing, technical, sales or other.

    Args:
        message: The customer's message.
    """
    return sort_by_words(message)


@tool(effect="idempotent")
def send_answer(
    recipient: Annotated[str, Field(min_length=1, max_length=200, description="Who gets it.")],
    subject: Annotated[str, Field(min_length=1, max_length=200, description="Its subject, one line.")],
    text: Annotated[str, Field(min_length=1, max_length=20_000, description="What it says.")],
    category: Annotated[Category, Field(description="What the message was about.")],
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Send an answer to a customer: put it into the outbox, once for each call, however often it is repeated."""
    fields = {"recipient": recipient, "subject": subject, "text": text, "category": category}
    try:
        written = put_into_outbox(ctx.effect_key, **fields)
    except MessageKeyTakenError as error:
        raise ToolError(f"The outbox refuses: {error}. Nothing was sent.", "outbox_conflict") from None
    return {"message": written.pk, "recipient": written.recipient}
