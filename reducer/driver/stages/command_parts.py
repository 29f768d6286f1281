"""The parts of a command that may go: flags, wherever in the command they are written.

A command is a small tree: words that set up the environment, a program, and its flags. A variable
may hold flags of its own, and what a shell runs is a list of such commands. Every part is a piece
of one of the command's words, so all of them are dropped and shortened in one way.
"""

import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, islice
from pathlib import Path

from oracles import Command
from oracles.compilers.command import (
    INPUT,
    RUNS_SCRIPT,
    is_launcher,
    is_tool,
    script_in,
    sets_variable,
    split_launcher,
)

# Flags that restrict a program. Without them it would do more than the user asked for.
_RESTRAINTS = re.compile(
    r"dry[-_]?run|sandbox|no[-_]?(?:exec|run|network|write)|(?:verify|parse|syntax|compile)[-_]only",
    re.I,
)
_CLEARS = frozenset(("-", "-i", "--ignore-environment"))
_UNSETS = re.compile(r"-u|--unset=")
_VARIABLE = r"\$(?:\w+|\{\w+\}|[@*\#?!$-])"
_TOKEN = re.compile(
    rf"""(?:[ \t]|\\\n)+ | (?P<operator>\|\||\|&|&&|[|;\n])
    | (?P<redirection>\d*(?:<<|>>|[<>]&(?P<number>[-\d]+)?|>\||<>|&>>?|<|>))
    | (?P<word>(?:[^\s|&;<>()'"\\`{{}}\#$] | (?<=\S)\# | \\[^\n] | '[^']*' | {_VARIABLE}
        | \{{[^\s,'"`{{}}|&;<>()]*\}} | "(?:[^"\\`$] | \\. | {_VARIABLE})*")+)""",
    re.X | re.S,
)
_RESERVED = frozenset(
    (
        "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if",
        "in", "select", "then", "until", "while", "[[",
    )
)  # fmt: skip
_MODULE = re.compile(r"[^\s'\"=;|&<>(){},]+\.mlir(?:bc)?(?![\w.-])")
_BEFORE = frozenset(("!", "-p", "command", "exec", "time"))  # `time -p`
_BASE = frozenset(map(Path, ("/bin", "/sbin", "/usr/bin", "/usr/sbin")))
"""Where the programs of the operating system are: `rm -i` does more without its flag."""


class _Intricate(Exception):
    """A script is more than a list of programs with their flags."""


@dataclass(frozen=True)
class WordPart:
    """A piece of a word.

    Attributes:
        word: the index of the word, those of the launcher counted first.
        start: where the piece begins in it.
        stop: where it ends.
        text: what the program gets.
        quoted: whether a shell reads the piece.
        tool: for a flag, the name of the program that gets it.
    """

    word: int
    start: int
    stop: int
    text: str
    quoted: bool = False
    tool: str = ""

    def encloses(self, other: "WordPart") -> bool:
        inside = self.start <= other.start and other.stop <= self.stop
        return self.word == other.word and inside


class CommandParts:
    """The parts of a command.

    Attributes:
        groups: what may be dropped, each with the parts that go with it. One may be inside another.
        flags: the flags among them, each with the word that is its value, if any.
        shell: the program that runs a script; "" if the command has none.
        stages: the tools in the script whose flags may be dropped: all of each, then its words.
        kept: other programs in the script that have flags.
        is_read: whether the script could be taken apart.
    """

    def __init__(self, command: Command) -> None:
        self.command = command
        self.groups: list[tuple[WordPart, ...]] = []
        self.flags: list[tuple[WordPart, ...]] = []
        self.shell, self.is_read = "", True
        self.stages: list[tuple[WordPart, ...]] = []
        self.kept: list[str] = []
        self._holders: list[tuple[WordPart, list[WordPart]]] = []
        every = [*command.launcher, *command.argv]
        words = tuple(WordPart(number, 0, len(word), word) for number, word in enumerate(every))
        at = len(command.launcher)
        self._environment(words[:at], command.program)
        script = script_in(command.argv)
        if script is None:
            self._flags(words[at + 1 :], Path(command.program).name)
            return
        self.shell = command.program
        options = words[at + 1 : at + script]
        self._flags([one for one in options if not RUNS_SCRIPT.match(one.text)], self.shell)
        try:
            for operator, whole, own in list(_simple_commands(words[at + script])):
                self._in_script(operator, whole, own)
        except _Intricate:
            self.is_read = False
        self._flags(words[at + script + 1 :], self.shell)

    @property
    def modules(self) -> list[Path]:
        """Files with modules that the words name, be it inside of a script."""
        place = self.command.directory or Path.cwd()
        named = [one[0] for word in self.command.argv for one in _MODULE.finditer(word)]
        return [place / name for name in dict.fromkeys(named) if (place / name).is_file()]

    # ---- edits -----------------------------------------------------------------------------

    def without(self, gone: Iterable[WordPart]) -> Command:
        """The command without some parts. What holds nothing any more goes, too."""
        edits: dict[WordPart, str | None] = dict.fromkeys(gone)
        for holder, held in reversed(self._holders):
            if held and edits.keys() >= {*held}:
                edits[holder] = None
        return self._edited(edits)

    def replaced(self, part: WordPart, text: str) -> Command:
        """The command with another text for one part."""
        return self._edited({part: text})

    def _edited(self, edits: dict[WordPart, str | None]) -> Command:
        words = [*self.command.launcher, *self.command.argv]
        gone: set[int] = set()
        for part in sorted(edits, key=lambda one: one.start, reverse=True):
            if any(one != part and one.encloses(part) for one in edits):
                continue
            word, text = words[part.word], edits[part]
            words[part.word] = _spliced(word, part, text)
            if text is None and (part.start, part.stop) == (0, len(word)):
                gone.add(part.word)
        left = [number for number in range(len(words)) if number not in gone]
        at = len(self.command.launcher)
        return replace(
            self.command,
            launcher=tuple(words[number] for number in left if number < at),
            argv=tuple(words[number] for number in left if number >= at),
        )

    # ---- reading ---------------------------------------------------------------------------

    def _environment(self, words: Sequence[WordPart], program: str) -> None:
        """What `env`, or a shell, sets in front of a program."""
        held: list[WordPart] | None = None  # by the `env` before them
        clears = any(one.text in _CLEARS for one in words)
        rest = iter(words)
        for part in rest:
            group: tuple[WordPart, ...] = ()
            if is_launcher(part.text):
                held = []
                self._holders += [(part, held)] if Path(part.text).name == "env" else []
                continue
            if sets_variable(part.text):
                # The program is looked up there.
                needed = clears and part.text.startswith("PATH=") and "/" not in program
                group = () if needed or _RESTRAINTS.search(part.text) else (part,)
            elif held is not None and part.text in ("-u", "--unset"):
                group = (part, *islice(rest, 1))
            elif held is not None and (part.text in _CLEARS or _UNSETS.match(part.text)):
                group = (part,)
            if held is not None:
                held += group or (part,)
            self.groups += [group] if group else []
            if sets_variable(part.text):
                self._variable(part)

    def _variable(self, part: WordPart) -> None:
        """The flags that a variable holds; its other values cannot be taken apart."""
        name, _, value = part.text.partition("=")
        word = [*self.command.launcher, *self.command.argv][part.word]
        written = word[part.start : part.stop].removeprefix(f"{name}=")
        plain = written in (value, f"'{value}'", f'"{value}"')
        if not plain or not value.lstrip().startswith("-"):
            return
        start = part.stop - len(value) - (written != value)
        parts = [
            WordPart(part.word, start + one.start(), start + one.end(), one[0])
            for one in re.finditer(r"\S+", value)
        ]
        before = len(self.groups)
        self._flags(parts, "")
        if self.groups[before:] == [tuple(parts)]:  # it goes with the variable
            self.groups.pop()
        self._holders.append((part, parts))

    def _flags(self, words: Sequence[WordPart], tool: str) -> None:
        """The flags of a program, each with the word that is its value.

        The input stays, wherever it is written, and so does every other word that belongs to no
        flag.
        """
        last: WordPart | None = None  # a flag whose value may follow
        for part in words:
            before, last = last, None
            name, equals, _ = part.text.partition("=")
            if INPUT in part.text or _RESTRAINTS.search(name):
                continue
            if part.text.startswith("-") and len(part.text) > 1:
                flag = replace(part, tool=tool)
                if part.quoted and name in ("-o", "--o"):
                    continue
                self.groups.append((flag,))
                self.flags.append((flag,))
                last = None if equals else flag
            elif before is not None:
                self.groups[-1] = self.flags[-1] = (before, part)
                if Path(part.text).suffix == ".mlir":  # it may be another input
                    self.groups.append((before,))

    def _in_script(self, operator: str, whole: WordPart, words: Sequence[WordPart]) -> None:
        if operator in ("|", "|&") and INPUT not in whole.text:
            self.groups.append((whole,))
        texts = [part.text for part in words]
        at = len(texts) - len(split_launcher(texts)[1])
        program = texts[at]
        if script_in(texts) is not None or not _compiles(program):
            flagged = any(len(text) > 1 and text.startswith("-") for text in texts[at + 1 :])
            self.kept += [Path(program).name] if flagged else []
            return
        self.stages.append((whole, *words[at:]))
        self._environment(words[:at], program)
        self._flags(words[at + 1 :], Path(program).name)


def _spliced(word: str, part: WordPart, text: str | None) -> str:
    """The word with another text for a part; without it, spaces around it go as well."""
    before, after = word[: part.start], word[part.stop :]
    if text is not None:
        return f"{before}{shlex.quote(text) if part.quoted else text}{after}"
    if before != (stripped := before.rstrip(" \t")):
        return f"{stripped}{after}"
    return before + after.lstrip(" \t")


def _compiles(program: str) -> bool:
    """Whether a program in a script may be one whose flags are to be reduced."""
    if is_tool(Path(program).name):
        return True
    found = shutil.which(program)
    return found is not None and Path(found).resolve().parent not in _BASE


def _simple_commands(script: WordPart) -> Iterator[tuple[str, WordPart, list[WordPart]]]:
    """The commands in a script: what joins each to the one before, all of it, and its words.

    Raises:
        _Intricate: it has loops, functions, substitutions, here-documents…
    """
    text, at, operator, begin = script.text, 0, "", 0
    words: list[WordPart] = []
    is_target = False
    while at <= len(text):
        token = _TOKEN.match(text, at) if at < len(text) else None
        if at == len(text) or (token and token["operator"]):
            own = [*dropwhile(lambda part: part.text in _BEFORE, words)]
            if own and own[0].text not in _RESERVED:
                written = text[begin:at].rstrip()
                whole = WordPart(
                    script.word, begin, begin + len(written), written.strip(), quoted=True
                )
                yield operator, whole, own
            elif words or (token and token[0] != "\n"):
                raise _Intricate
            words, operator, begin = [], token[0] if token else "", at
        elif token is None or token[0].endswith("<<"):
            raise _Intricate
        elif token["redirection"]:
            is_target = not token["number"]
        elif token["word"]:
            if not is_target:
                unquoted = "".join(shlex.split(token[0]))
                words.append(WordPart(script.word, *token.span(), unquoted, quoted=True))
            is_target = False
        at = token.end() if token else at + 1
