"""Small documents that the tests of pages run."""

from __future__ import annotations

from typing import Any

INPUTS: dict[str, Any] = {
    "id": "inputs",
    "name": "All inputs",
    "inputs": [
        {"name": "title", "type": "short_text", "required": True, "description": "What it is about"},
        {"name": "notes", "type": "long_text"},
        {"name": "amount", "type": "number", "default": 12.5},
        {"name": "count", "type": "integer"},
        {"name": "urgent", "type": "boolean"},
        {"name": "colour", "type": "choice", "options": ["red", "green"]},
        {"name": "due", "type": "date"},
        {"name": "settings", "type": "object"},
        {"name": "tags", "type": "list"},
        {"name": "secret", "type": "short_text", "sensitive": True},
    ],
    "presets": [{"id": "quick", "name": "Quick", "policy": {"max_steps": 5}}, {"id": "deep", "policy": {}}],
    "nodes": [{"id": "done", "type": "return", "config": {"value": "{{title}}"}}],
}

CAUGHT: dict[str, Any] = {
    "id": "caught",
    "name": "A caught failure",
    "nodes": [
        {"id": "boom", "type": "throw", "config": {"message": "no luck", "code": "no_luck"}},
        {"id": "mend", "type": "transform", "config": {"fields": {"mended": True}}},
    ],
    "edges": [{"source": "boom", "target": "mend", "on": "error"}],
}

FAILS: dict[str, Any] = {
    "id": "fails",
    "name": "A failure",
    "nodes": [
        {"id": "first", "type": "transform", "config": {"fields": {"ok": True}}},
        {"id": "boom", "type": "throw", "config": {"message": "no <b>luck</b>", "details": {"why": "fate"}}},
    ],
    "edges": [{"source": "first", "target": "boom"}],
}

ASKS: dict[str, Any] = {
    "id": "asks",
    "name": "A question",
    "inputs": [{"name": "title", "type": "short_text", "default": "Go on?"}],
    "nodes": [
        {"id": "before", "type": "transform", "config": {"fields": {"ok": True}}},
        {
            "id": "ask",
            "type": "approval",
            "config": {
                "title": "{{title}}",
                "instructions": "Look twice.",
                "form": {
                    "type": "object",
                    "required": ["grade"],
                    "properties": {
                        "grade": {"type": "string", "enum": ["good", "poor"], "title": "Grade"},
                        "sure": {"type": "boolean"},
                        "score": {"type": "integer", "minimum": 0, "maximum": 10},
                        "more": {"type": "object"},
                    },
                },
            },
            "output_variable": "answer",
        },
        {"id": "end", "type": "end", "config": {"value": "{{answer}}"}},
    ],
    "edges": [{"source": "before", "target": "ask"}, {"source": "ask", "target": "end"}],
}

WAITS: dict[str, Any] = {
    "id": "waits",
    "name": "A wait",
    "nodes": [{"id": "hold", "type": "wait", "config": {"signal": "go"}}],
}

LARGE: dict[str, Any] = {
    "id": "large",
    "name": "A large value",
    "inputs": [{"name": "items", "type": "list", "default": []}, {"name": "word", "type": "short_text", "default": ""}],
    "nodes": [
        {"id": "keep", "type": "transform", "config": {"fields": {"items": "{{items}}", "word": "{{word}}"}}},
        {
            "id": "write",
            "type": "artifact",
            "config": {"artifact": "page", "content": "<script>alert(1)</script> {{word}}", "filename": "page.html"},
        },
    ],
    "edges": [{"source": "keep", "target": "write"}],
    "artifacts": [{"id": "page", "type": "html"}],
}

PAYS: dict[str, Any] = {
    "id": "pays",
    "name": "A payment",
    "inputs": [{"name": "vendor", "type": "short_text", "default": "ACME"}],
    "permissions": {"rules": [{"tool": "pay_*", "effect": "ask", "editable": True}]},
    "nodes": [
        {
            "id": "pay",
            "type": "tool_call",
            "name": "Pay the vendor",
            "config": {
                "tool": "pay_invoice",
                "arguments": {
                    "invoice_number": "A-1",
                    "vendor": "{{vendor}}",
                    "iban": "DE89370400440532013000",
                    "currency": "EUR",
                    "amount": 900,
                    "review_above": 100,
                },
            },
        }
    ],
}

SECRET: dict[str, Any] = {
    "id": "secret",
    "inputs": [{"name": "token", "type": "short_text", "required": True, "sensitive": True}],
    "nodes": [
        {"id": "use", "type": "transform", "config": {"fields": {"key": "{{token}}"}}, "output_variable": "made"},
        {"id": "plain", "type": "transform", "config": {"fields": {"n": 1}}},
    ],
    "edges": [{"source": "use", "target": "plain"}],
}

CHILD: dict[str, Any] = {
    "id": "child",
    "nodes": [{"id": "hold", "type": "wait", "config": {"signal": "go"}}],
}

PARENT: dict[str, Any] = {
    "id": "parent",
    "nodes": [{"id": "call", "type": "subflow", "config": {"flow": "child", "version": 1}}],
}

MANY: dict[str, Any] = {
    "id": "many",
    "nodes": [
        {"id": "all", "type": "for_each", "config": {"items": [{"n": n} for n in range(220)]}},
        {"id": "one", "type": "transform", "parent": "all", "config": {"fields": {"n": "{{item.n}}"}}},
    ],
}
