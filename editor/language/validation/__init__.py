"""All checks of a document at publication. Each file holds the checks of one idea; reading is schema's."""

from editor.language.validation.checks import check

__all__ = ["check"]
