"""Translate the flags of a command to those of another release.

Each release lists its flags itself (`--help-hidden`). A flag that it does not know is looked up in
the renames that the compiler's profile lists, and then by its description: flags with equal
descriptions are the same.
"""

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from oracles import Limits, run_process
from oracles.profiles import RenamedFlags, renames_of
from reducer.toolchain.model import installed

Known = Mapping[str, str]
"""The flags of one release, with two dashes, and their descriptions."""

_HELP_SECONDS = 60.0
_DEEPEST = 6  # spaces before the flag of a pass; its options are further to the right
_CHOICE = re.compile(r" +=(\S+) +- ")
_FLAG = re.compile(
    r"--?(?P<name>[A-Za-z][\w.-]*)(?P<value>\[?[= ]\[?(?P<kind><[^>]*>|\{[^}]*\}|[^\s=\]]+)[\]>]*)?"
)
_DESCRIPTION = re.compile(r" +-(?: +|$)|  +")
_ALIAS = re.compile(r"[Aa]lias for --?([\w.-]+)$")


@dataclass(frozen=True)
class Translation:
    """The words of a command for one release, as many as before.

    `renamed` are pairs of old and new names; `unknown` are the positions of words that the release
    does not know, which are left unchanged.
    """

    words: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...] = ()
    unknown: tuple[int, ...] = ()


@dataclass
class Flag:
    """A flag as a tool's help lists it, or an option of a pass.

    Attributes:
        name: its name, without dashes; of an alias, that of the flag that it stands for.
        kind: what its value is, as the help spells it (`uint`, `string`, `filename`); '' if none.
        optional: whether the value may be left out.
        choices: the values that the help lists.
        purpose: what the help says about it.
        options: the options of a pass.
    """

    name: str
    kind: str = ""
    optional: bool = True
    choices: set[str] = field(default_factory=set)
    purpose: str = ""
    options: dict[str, "Flag"] = field(default_factory=dict)


def flags_of(executable: Path) -> dict[str, str]:
    """The flags in a tool's help; empty if it has no `--help-hidden`."""
    return read_help(_help(executable, "--help-hidden"))


@cache
def typed_flags(executable: Path) -> dict[str, Flag]:
    """The flags in a tool's help, with what they take; empty if it has none."""
    return read_flags(_help(executable, "--help-hidden") or _help(executable, "--help"))


def _help(executable: Path, flag: str) -> str:
    with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
        result = run_process(
            [str(executable), flag], cwd=Path(folder), limits=Limits(_HELP_SECONDS)
        )
    return result.stdout if result.exit_code == 0 else ""


def read_flags(text: str) -> dict[str, Flag]:
    """The flags in the help text of a tool that LLVM's library or Python's reads the flags of.

    >>> flags = read_flags("  --as=<value>  - How\\n    =a  - So\\n  -o FILE, --out FILE  Where")
    >>> [(flag.kind, *flag.choices) for flag in flags.values()]
    [('value', 'a'), ('FILE',), ('FILE',)]
    """
    flags: dict[str, Flag] = {}
    last = owner = Flag("")
    for line in text.splitlines():
        if choice := _CHOICE.match(line):
            last.choices.add(choice[1])
        if not (line := line.expandtabs()).lstrip().startswith("-"):
            continue
        nested = len(line) - len(line.lstrip()) > _DEEPEST
        head, *told = _DESCRIPTION.split(line.strip(), maxsplit=1)
        for part in head.split(", "):
            if (one := _FLAG.fullmatch(part)) is None:
                continue
            last = _added(owner.options if nested else flags, one, "".join(told))
            owner = owner if nested else last
    for flag in [*flags.values()]:
        if (alias := _ALIAS.match(flag.purpose)) and (meant := flags.get(alias[1])):
            flags[flag.name] = replace(meant, purpose=f"{flag.purpose}: {meant.purpose}")
    return flags


def _added(flags: dict[str, Flag], match: re.Match[str], purpose: str) -> Flag:
    """The flag of an entry; what is listed in several forms takes what any of them takes."""
    kind = (match["kind"] or "").strip("<>{}[]")
    flag = flags.setdefault(match["name"], Flag(match["name"], kind, not kind, set(), purpose))
    flag.kind = flag.kind or kind
    flag.optional |= not kind or match["value"].startswith("[")
    if re.search(r"[|,]", kind):
        flag.choices |= set(re.split(r"[|,]", kind))
    return flag


def read_help(text: str) -> dict[str, str]:
    """Parse the flags in the help text of an LLVM tool.

    >>> read_help("  --iree-x=<string>   - Does x.\\n    =a  -  One way\\n  -o <file> - Output")
    {'--iree-x': 'Does x.', '--o': 'Output'}
    """
    flags = read_flags(text).items()
    return {f"--{name}": " ".join(flag.purpose.split()) for name, flag in flags}


def known_elsewhere(executable: Path, flag: str) -> str:
    """Which installed releases know a flag that this one refuses, and what it calls it; or ''."""
    releases = [one for one in installed() if one.has(executable.name)]
    own = next((one for one in releases if executable.is_relative_to(one.root)), None)
    offers = {one.version: flags_of(one.tool(executable.name)) for one in releases} if own else {}
    name = f"--{flag.lstrip('-')}"
    knowing = [version for version, flags in offers.items() if name in flags]
    if own is None or not knowing or own.version in knowing:
        return ""
    said = f"{flag} is known to the installed {', '.join(knowing)}"
    renamed = translate((executable.name, name), offers[own.version], offers[knowing[-1]]).renamed
    return f"{said}; {own.version} calls it {renamed[0][1]}" if renamed else said


def translate(words: Sequence[str], accepted: Known, described: Known | None = None) -> Translation:
    """Translate a command (its program first) for a release that has the flags `accepted`.

    `described` are the flags of a release on which the command is known to work. If `accepted` is
    empty, because the release does not list its flags, the words are left unchanged.
    """
    if not accepted:
        return Translation(tuple(words))
    renames = renames_of(words[0])
    translated = list(words[:1])
    renamed: list[tuple[str, str]] = []
    unknown: list[int] = []
    for number, word in enumerate(words[1:], 1):
        name, equals, value = word.partition("=")
        flag = _flag(name)
        if flag is None or flag in accepted:
            translated.append(word)
            continue
        other = _other_name(flag, renames, accepted, described or {})
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
    flag: str, renames: Sequence[RenamedFlags], accepted: Known, described: Known
) -> str | None:
    groups = [group for one in renames for group in one.names]
    names = [name for group in groups if flag in group for name in group]
    for old, new in (family for one in renames for family in one.families):
        for before, after in ((old, new), (new, old)):
            if flag.startswith(before):
                names.append(after + flag.removeprefix(before))
    if found := next((name for name in names if name in accepted), None):
        return found
    purpose = described.get(flag)
    if not purpose:
        return None
    same = [name for name, text in accepted.items() if text == purpose and name not in described]
    return same[0] if len(same) == 1 else None
