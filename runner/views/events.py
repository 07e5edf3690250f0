"""Events of a run as JSON, for a page that shows earlier ones. Newer ones come over the socket."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from editor.pseudonyms import shown_text
from runner.models import Event
from runner.serializers.browser import text_for_browser
from runner.views.pages import person, signed_in
from runner.views.runs import find_run

BATCH = 200


@signed_in
@require_safe
def earlier_events(request: HttpRequest, run_id: str) -> HttpResponse:
    """At most 200 events before the number in `?before=`, in order: `{"events": [...]}`."""
    run = find_run(person(request), run_id)
    text = request.GET.get("before", "")
    before = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else run.seq + 1
    rows = Event.objects.filter(run=run, seq__lt=before).order_by("-seq").values_list("text", flat=True)[:BATCH]
    texts = [text_for_browser(shown_text(text)) for text in reversed(list(rows))]
    return HttpResponse(f'{{"events":[{",".join(texts)}]}}', content_type="application/json")
