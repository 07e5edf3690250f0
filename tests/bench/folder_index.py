"""How long a folder takes to be indexed and searched: 5,000 made-up documents of 20 KB. Run it by hand:

python -m tests.bench.folder_index [--documents 5000] [--bytes 20000]
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from pathlib import Path

from runner.tools import ToolContext
from runner.tools.folder import FOLDERS, folder_search, refresh_folder
from runner.tools.folder.places import read_places

SYLLABLES = [sound + tone for sound in "bdklmnr" for tone in "aeiou"]
SUFFIXES = (".md", ".txt", ".html", ".rst")


def vocabulary(chance: random.Random, size: int = 40_000) -> list[str]:
    """Made-up words, the commonest first."""
    words = dict.fromkeys("".join(chance.choices(SYLLABLES, k=chance.randint(2, 5))) for _ in range(2 * size))
    return list(words)[:size]


def write_documents(folder: Path, documents: int, size: int) -> list[str]:
    """Fill a folder with texts whose words are as unevenly common as those of real ones. Gives the words."""
    chance = random.Random(7)
    words = vocabulary(chance)
    weights = list(accumulate(1 / (place + 5) for place in range(len(words))))
    for number in range(documents):
        parts: list[str] = []
        length = 0
        suffix = SUFFIXES[number % len(SUFFIXES)]
        while length < size:
            said = " ".join(chance.choices(words, cum_weights=weights, k=90)).capitalize() + "."
            title = " ".join(chance.choices(words, k=3)).capitalize()
            if suffix == ".html":
                part = f"<h2>{title}</h2>\n<p>{said}</p>\n"
            elif suffix == ".md":
                part = f"## {title}\n\n{said}\n\n"
            else:
                part = f"{title}\n{'-' * len(title)}\n\n{said}\n\n"
            parts.append(part)
            length += len(part)
        path = folder / f"part{number % 50:02}" / f"document{number:05}{suffix}"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(parts), encoding="utf-8")
    return words


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds that some work takes: by the clock, and of a processor (others on the machine do not count)."""
    begun, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - begun, time.process_time() - used


def main() -> None:
    """Make, index, search; print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=5_000)
    parser.add_argument("--bytes", type=int, default=20_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "documents"
        folder.mkdir()
        words = write_documents(folder, given.documents, given.bytes)
        places = read_places({"bench": str(folder)}, "bench", Path(place) / "indexes")
        FOLDERS.use(lambda: places)
        for name in ("first index", "nothing new"):
            clock, processor = timed(lambda: refresh_folder("bench"))
            print(f"{name}: {clock:.2f} s, {processor:.2f} s of a processor")
        size = (Path(place) / "indexes" / "bench.sqlite3").stat().st_size
        print(f"size of the index: {size / 1e6:.0f} MB")
        chance = random.Random(8)
        for name, pool in (("common", words[:50]), ("middling", words[50:3_000]), ("rare", words[3_000:])):
            asked = [" ".join(chance.sample(pool, 6)) for _ in range(20)]
            taken = [timed(partial(folder_search, query, ctx=ToolContext())) for query in asked]
            clock, processor = (statistics.median(one) * 1000 for one in zip(*taken, strict=True))
            print(f"search for six {name} words: median {clock:.0f} ms, {processor:.0f} ms of a processor")


if __name__ == "__main__":
    main()
