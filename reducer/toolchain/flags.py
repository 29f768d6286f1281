"""Translate the flags of a command to those of another release.

Each release lists its flags itself (`--help-hidden`). A flag that it does not know is looked up in
the renames that the compiler's profile lists, and then by its description: flags with equal
descriptions are the same.
"""

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from oracles import Limits, run_process
from oracles.profiles import RenamedFlags, renames_of

Known = Mapping[str, str]
"""The flags of one release, with two dashes, and their descriptions."""

_HELP_SECONDS = 60.0
_ENTRY = re.compile(r"^ +--?(?P<name>[A-Za-z][\w.-]*)(?P<rest>[^\n]*)$", re.M)


@dataclass(frozen=True)
class Translation:
    """The words of a command for one release, as many as before.

    `renamed` are pairs of old and new names; `unknown` are the positions of words that the release
    does not know, which are left unchanged.
    """

    words: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...] = ()
    unknown: tuple[int, ...] = ()


def flags_of(executable: Path) -> dict[str, str]:
    """The flags in a tool's help; empty if it has no `--help-hidden`."""
    with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
        words = [str(executable), "--help-hidden"]
        result = run_process(words, cwd=Path(folder), limits=Limits(_HELP_SECONDS))
    return read_help(result.stdout) if result.exit_code == 0 else {}


def read_help(text: str) -> dict[str, str]:
    """Parse the flags in the help text of an LLVM tool.

    >>> read_help("  --iree-x=<string>   - Does x.\\n    =a  -  One way\\n  -o <file> - Output")
    {'--iree-x': 'Does x.', '--o': 'Output'}
    """
    flags: dict[str, str] = {}
    for entry in _ENTRY.finditer(text):
        told = re.split(r"(?:^| ) *- ", entry["rest"], maxsplit=1)
        flags.setdefault(f"--{entry['name']}", " ".join(told[-1].split()) if told[1:] else "")
    return flags


def translate(words: Sequence[str], known: Known, described: Known | None = None) -> Translation:
    """Translate a command (its program first) for a release that has the flags `known`.

    `described` are the flags of a release on which the command is known to work. If `known` is
    empty, because the release does not list its flags, the words are left unchanged.
    """
    if not known:
        return Translation(tuple(words))
    renames = renames_of(words[0])
    translated = list(words[:1])
    renamed: list[tuple[str, str]] = []
    unknown: list[int] = []
    for number, word in enumerate(words[1:], 1):
        name, equals, value = word.partition("=")
        flag = _flag(name)
        if flag is None or flag in known:
            translated.append(word)
            continue
        other = _other_name(flag, renames, known, described or {})
        if other is None:
            unknown.append(number)
            translated.append(word)
        else:
            renamed.append((name, other))
            translated.append(f"{other}{equals}{value}")
    return Translation(tuple(translated), tuple(renamed), tuple(unknown))


def _flag(name: str) -> str | None:
    """The flag with two dashes; None if the word is not a flag."""
    match = re.fullmatch(r"--?([A-Za-z][\w.-]*)", name)
    return f"--{match[1]}" if match else None


def _other_name(
    flag: str, renames: Sequence[RenamedFlags], known: Known, described: Known
) -> str | None:
    groups = [group for one in renames for group in one.names]
    names = [name for group in groups if flag in group for name in group]
    for old, new in (family for one in renames for family in one.families):
        for before, after in ((old, new), (new, old)):
            if flag.startswith(before):
                names.append(after + flag.removeprefix(before))
    if found := next((name for name in names if name in known), None):
        return found
    purpose = described.get(flag)
    if not purpose:
        return None
    same = [name for name, text in known.items() if text == purpose and name not in described]
    return same[0] if len(same) == 1 else None
