"""What a browser is called on the page of one's own sessions."""

import pytest

from runner.views.browser_words import browser_words

CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36"


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (CHROME, "Chrome on Linux"),
        (CHROME + " Edg/149.0", "Edge on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0", "Firefox on Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Linux; Android 17) Chrome/149.0 Mobile Safari/537.36", "Chrome on Android"),
        ("curl/8.9", "curl/8.9"),
        ("", "unknown"),
        ("x" * 500, "x" * 60),
    ],
)
def test_a_browser_is_told_by_name_and_system(agent: str, words: str) -> None:
    assert browser_words(agent) == words
