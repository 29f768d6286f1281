"""The headings under which `--help` lists options: the same for every command."""

from collections.abc import Iterable

import click

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Input", ("flags-file", "db", "journal", "yes")),
    (
        "Compiler",
        (
            "iree",
            "bad",
            "good",
            "all",
            "compiler",
            "pre",
            "find-links",
            "runtime",
            "available",
            "tool",
            "allow",
        ),
    ),
    ("Failure to look for", ("match", "ir-after", "signature", "flaky", "test", "bisect")),
    ("Wrong results", ("wrong-results", "reference", "tolerance", "input")),
    ("Numbers", ("metric", "worse-than", "by")),
    ("The same bug elsewhere", ("elsewhere", "profile-with")),
    ("Limits", ("timeout", "memory-limit", "max-calls", "max-seconds", "parts")),
    ("Parallel runs", ("jobs",)),
    ("Continue or start over", ("fresh",)),
    (
        "Result",
        (
            "output",
            "keep",
            "reduce",
            "pass-level",
            "report",
            "add",
            "anonymize",
            "similar",
        ),
    ),
    (
        "Output",
        (
            "state",
            "rejected",
            "json",
            "html",
            "summary",
            "fail-on-new",
            "quiet",
            "verbose",
        ),
    ),
    ("General", ("config", "version", "help")),
)
"""Headings in order, each with the names of its options in order. Others are listed last."""

_OTHERS = "Options"


def name_of(option: click.Option) -> str:
    """The long name of an option without its dashes: `memory-limit`."""
    return max(option.opts, key=len).lstrip("-")


def grouped(options: Iterable[click.Option]) -> list[tuple[str, list[click.Option]]]:
    """The options under their headings, without headings that have none."""
    left = {name_of(option): option for option in options}
    found = [(title, [left.pop(n) for n in names if n in left]) for title, names in GROUPS]
    return [(title, some) for title, some in [*found, (_OTHERS, [*left.values()])] if some]
