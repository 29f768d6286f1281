"""A compiler command as the user typed it."""

import os
import re
import shlex
import shutil
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from mmap import ACCESS_READ, mmap
from pathlib import Path

from oracles.profiles import PROFILES, Targets

INPUT = "{}"
"""The placeholder for the input's path in a command."""

_WRITES_OUTPUT = re.compile(r"(?:-|_)(?:compile|opt|translate)(?:-\d+)?$")
_LAUNCHERS = frozenset(
    (
        "chrt", "env", "ionice", "linux64", "nice", "nohup", "numactl", "prlimit", "setarch",
        "stdbuf", "taskset", "timeout", "valgrind", "x86_64",
    )
)  # fmt: skip
"""Programs that start another one, named by one of their arguments, under other conditions."""

_TOOL = re.compile(r"(?<![\w-])[\w./-]*-(?:opt|compile|translate)(?:-\d+)?(?![\w=-])")
_SCRIPT_READ = 64 << 10
_OF_DRIVERS = b"modular optimizer driver", b"MlirOptMain"

CONTAINERS = frozenset(("docker", "nerdctl", "podman"))
"""Programs that run others where files have other names."""

SHELLS = frozenset(("bash", "dash", "ksh", "sh", "zsh"))
RUNS_SCRIPT = re.compile(r"-[A-Za-z]*c")
"""An option of a shell that says that it runs what is in a word."""

_HARMLESS = re.compile(r"-[ceufox]+|--(?:norc|noprofile|posix)|errexit|no(?:glob|unset)|pipefail")
"""A word before the script of a shell that does nothing to one command in it."""

_SIMPLE = re.compile(
    r"""\s*(?=\S)((?:[\w./=:,+@%^ \t-]|\{\}|\\[^\n]|'[^']*'|"(?:[^"\\$`]|\\[^$`\n])*")+?)"""
    r"(?:\s+(?:1?>\s*/dev/null|2>&1))*\s*;?\s*"
)
"""A script of one command, in which a shell does no more than take quotes away."""

_WORD = r"""(?:[\w./{}-]|'[^']*')+"""
_FED = re.compile(
    rf"\s*cat\s+({_WORD})\s*\|([^|].*)|([^|<]*[^|<\d&])<\s*({_WORD})((?:\s.*)?)", re.S
)
"""A script in which a tool reads a file as its standard input."""

_SET = re.compile(r"\s*set((?:\s+[\w-]+)+)\s*(?:;|&&|\n)")
_COPIED = re.compile(r"\|\s*cat\s*$")

_SHELL_VALUE = re.compile(r"[-+][A-Za-z]*[oO][A-Za-z]*$|--(?:rcfile|init-file)$")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=", re.A)

_OUTPUT_FLAG = re.compile(r"--?o$")
_OUTPUT_WORD = re.compile(r"--?o=.*$", re.S)


@dataclass(frozen=True)
class Command:
    """A program and its arguments; `{}` stands for the input, even inside a word.

    Relative paths in the arguments are resolved against `directory`. `launcher` are the words
    before the program that start it under other conditions, such as `setarch -R` or `env X=1`.
    `reads` are the files that it reads; None if any that it names may be one.
    """

    argv: tuple[str, ...]
    directory: Path | None = None
    launcher: tuple[str, ...] = ()
    reads: frozenset[Path] | None = None

    @classmethod
    def parse(
        cls,
        args: Sequence[str],
        *,
        source: str | Path | None = None,
        directory: Path | None = None,
    ) -> "Command":
        """A command from its words.

        `{}` replaces each word that names `source` (the input), also inside the script of a shell.
        If no word does, `{}` replaces `-`, which makes a compiler read standard input; if there is
        no `-` either, `{}` is appended. Output flags are dropped, because the oracle chooses where
        output goes.

        Raises:
            ValueError: the command is empty.
        """
        words = unwrapped(args[1:] if args[:1] == ["--"] else args)
        if source:
            words = [*words[:1], *_with_placeholder(words, str(source), directory)]
        if not words:
            raise ValueError("the command is empty")
        launcher, words = split_launcher(words)
        kept = words if script_in(words) else [words[0], *_without_output(words[1:])]
        if not any(INPUT in word for word in kept[1:]):
            reads = "-" in kept[1:] and is_tool(Path(kept[0]).name)
            kept = [INPUT if word == "-" else word for word in kept] if reads else [*kept, INPUT]
        return cls(tuple(kept), directory, tuple(launcher))

    @property
    def program(self) -> str:
        """The program as the user named it."""
        return self.argv[0]

    @property
    def flags(self) -> tuple[str, ...]:
        """The arguments without the input."""
        return tuple(word for word in self.argv[1:] if word != INPUT)

    def with_flags(self, flags: Sequence[str]) -> "Command":
        """The same program on the same input with other flags."""
        inside = any(INPUT in flag for flag in flags)
        last = () if inside else (INPUT,)
        return replace(self, argv=(self.argv[0], *flags, *last))

    def without(self, numbers: Collection[int]) -> "Command":
        """The same command without the words at these indices of `argv`."""
        words = [word for number, word in enumerate(self.argv) if number not in numbers]
        return replace(self, argv=tuple(words))

    def with_word(self, number: int, word: str) -> "Command":
        """The same command with the word at one index of `argv` replaced."""
        words = (*self.argv[:number], word, *self.argv[number + 1 :])
        return replace(self, argv=words)

    def expand(self, input_path: str | Path, output_path: str | Path | None = None) -> list[str]:
        """The words to run; `-o` is added for tools known to print their result otherwise.

        Those of the launcher come first.
        """
        words = [*self.launcher, self.argv[0]]
        for word in self.argv[1:]:
            words.append(self._anchored(word).replace(INPUT, str(input_path)))
        if output_path is not None and _WRITES_OUTPUT.search(Path(self.program).name):
            words += ["-o", str(output_path)]
        return words

    def words(self, input_name: str, output_path: str | Path | None = None) -> list[str]:
        """Like `expand`, with the user's own spelling of every path."""
        return replace(self, directory=None).expand(input_name, output_path)

    def run_with(self, executable: Path, words: Sequence[str]) -> list[str]:
        """Words of this command with the program replaced by the one at a path."""
        at = len(self.launcher)
        return [*words[:at], str(executable), *words[at + 1 :]]

    def with_file(self, old: Path, new: Path) -> "Command":
        """The same command with another file wherever the arguments name an existing one."""
        place, words = self.directory or Path.cwd(), [self.argv[0]]
        for word in self.argv[1:]:
            for span in reversed(list(path_spans(word, place))):
                if place / word[span] == old:
                    word = f"{word[: span.start]}{new}{word[span.stop :]}"
            words.append(word)
        reads = None if self.reads is None else self.reads - {old} | {place / new}
        return replace(self, argv=tuple(words), reads=reads)

    def inputs(self) -> list[Path]:
        """Existing files named in the arguments, but for those that are known to be written only.

        Outcomes depend on them as well.
        """
        return [path for path in self.files() if self.reads is None or path in self.reads]

    def files(self) -> list[Path]:
        """Existing files named in the arguments, be they read or written."""
        place = self.directory or Path.cwd()
        named = (place / word[span] for word in self.argv[1:] for span in path_spans(word, place))
        return [path for path in named if path.is_file()]

    def names(self, file: str) -> bool:
        """Whether an argument names a file, by its name in whatever folder.

        What a shell gets to run in one word names nothing: it may write that file first.
        """
        return any(path.name == Path(file).name for path in self.files())

    def _anchored(self, word: str) -> str:
        """The word with absolute paths, so that it works in the private folder of a run."""
        if self.directory is None:
            return word
        for span in reversed(list(path_spans(word, self.directory))):
            path = (self.directory / word[span]).absolute()
            if not Path(word[span]).is_absolute():
                word = f"{word[: span.start]}{path}{word[span.stop :]}"
        return word


def split_launcher(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words that start a program under other conditions, and the program with its arguments.

    Variables are set in front of a program as in a shell, too.

    >>> split_launcher(["env", "X=1", "mlir-opt", "--cse"])
    (['env', 'X=1'], ['mlir-opt', '--cse'])
    >>> split_launcher(["mlir-opt", "--cse"])
    ([], ['mlir-opt', '--cse'])
    >>> split_launcher(["X=1", "mlir-opt", "--cse"])
    (['env', 'X=1'], ['mlir-opt', '--cse'])
    """
    if at := next((at for at, word in enumerate(words) if not sets_variable(word)), 0):
        launcher, own = split_launcher(words[at:])
        return ["env", *words[:at], *launcher], own
    if is_launcher(words[0]):
        for index, word in enumerate(words[1:], 1):
            known = is_tool(Path(word).name) or shutil.which(word)
            if not is_launcher(word) and "=" not in word and known:
                return list(words[:index]), list(words[index:])
    return [], list(words)


def is_launcher(word: str) -> bool:
    """Whether a word names a program that starts another one under other conditions."""
    return Path(word).name in _LAUNCHERS


def sets_variable(word: str) -> bool:
    """Whether a word before a program sets a variable of the environment."""
    return _ASSIGNMENT.match(word) is not None


def script_in(words: Sequence[str]) -> int | None:
    """The index of what a shell gets to run in one word; None if no shell does.

    >>> script_in(["env", "X=1", "bash", "-eo", "pipefail", "-c", "mlir-opt {} | llc"])
    6
    >>> script_in(["sh", "run.sh", "-c", "x"])
    """
    shells = (number for number, word in enumerate(words) if Path(word).name in SHELLS)
    at, runs = next(shells, len(words)) + 1, False
    while at < len(words) and words[at][:1] in ("-", "+"):
        runs |= RUNS_SCRIPT.match(words[at]) is not None
        at += 2 if _SHELL_VALUE.match(words[at]) else 1
    return at if runs and at < len(words) else None


def unwrapped(words: Sequence[str]) -> list[str]:
    """The command without a shell around it that does no more than run this one.

    >>> unwrapped(["env", "X=1", "bash", "-euc", "Y=2 exec mlir-opt '{}' --pass='a b' >/dev/null"])
    ['env', 'X=1', 'env', 'Y=2', 'mlir-opt', '{}', '--pass=a b']
    >>> unwrapped(["sh", "-c", "cat m.mlir | mlir-opt -cse"])
    ['mlir-opt', '-cse', 'm.mlir']
    """
    launcher, own = split_launcher(words) if words else ([], [])
    is_script = script_in(own) == len(own) - 1 and Path(own[0]).name in SHELLS
    script = own[-1].replace("\\\n", " ") if is_script else ""
    options = list(own[1:-1])
    if begun := _SET.match(script):
        options += begun[1].split()
        script = script[begun.end() :]
    if "pipefail" in options:
        script = _COPIED.sub("", script)
    fed = _FED.fullmatch(script)
    simple = _SIMPLE.fullmatch("".join(fed[at] or "" for at in (2, 3, 5)) if fed else script)
    if simple and all(map(_HARMLESS.fullmatch, options)):
        launched, inner = split_launcher(shlex.split(simple[1]))
        inner = inner[inner[0] in ("command", "exec") :] or inner
        name = Path(inner[0]).name
        if fed and is_tool(name):
            file = "".join(shlex.split(fed[1] or fed[4]))
            inner = [file if word == "-" else word for word in inner]
            inner += [file] * (file not in inner)
        elif fed:
            return list(words)
        if name not in ("time", *CONTAINERS) and (is_tool(name) or shutil.which(inner[0])):
            return unwrapped([*launcher, *launched, *inner])
    return list(words)


def is_tool(name: str) -> bool:
    """Whether a program of this name is a compiler, or one of its tools."""
    known = any(profile.has(name) for profile in PROFILES)
    return known or _WRITES_OUTPUT.search(name) is not None


def resolve_binary(path: Path) -> Path:
    """The program behind the Python entry point of a compiler package, else `path` itself.

    IREE's `bin/iree-compile` only starts `iree/compiler/_mlir_libs/iree-compile` of the same
    installation; calling that directly saves up to 150 ms per run.
    """
    if not script_text(path):
        return path
    folders = [profile.releases.libraries for profile in PROFILES if profile.releases]
    for prefix in (path.absolute().parent.parent, path.resolve().parent.parent):
        for folder in folders:
            found = sorted(prefix.glob(f"lib*/python*/*-packages/{folder}/{path.name}"))
            if len({item.resolve() for item in found}) == 1 and os.access(found[0], os.X_OK):
                return found[0]
    return path


def tool_behind(path: Path) -> Path:
    """The tool that a program is or runs, whatever it is called, as far as its file tells.

    A link may have any name, and so may a script that names one tool, as `exec mlir-opt "$@"`.
    """
    path = resolve_binary(path)
    named = {
        Path(found).resolve(): Path(found)
        for word in _TOOL.findall(script_text(path))
        for found in (shutil.which(word), shutil.which(Path(word).name, path=str(path.parent)))
        if found is not None and Path(found).resolve() != path.resolve()
    }
    if len(named) == 1:
        return named.popitem()[1]
    real = path.resolve()
    return real if is_tool(real.name) and not is_tool(path.name) else path


def script_text(path: Path) -> str:
    """The text of a program that is a script; '' otherwise."""
    try:
        with path.open("rb") as file:
            start = file.read(_SCRIPT_READ)
    except OSError:
        return ""
    return start.decode("utf-8", "replace") if start.startswith(b"#!") else ""


@cache
def _drives_passes(path: Path) -> bool:
    """Whether a binary is made like `mlir-opt`, though its name does not say so."""
    try:
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
            return any(content.find(words) >= 0 for words in _OF_DRIVERS)
    except (OSError, ValueError):
        return False


def sibling_tool(executable: Path, name: str) -> Path | None:
    """Another tool of the same installation, or None."""
    if executable.name == name:
        return executable
    for folder in (executable.parent, executable.resolve().parent):
        candidate = folder / name
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate
    return None


def verifying_tool(executable: Path) -> Path | None:
    """The tool of the same family that only parses and verifies: `x-opt` next to `x-compile`."""
    executable = executable if is_tool(executable.name) else tool_behind(executable)
    if re.search(r"-opt(?:-\d+)?$", executable.name) or (
        not is_tool(executable.name) and _drives_passes(executable)
    ):
        return executable
    name = re.sub(r"-(?:compile|translate)((?:-\d+)?)$", r"-opt\1", executable.name)
    return None if name == executable.name else sibling_tool(executable, name)


def _with_placeholder(words: Sequence[str], source: str, directory: Path | None) -> Iterator[str]:
    """The arguments with `{}` where they name the input, in whatever spelling of its path.

    A shell gets what it runs in one word, in which the input may be anywhere.
    """
    script = None if any(INPUT in word for word in words[1:]) else script_in(words)
    names = re.compile(rf"(?<![^\s'\"=<(;|&]){re.escape(source)}(?![^\s'\";|&)>])")
    for number, word in enumerate(words[1:], 1):
        if number == script:
            yield names.sub(lambda found: INPUT, word)
        else:
            yield INPUT if _is_same_file(word, source, directory) else word


def _is_same_file(word: str, source: str, directory: Path | None) -> bool:
    if word == source:
        return True
    if Path(word).name != Path(source).name:  # another name of it is meant as another file
        return False
    place = directory or Path.cwd()
    try:
        return (place / word).samefile(place / source)
    except (OSError, ValueError):
        return False


def _without_output(words: Sequence[str]) -> Iterator[str]:
    skip = False
    for word in words:
        if skip:
            skip = False
        elif _OUTPUT_FLAG.match(word):
            skip = True
        elif not _OUTPUT_WORD.match(word):
            yield word


_OPTION = re.compile(r"=([^\s=(){}]+)")
_ITEM = re.compile(r"[^,;\"']+")
_LONGEST = 4096


def path_spans(word: str, directory: Path) -> Iterator[slice]:
    """The parts of a word that are existing paths: all of it, what follows `=`, or parts of that.

    Options of passes name files inside a flag, several of them separated by commas, as in
    `--my-pass=library-paths=a.mlir,b.mlir` or `--pass-pipeline=any(my-pass{file=a.mlir})`. There, a
    folder counts only if it is spelled with a slash, because other values are short words as well.
    """
    whole = slice(word.index("=") + 1 if word.startswith("-") and "=" in word else 0, len(word))
    if word.startswith("-") and not whole.start:
        return
    if existing(word[whole], directory) is not None:
        yield whole
        return
    for option in _OPTION.finditer(word) if word.startswith("-") else ():
        for item in _ITEM.finditer(word, *option.span(1)):
            path = existing(item[0], directory)
            if path is not None and (path.is_file() or "/" in item[0]):
                yield slice(*item.span())


def existing(value: str, directory: Path) -> Path | None:
    """The path that a value names relative to a directory, if it exists."""
    if not value or "{}" in value or "\0" in value or len(value) > _LONGEST:
        return None
    path = directory / value
    try:
        return path if path.exists() else None
    except OSError:
        return None


def other_target(command: Command, flags: Sequence[str], targets: Targets) -> Command:
    """The same compilation for the target of `flags`, without those that belong to the old one."""
    kept = [word for word in command.flags if not _is_target_flag(word, targets)]
    return command.with_flags([*kept, *flags])


def other_flags(command: Command, flags: Sequence[str]) -> Command:
    """The same compilation with these flags, which replace flags of the same name."""
    replaced = {_name(flag) for flag in flags}
    kept = [word for word in command.flags if _name(word) not in replaced]
    return command.with_flags([*kept, *flags])


def target_values(command: Command, targets: Targets) -> frozenset[str]:
    """The values of a command's flags that select a target; lists are split."""
    chosen = [word for word in command.flags if _name(word) in targets.selecting]
    return frozenset(part for word in chosen for part in word.partition("=")[2].split(","))


def values_of(command: Command, flag: str) -> list[str]:
    """The values that a command gives to a flag, in order."""
    return [word.partition("=")[2] for word in command.flags if _name(word) == _name(flag)]


def _is_target_flag(word: str, targets: Targets) -> bool:
    name = _name(word)
    return name in targets.selecting or name.startswith(targets.families)


def _name(word: str) -> str:
    return "" if word == INPUT else word.partition("=")[0].lstrip("-")
