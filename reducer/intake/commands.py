"""Find the commands of compilers in any text: a stack dump, a lit test, a CI log, an issue."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import PurePath

from oracles.profiles import DEFAULT, PROFILES, RELEASES
from reducer.intake.allowed import FILE
from reducer.intake.stages import PIPE, NotOnePipeline, entry_of, is_runner, joined, split_line
from reducer.toolchain.model import checked_version

_TOOL = re.compile(r"(?<![\w.+-])[\w.+-]*-(?:opt|compile|translate)(?:-\d+)?")
_WORD = re.compile(
    r"(?<![\w.+-])(?:[^\s`'\"|;&<>]*/)?[\w.+-]*-(?:opt|compile|translate)(?:-\d+)?(?=[\s`\"']|$)"
)
_FRAME = re.compile(r"\((\S+)\+0x[0-9a-f]+\)")
_PROJECT = re.compile(r"share the reproducer above with (\w+) project")
_DUMPED = re.compile(r"^.*?\bProgram arguments:\s*", re.M)
_RUN = re.compile(r"^\s*(?://|#|;)\s*RUN:\s*", re.M)
_OPERATORS = "|;&<>"
_HARMLESS = re.compile(r"2 >& 1|2 > /dev/null|< (?:%s|-)")
_WINDOWS_PATH = re.compile(r"\b[A-Za-z]:(?:\\[^\\\s\"\'|<>]+)+")
_PROMPT = re.compile(r"(?:[$+>%#]+\s+)?`?$")
_VARIABLES = re.compile(r"(?:(?<![A-Za-z_])[A-Za-z_]\w*=\S*[ \t]+)+$")
_OUTPUT = re.compile(r"--?o(?:=.*)?$", re.S)
_NUMBER = r"(\d{1,2}\.\d{1,2}(?:\.\d+)?(?:rc\d+)?)(?![\w.]*\w)"
_BEFORE_IT = r"(?:[ \t:=(),@|`'\"*v-]|compiler|release|version)*"
_NAMES = "|".join(map(re.escape, (DEFAULT.name, *RELEASES.tools, RELEASES.compiler_package)))
_RELEASE = re.compile(rf"\b(?:{_NAMES})\b{_BEFORE_IT}{_NUMBER}", re.I)
_UNDER_HEADING = re.compile(
    rf"^#+ *Version\b[^\n]*\s+(?:{_NAMES})?{_BEFORE_IT}{_NUMBER}", re.I | re.M
)
_INPUT_NAME = re.compile(r"[^(){}=@|;&<>][^(){}=|;&<>]*")

TEST_ITSELF = "%s"
"""What stands for the test in the commands of a lit test."""


@dataclass(frozen=True)
class FoundCommand:
    """A command in a text.

    Attributes:
        words: the base name of a known compiler, its flags, and `{}` for the input; the same for
            each stage of a pipeline that cannot be told as one command without running the tool.
        input: the input as the text names it; '' if it names none (or standard input).
        rank: how sure it is that this is the command, 0 for certain.
        entry: the function of what it makes that is run after that, if one is.
        left_out: what else the text has run there: variables, redirections, other commands.
    """

    words: tuple[str, ...]
    input: str
    rank: int
    entry: str | None = None
    left_out: tuple[str, ...] = field(default=(), compare=False)


def is_compiler(program: str) -> bool:
    """Whether a program is one that may be run because a text names it: by its base name only."""
    name = PurePath(program).name
    return _TOOL.fullmatch(name) is not None or any(profile.has(name) for profile in PROFILES)


def commands_in(text: str) -> list[FoundCommand]:
    """All commands of known compilers in a text, the surest first, each once."""
    found = sorted(_all(_joined(text)), key=lambda command: command.rank)
    best = [one for one in found if one.rank == found[0].rank] if found else []
    return list(dict.fromkeys(best))


def tools_in(text: str) -> list[str]:
    """The compilers that a text speaks of without a command: in a stack, or by their project."""
    names = [PurePath(match[1]).name for match in _FRAME.finditer(text)]
    names += [f"{match[1].lower()}-opt" for match in _PROJECT.finditer(text)]
    return [name for name in dict.fromkeys(names) if is_compiler(name)]


def releases_in(text: str) -> list[str]:
    """The releases of the default compiler that a text names; those under its heading if any.

    >>> releases_in("Fine in IREE 3.7.1.\\n### Version information\\n\\nIREE compiler v3.8.0 (pip)")
    ['3.8.0']
    """
    headed = _UNDER_HEADING.findall(text)
    found = headed or _RELEASE.findall(text)
    return list(dict.fromkeys(map(checked_version, found)))


def _joined(text: str) -> str:
    """The text with continued lines joined; in a lit test, the next line has its own RUN."""
    return re.sub(r"\\[ \t]*\n(?:\s*(?://|#|;)\s*RUN:)?\s*", " ", text)


def _with_slashes(line: str) -> str:
    """A line with the paths and programs of Windows spelled as elsewhere."""
    return _WINDOWS_PATH.sub(lambda match: match[0].replace("\\", "/"), line).replace(".exe", "")


def _all(text: str) -> Iterator[FoundCommand]:
    for line in map(_with_slashes, text.splitlines()):
        if "/include/" in line or re.match(r"\s*#\d+ ", line):
            continue  # a frame of a stack
        dumped, run = _DUMPED.match(line), _RUN.match(line)
        start = (dumped or run).end() if dumped or run else 0  # type: ignore[union-attr]
        word = _WORD.search(line, start)
        if word is None or not is_compiler(word[0]):
            continue
        quoted = line[word.start() - 1 : word.start()] == "`"
        in_quotes = line[word.start() - 1 : word.start()] in ('"', "'")  # as lit prints a command
        rest = line[word.start() - in_quotes :]
        rest = rest.split("`", 1)[0] if quoted else rest
        command = _command(rest, prose=not (dumped or run))
        if command is None:
            continue
        before = line[start : word.start() - in_quotes]
        variables = _VARIABLES.search(before)
        before = before[: variables.start()] if variables else before
        starts = quoted or _PROMPT.search(before) is not None
        rank = 0 if dumped or run else 1 if starts and command.input else 2
        left_out = (*(variables[0].split() if variables else ()), *command.left_out)
        yield replace(command, rank=rank, left_out=left_out)


def _command(text: str, *, prose: bool) -> FoundCommand | None:
    """The command at the start of a text; None if it has neither flags nor an input."""
    stages, ended_by = _stages(text)
    if not stages:
        return None
    first = PurePath(stages[0][0]).name
    same = list(takewhile(lambda stage: PurePath(stage[0]).name == first, stages))
    following = stages[len(same) : len(same) + 1]
    entry = next((entry_of(stage) for stage in following if is_runner(stage[0])), None)
    try:
        words = joined(same)
    except NotOnePipeline:
        words, same = same[0], same[:1]
    left_out = [" ".join((PIPE, *stage)) for stage in stages[len(same) :]]
    left_out += [" ".join(ended_by)] * bool(ended_by)
    kept = [first]
    rest = iter(words[1:])
    for word in rest:
        if word == PIPE:
            kept += [PIPE, first]
            next(rest)
        elif _OUTPUT.match(word):
            left_out.append(word if "=" in word else f"{word} {next(rest, '')}")
        elif (word.startswith("-") and len(word) > 1) or _may_be_input(word) or not prose:
            kept.append(word)
        elif kept[-1].startswith("-") and "=" not in kept[-1]:
            kept.append(word)  # maybe the value of that flag
        else:
            left_out.append(" ".join((word, *rest)))
    end = kept.index(PIPE) if PIPE in kept else len(kept)  # of the stage that reads the input
    inputs = [number for number in range(1, end) if _may_be_input(kept[number])]
    source = next((n for n in reversed(inputs) if ".mlir" in kept[n]), inputs[-1] if inputs else 0)
    if len(kept) == 1:
        return None
    named = kept[source] if source and kept[source] not in ("-", FILE) else ""
    flags = (kept[n] for n in range(1, end) if n != source and kept[n] not in ("-", FILE))
    return FoundCommand((first, *flags, FILE, *kept[end:]), named, 0, entry, tuple(left_out))


def _may_be_input(word: str) -> bool:
    """Whether a word of a command may name what is compiled."""
    if word in ("-", FILE, TEST_ITSELF):
        return True
    return ("." in word or "/" in word) and _INPUT_NAME.fullmatch(word) is not None


def _stages(text: str) -> tuple[list[list[str]], list[str]]:
    """The words of commands that hand on their output, up to a redirection or the end of a command.

    Quotes that are not closed end them as well. Returns what follows that end, too.
    """
    stages: list[list[str]] = [[]]
    after: list[str] = []
    try:
        for word in split_line(text, _OPERATORS):
            if after:
                after.append(word)
            elif word == PIPE and stages[-1]:
                stages.append([])
            elif set(word) <= set(_OPERATORS):
                number = word[0] in "<>" and stages[-1] and stages[-1][-1].isdigit()
                after = [*([stages[-1].pop()] if number else ()), word]
            else:
                stages[-1].append(word.rstrip("`") if stages[0] else word)
    except ValueError:
        pass
    harmless = _HARMLESS.fullmatch(" ".join(after)) is not None
    return [stage for stage in stages if stage], [] if harmless else after
