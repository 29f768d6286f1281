"""The reducer's IR: MLIR's generic form as an op table with text spans, and edits of it."""

from reducer.ir.document import D, D_contra, Document, PlainText, runs_of
from reducer.ir.module import NONE, Module
from reducer.ir.parser import GenericSyntaxError
from reducer.ir.rewrite import Returned, Rewrite

__all__ = [
    "NONE",
    "D",
    "D_contra",
    "Document",
    "GenericSyntaxError",
    "Module",
    "PlainText",
    "Returned",
    "Rewrite",
    "runs_of",
]
