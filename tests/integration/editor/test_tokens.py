"""Tokens: what is kept of them, what opens, what does not any more."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now

from editor.language.errors import LanguageError
from editor.models import ApiToken, AuditEntry
from editor.tokens import MOST_TOKENS, find_token, make_token, revoke_token, tokens_of


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_user("ada")


def test_the_text_opens_and_is_kept_nowhere(ada: User):
    made = make_token(ada, name=" ci ", scopes=["run", "read"])
    assert made.text.startswith(f"fst_{made.row.prefix}_") and len(made.text) > 50
    assert (made.row.name, made.row.scopes, made.row.expires_at) == ("ci", ["read", "run"], None)
    found = find_token(made.text)
    assert found == made.row and found.owner == ada
    secret = made.text.rpartition("_")[2]
    for model in (ApiToken, AuditEntry):
        assert all(secret not in str(row) for row in model._default_manager.values())
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor_name, entry.object_id) == ("token-make", "ada", str(made.row.pk))
    assert entry.after == {"name": "ci", "prefix": made.row.prefix, "scopes": ["read", "run"], "days": None}


def test_nothing_else_opens(ada: User):
    text = make_token(ada, name="ci", scopes=["read"]).text
    prefix = text.split("_")[1]
    for wrong in ("", text[:-1], text + "x", text.upper(), f"fst_{prefix}_", f"fst_{prefix}", prefix, "x" + text[1:]):
        assert find_token(wrong) is None, wrong


def test_a_revoked_an_expired_and_an_inactive_owners_token_open_nothing(ada: User):
    made = make_token(ada, name="ci", scopes=["read"], days=1)
    assert find_token(made.text) is not None
    ApiToken.objects.filter(pk=made.row.pk).update(expires_at=Now() - timedelta(seconds=1))
    assert find_token(made.text) is None
    ApiToken.objects.filter(pk=made.row.pk).update(expires_at=Now() + timedelta(seconds=60))
    assert find_token(made.text) is not None
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert find_token(made.text) is None
    User.objects.filter(pk=ada.pk).update(is_active=True)
    revoke_token(made.row, by=ada)
    revoke_token(made.row, by=ada)
    assert find_token(made.text) is None and made.row.revoked_at is not None
    assert list(AuditEntry.objects.values_list("action", flat=True)) == ["token-make", "token-revoke"]


def test_a_lifetime_is_counted_by_the_database(ada: User):
    row = make_token(ada, name="ci", scopes=["read"], days=30).row
    assert row.expires_at is not None
    assert timedelta(days=29, hours=23) < row.expires_at - row.created_at < timedelta(days=30, hours=1)


def test_its_use_is_noted_once_a_minute(ada: User, django_assert_num_queries: Any):
    made = make_token(ada, name="ci", scopes=["read"])
    with django_assert_num_queries(2):
        find_token(made.text)
    first = ApiToken.objects.get().last_used_at
    assert first is not None
    with django_assert_num_queries(1):
        find_token(made.text)
    ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
    find_token(made.text)
    assert ApiToken.objects.get().last_used_at > first - timedelta(minutes=1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "  "},
        {"name": "x" * 101},
        {"name": "a\nb"},
        {"scopes": []},
        {"scopes": ["read", "everything"]},
        {"days": 0},
        {"days": 4_000},
    ],
)
def test_what_makes_no_sense_is_refused(ada: User, wrong: dict[str, Any]):
    with pytest.raises(LanguageError) as caught:
        make_token(ada, **({"name": "ci", "scopes": ["read"]} | wrong))
    assert caught.value.code == "validation_failed"
    assert not ApiToken.objects.exists() and not AuditEntry.objects.exists()


def test_nobody_has_too_many(ada: User):
    rows = [make_token(ada, name=f"t{number}", scopes=["read"]).row for number in range(MOST_TOKENS)]
    with pytest.raises(LanguageError, match="Revoke one"):
        make_token(ada, name="more", scopes=["read"])
    revoke_token(rows[0], by=ada)
    newest = make_token(ada, name="more", scopes=["read"]).row
    assert [tokens_of(ada)[0], tokens_of(ada)[-1]] == [newest, rows[0]]
