"""Why each check is made: a reason and an example, wrong and right. The checks themselves are in validation."""

from editor.language.explanations.all import EXAMPLE_SITE, EXPLANATIONS, explanation_of
from editor.language.explanations.explanation import Explanation

__all__ = ["EXAMPLE_SITE", "EXPLANATIONS", "Explanation", "explanation_of"]
