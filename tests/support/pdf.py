"""Small PDF files for tests, written by hand: a page for each text."""

from __future__ import annotations

from collections.abc import Sequence


def make_pdf(pages: Sequence[str], *, title: str = "", modified: str = "") -> bytes:
    """A PDF whose pages say these ASCII texts, one line each."""
    first = 5
    kids = " ".join(f"{first + 2 * place} 0 R" for place in range(len(pages)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        f"<</Title({title})/ModDate({modified})>>",
    ]
    for place, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents {first + 2 * place + 1} 0 R"
            "/Resources<</Font<</F1 3 0 R>>>>>>"
        )
        objects.append(f"<</Length {len(stream)}>>stream\n{stream}\nendstream")
    data = b"%PDF-1.4\n"
    places = []
    for number, written in enumerate(objects, start=1):
        places.append(len(data))
        data += f"{number} 0 obj\n{written}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<</Size {size}/Root 1 0 R/Info 4 0 R>>\n"
    return data + f"{end}startxref\n{len(data)}\n%%EOF\n".encode()
