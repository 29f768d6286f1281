"""What a page about one reduction is made from."""

from dataclasses import dataclass
from pathlib import Path

from reducer.ir import GenericSyntaxError, Module
from reducer.session.files import read_input
from reducer.session.history import History
from reducer.session.pass_level import pass_output
from reducer.session.reading import reading


@dataclass(frozen=True)
class ReductionFacts:
    """One reduction.

    Attributes:
        name: the result's file name.
        text: the result as it lies on disk, comments included.
        history: how it came about.
        original: the input in generic form, None where it has none.
        final: the result likewise, from before its names were made short.
        pass_name, pass_text: the reproducer at the level of the failing pass, '' if there is none.
    """

    name: str
    text: str
    history: History
    original: Module | None = None
    final: Module | None = None
    pass_name: str = ""
    pass_text: str = ""


def default_journal_of(result: Path) -> Path:
    """model.reduced.mlir -> model.reduced.journal"""
    return result.with_name(f"{result.name.removesuffix('.mlir')}.journal")


def read_reduction(result: Path, journal: Path | None = None) -> ReductionFacts:
    """The facts about a result, from its journal (the one beside it by default).

    Raises:
        ReducerError: one of both cannot be read; see `read_input` and `reading`.
    """
    text = read_input(result).text
    with reading(journal or default_journal_of(result)) as reader:
        history = reader.history()
        original = reader.module(history.generic)
    below = pass_output(result)
    found = below.is_file()
    return ReductionFacts(
        name=result.name,
        text=text,
        history=history,
        original=original,
        final=_module(history.final),
        pass_name=below.name if found else "",
        pass_text=read_input(below).text if found else "",
    )


def _module(text: str) -> Module | None:
    try:
        return Module.parse(text) if text else None
    except GenericSyntaxError:
        return None
