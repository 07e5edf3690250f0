"""Searching and reading folders of documents: the tools `folder_search` and `folder_read`, without key or network.

They are what the roles `search` and `reader` are bound to unless the settings bind other tools. A tool that takes
such a role takes the same arguments and gives the same result; more keys are welcome.

`folder_search` (role `search`), arguments `{query, limit?: 1..50 = 10, folder?, since?: YYYY-MM-DD}`:

    {"results": [{"source": "howto/tools.md",   what `folder_read` takes
                  "title": "Write a tool",      of the document
                  "heading": "A handler",       headings above the passage, outermost first, joined by " › "; or ""
                  "modified": "2026-11-30", "modified_from": "front_matter" | "html_meta" | "pdf_info" | "file",
                  "passage": "A tool gets …",   verbatim
                  "start": 5120, "end": 5840,   letters (code points) of the text that `folder_read` gives
                  "digest": "<sha256>",         of the file's bytes: the same digest, the same text
                  "score": 7.25,                best first; comparable within one answer alone
                  "coverage": 0.66}],           share of the question's words that passage, headings, title or source
                                                have, rare words weighing more; a word that no document has counts too
     "folder": "docs", "documents": 41}

`folder_read` (role `reader`), arguments `{source, folder?}`:

    {"source", "title", "text", "modified", "modified_from", "digest",
     "characters": 5840,                        letters of the whole document; of a truncated one at least so many
     "truncated": false}                        whether `text` is only its beginning (400,000 letters)

`text[start:end] == passage` for every result, as long as the file is what it was (`digest`).

`folder` is the name of a folder of the settings, or such a name and a folder inside it: `docs/howto`; left out, it is
the site's default folder. A source is relative to the named folder, whichever folder inside it was asked for. Errors
are ToolErrors: `unknown_folder`, `not_found` (no such document), `document_refused` (hidden, a link, too large, no
text). Same files and arguments, same bytes. A query without words gives no results.
"""

from runner.tools.folder.places import FOLDERS
from runner.tools.folder.tools import folder_read, folder_search, refresh_folder

__all__ = ["FOLDERS", "folder_read", "folder_search", "refresh_folder"]
