"""Rows of what is written down: flows, drafts, versions, who they are shared with, keys, the audit. Services write."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar, NoReturn, Self, TypeVar

from django.conf import settings
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models.functions import Now

from editor.language.definition import Definition
from editor.language.errors import LanguageError
from editor.language.schema import parse_document
from editor.visibility import flows_rule, versions_rule

M = TypeVar("M", bound=models.Model, covariant=True)


class AppendOnlyError(LanguageError):
    """A row that is only ever added was to be changed or deleted."""

    def __init__(self, what: str) -> None:
        super().__init__("permission_denied", f"{what} is never changed or deleted. Add a new one instead.")


class AppendOnlyQuerySet(models.QuerySet[M]):
    """Refuses what would change rows. The database refuses it too, by triggers."""

    def update(self, **_: Any) -> NoReturn:
        raise AppendOnlyError(self.model.__name__)

    def delete(self) -> NoReturn:
        raise AppendOnlyError(self.model.__name__)

    def bulk_update(self, *_: Any, **__: Any) -> NoReturn:
        raise AppendOnlyError(self.model.__name__)


class AppendOnly(models.Model):
    """A row that is written once."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnlyError(f"{type(self).__name__} {self.pk}")
        super().save(*args, **kwargs)

    def delete(self, *_: Any, **__: Any) -> NoReturn:
        raise AppendOnlyError(f"{type(self).__name__} {self.pk}")


class FlowQuerySet(models.QuerySet["Flow"]):
    """Questions about flows."""

    def visible_to(self, user: Any) -> Self:
        """Flows that a user may see."""
        return self.filter(flows_rule(user))

    def in_use(self) -> Self:
        """Flows that are not archived."""
        return self.filter(archived_at__isnull=True)


class Flow(models.Model):
    """A flow: what an analyst owns. It has one draft, and versions once it is published."""

    id = models.CharField(primary_key=True, max_length=63)
    name = models.CharField(max_length=200, blank=True, default="")
    description = models.TextField(blank=True, default="")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="flows"
    )
    last_number = models.PositiveIntegerField(default=0)
    """Number of the newest version; publishing raises it, so that no number is given twice."""
    is_restricted = models.BooleanField(default=False, db_default=False)
    """Only for its owner, admins and those it is shared with; else for the team, as roles say."""
    review_person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    review_group = models.ForeignKey(
        "auth.Group", null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    needs_review = models.BooleanField(default=False, db_default=False)
    """Whether a version is published only after `review_person`, or one of `review_group`, has approved it."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    archived_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[FlowQuerySet] = FlowQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        indexes = [
            models.Index(fields=["name", "id"], name="flow_by_name"),
            models.Index(fields=["id"], condition=models.Q(is_restricted=True), name="flow_restricted"),
        ]

    def __str__(self) -> str:
        return self.name or self.id


class FlowGrant(models.Model):
    """What a flow is shared for with one person or one group: names of rights, besides seeing it."""

    flow = models.ForeignKey(Flow, on_delete=models.CASCADE, related_name="grants", db_index=False)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    group = models.ForeignKey("auth.Group", null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    rights = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(person__isnull=True) ^ models.Q(group__isnull=True), name="grant_is_to_one"
            ),
            models.UniqueConstraint(fields=["flow", "person"], name="grant_to_person_once"),
            models.UniqueConstraint(fields=["flow", "group"], name="grant_to_group_once"),
        ]

    def __str__(self) -> str:
        return f"{self.flow_id} for {self.person or self.group}"


class Draft(models.Model):
    """The one editable copy of a flow's document, as its author wrote it. `revision` rises with each save."""

    flow = models.OneToOneField(Flow, primary_key=True, on_delete=models.CASCADE, related_name="draft")
    revision = models.PositiveIntegerField(default=1)
    document = models.TextField()
    updated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    updated_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return f"draft of {self.flow_id}"


class KeptTest(models.Model):
    """A flow test that people keep with a flow: a flow-test file without its `flow`, which is the draft.

    `revision` rises with each save; it is the test's own, and no part of any version. `made_of`: the run that it was
    recorded from, which may be gone.
    """

    flow = models.ForeignKey(Flow, on_delete=models.CASCADE, related_name="tests", db_index=False)
    name = models.CharField(max_length=200)
    content = models.TextField()
    revision = models.PositiveIntegerField(default=1)
    made_of = models.CharField(max_length=32, blank=True, default="")
    updated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    updated_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["flow", "name"], name="kept_test_by_name")]

    def __str__(self) -> str:
        return f"{self.flow_id}: {self.name}"


class PinnedOutput(models.Model):
    """An output kept for a node of a draft, for tries: it takes the place of the node's work.

    It stands beside the document and is no part of any version: `node` is an id in it, which may be gone by now.
    `output` is JSON; `writes`: JSON of further state keys that the node sets, or empty. `run`: where it came from.
    """

    class Source(models.TextChoices):
        RUN = "run"
        TRY = "try"
        TYPED = "typed"

    flow = models.ForeignKey(Flow, on_delete=models.CASCADE, related_name="pins", db_index=False)
    node = models.CharField(max_length=63)
    node_name = models.CharField(max_length=200, blank=True, default="")
    output = models.TextField()
    writes = models.TextField(blank=True, default="")
    source = models.CharField(max_length=10, choices=Source.choices)
    run = models.CharField(max_length=32, blank=True, default="")
    updated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    updated_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["flow", "node"], name="pin_once_a_node")]

    def __str__(self) -> str:
        return f"{self.flow_id}: {self.node}"


class NodeComment(models.Model):
    """What somebody says about a node of a draft. It stands beside the document: `node` is an id in it, which may be
    gone by now, and `node_name` what the node was called then."""

    flow = models.ForeignKey(Flow, on_delete=models.CASCADE, related_name="comments", db_index=False)
    node = models.CharField(max_length=63)
    node_name = models.CharField(max_length=200, blank=True, default="")
    text = models.TextField()
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    resolved_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["flow", "id"], name="comment_by_flow")]

    def __str__(self) -> str:
        return f"{self.flow_id}: {self.node}"


class VersionReview(models.Model):
    """Somebody was asked to look at a draft before it is published. It counts for this content alone: a draft that
    has another hash needs another review. `closed_at`: since then it waits for nobody any more: who asked has noted
    the decision, or somebody asked anew, or a version was published."""

    class Status(models.TextChoices):
        OPEN = "open"
        APPROVED = "approved"
        DECLINED = "declined"

    flow = models.ForeignKey(Flow, on_delete=models.CASCADE, related_name="reviews", db_index=False)
    content_hash = models.CharField(max_length=80)
    skills_hash = models.CharField(max_length=80, default="")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.OPEN)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    asked_at = models.DateTimeField(db_default=Now(), editable=False)
    note = models.TextField(blank=True, default="")
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    answer = models.TextField(blank=True, default="")
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["flow", "id"], name="review_by_flow"),
            models.Index(fields=["id"], condition=models.Q(closed_at__isnull=True), name="review_unclosed"),
        ]

    def __str__(self) -> str:
        return f"{self.flow_id}: {self.status}"


class FlowVersionQuerySet(AppendOnlyQuerySet["FlowVersion"]):
    """Questions about versions."""

    def visible_to(self, user: Any) -> Self:
        """Versions that a user may see."""
        return self.filter(versions_rule(user))

    def published(self) -> Self:
        """Versions with a number; triggers and sub-flows use only these."""
        return self.filter(kind=FlowVersion.Kind.PUBLISHED)


class FlowVersion(AppendOnly):
    """A frozen document. Published ones have a number; a trial is what ran without being published.

    `flow` is None for a trial of a file. `document` is the text of what `content_hash` covers.
    """

    class Kind(models.TextChoices):
        PUBLISHED = "published"
        TRIAL = "trial"

    flow = models.ForeignKey(Flow, null=True, blank=True, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField(null=True, blank=True)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    document = models.TextField()
    content_hash = models.CharField(max_length=80)
    logic_hash = models.CharField(max_length=80)
    structure_hash = models.CharField(max_length=80)
    skills = models.JSONField(default=dict)
    """What each skill that the document names stood for: `{reference: {name, version, content_hash}}`."""
    skills_hash = models.CharField(max_length=80, default="")
    """Digest of `skills`, empty where it names none: a trial is known by its content and its skills."""
    note = models.TextField(blank=True, default="")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects: ClassVar[FlowVersionQuerySet] = FlowVersionQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["flow", "number"], name="version_number_once"),
            models.UniqueConstraint(
                fields=["content_hash", "skills_hash"],
                condition=models.Q(kind="trial", flow__isnull=True),
                name="trial_of_file_once",
            ),
            models.UniqueConstraint(
                fields=["flow", "content_hash", "skills_hash"],
                condition=models.Q(kind="trial", flow__isnull=False),
                name="trial_of_flow_once",
            ),
            models.CheckConstraint(
                condition=models.Q(kind="trial", number__isnull=True)
                | models.Q(kind="published", number__isnull=False, flow__isnull=False),
                name="only_published_have_numbers",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.flow_id} v{self.number}" if self.number is not None else f"trial {self.content_hash[:15]}"

    def definition(self) -> Definition:
        """Read the document. Raises LanguageError (`flow_invalid`) if this site cannot, such as for want of an app."""
        parsed = parse_document(self.document)
        if parsed.definition is None:
            problems = [found.as_json() for found in parsed.problems]
            told = f"The document of {self} cannot be read here: {parsed.problems[0].message}"
            raise LanguageError("flow_invalid", told, {"problems": problems})
        return parsed.definition


class AuditEntry(AppendOnly):
    """Who changed what, and why. Actors and objects are kept as text, so that an entry outlives both."""

    actor_kind = models.CharField(max_length=10)
    actor_id = models.CharField(max_length=64, blank=True, default="")
    actor_name = models.CharField(max_length=200, blank=True, default="")
    action = models.CharField(max_length=60)
    object_type = models.CharField(max_length=40)
    object_id = models.CharField(max_length=100)
    before = models.JSONField(null=True, blank=True)
    after = models.JSONField(null=True, blank=True)
    reason = models.TextField(blank=True, default="")
    at = models.DateTimeField(db_default=Now(), editable=False)

    objects: ClassVar[AppendOnlyQuerySet[AuditEntry]] = AppendOnlyQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["object_type", "object_id", "id"], name="audit_by_object"),
            models.Index(fields=["at"], name="audit_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.object_type} {self.object_id}"


class Erasure(models.Model):
    """Whose data was erased, by whom and why; what went and what was kept. It is never deleted.

    While it is open, which only the transaction that made it sees, names in audit entries may be replaced.
    """

    person = models.CharField(max_length=64, unique=True)
    pseudonym = models.CharField(max_length=150)
    actor = models.JSONField()
    reason = models.TextField()
    removed = models.JSONField(default=dict)
    kept = models.JSONField(default=dict)
    tokens = models.JSONField(null=True)
    """Ids of the tokens that the account had: what was done with them was done by this person."""
    is_open = models.BooleanField(default=True)
    at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return f"erasure of {self.pseudonym}"


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    """Questions about tokens."""

    def usable(self) -> Self:
        """Tokens that open something: not revoked, not expired, of somebody who is active."""
        unexpired = models.Q(expires_at__isnull=True) | models.Q(expires_at__gt=Now())
        return self.filter(unexpired, revoked_at__isnull=True, owner__is_active=True)


class ApiToken(models.Model):
    """A key with which a program acts for its owner, within `scopes`. Only a digest of its text is kept.

    `prefix` is the part of the text by which people and lists tell tokens apart; it opens nothing.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=12, unique=True)
    digest = models.CharField(max_length=80)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[ApiTokenQuerySet] = ApiTokenQuerySet.as_manager()  # type: ignore[assignment]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


# --- people ---------------------------------------------------------------------------------------------


class BrowserSession(AbstractBaseSession):
    """Somebody's being signed in with one browser. It carries the person, so that all of theirs can be closed."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="browser_sessions"
    )
    browser = models.CharField(max_length=200, blank=True, default="")
    address = models.CharField(max_length=64, blank=True, default="")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    @classmethod
    def get_session_store_class(cls) -> Any:
        """The class that reads and writes these rows."""
        return import_module(settings.SESSION_ENGINE).SessionStore


class SignInCount(models.Model):
    """Wrong passwords in a row for one user name (kept as a digest: people type anything there) or one address."""

    kind = models.CharField(max_length=10)
    who = models.CharField(max_length=64)
    failures = models.PositiveIntegerField(default=0)
    since = models.DateTimeField(db_default=Now())
    locked_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "who"], name="sign_in_count_once")]
        indexes = [models.Index(fields=["since"], name="sign_in_count_by_time")]

    def __str__(self) -> str:
        return f"{self.kind} {self.who}: {self.failures}"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    """Questions about links."""

    def usable(self) -> Self:
        """Links that still open something."""
        return self.filter(used_at__isnull=True, revoked_at__isnull=True, expires_at__gt=Now())


class Invitation(models.Model):
    """A link that works once: for a new person to join with a role, or for `person` to set a new password.

    Only a digest of the link's text is kept.
    """

    digest = models.CharField(max_length=80, unique=True)
    role = models.CharField(max_length=150, blank=True, default="")
    email = models.EmailField(blank=True, default="")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[InvitationQuerySet] = InvitationQuerySet.as_manager()  # type: ignore[assignment]

    def __str__(self) -> str:
        return f"link for {self.person or self.email or self.role}"
