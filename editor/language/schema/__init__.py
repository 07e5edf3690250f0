"""JSON to definition and back, hashes, JSON Schema of documents. Rules across nodes are validation's."""

from editor.language.schema.document_schema import config_json_schema, document_json_schema
from editor.language.schema.hashes import content_hash, logic_hash, node_logics, structure_hash
from editor.language.schema.reading import DocumentLimits, ParsedDocument, parse_document
from editor.language.schema.writing import document_text, to_json

__all__ = [
    "DocumentLimits",
    "ParsedDocument",
    "config_json_schema",
    "content_hash",
    "document_json_schema",
    "document_text",
    "logic_hash",
    "node_logics",
    "parse_document",
    "structure_hash",
    "to_json",
]
