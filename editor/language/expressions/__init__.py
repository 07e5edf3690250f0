"""The safe language of conditions, values and templates. Only the names below are for others to use."""

from editor.language.expressions.errors import FUNCTIONS, ExpressionError, TemplateError
from editor.language.expressions.expression import Expression, compile_expression, evaluate
from editor.language.expressions.static import Read
from editor.language.expressions.templates import Template, compile_template, compile_text, template_problems
from editor.language.expressions.values import UNDEFINED, Undefined, to_json, to_text, truthy

__all__ = [
    "FUNCTIONS",
    "UNDEFINED",
    "Expression",
    "ExpressionError",
    "Read",
    "Template",
    "TemplateError",
    "Undefined",
    "compile_expression",
    "compile_template",
    "compile_text",
    "evaluate",
    "template_problems",
    "to_json",
    "to_text",
    "truthy",
]
