"""Arguments and options that several commands take, each spelled and explained once."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from reducer.arguments import COUNT, SECONDS, cores
from reducer.cli.options.completion import complete_inputs, complete_versions
from reducer.errors import OutputNotWritable, UsageError

if TYPE_CHECKING:
    from reducer.toolchain import PackageSource

STDIN = Path("/dev/stdin")  # as in reducer.storage.files, importing which takes long
Decorator = Callable[[Any], Any]
_ADDRESS = re.compile(r"(?:\w+://)?(?:\[[\da-fA-F:.]+\]|[^\s:/,\[\]]+):\d+")
_WORKERS = re.compile(rf"(?:[1-9]\d*,)?{_ADDRESS.pattern}")


class InputPath(click.Path):
    """A file, or `-` for standard input; Tab offers what may be an input."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        return STDIN if value == "-" else Path(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return complete_inputs(incomplete)


class StoredPath(InputPath):
    """A file or folder that is read again later, as standard input cannot be."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        if value == "-":
            self.fail("standard input cannot be read twice; save it to a file first", param, ctx)
        return Path(value)


class OutputFile(click.Path):
    """A file that is written at the end. Where it cannot be is said before any work is done."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(value)
        if value == "-" and not self.allow_dash:
            raise UsageError(f"{_name_of(param)} needs a file, and cannot write to standard output")
        if value != "-" and not (ctx is not None and ctx.resilient_parsing):
            if path.is_dir():
                raise OutputNotWritable(f"cannot write {value}: it is a folder")
            if not path.absolute().parent.is_dir():
                raise OutputNotWritable(f"cannot write {value}: its folder does not exist")
        return super().convert(value, param, ctx)


def _name_of(param: click.Parameter | None) -> str:
    """The option as it is usually given, such as `-o`."""
    return param.opts[0] if param is not None else "this option"


class SchedulerAddress(click.types.StringParamType):
    """The address of a Dask scheduler."""

    name = "address"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not _ADDRESS.fullmatch(value):
            self.fail(f"{value!r} is not an address such as tcp://127.0.0.1:8786", param, ctx)
        return str(value)


class Jobs(click.IntRange):
    """How many compilers may run at once: N, the address of a scheduler if `remote`, or both."""

    def __init__(self, *, remote: bool) -> None:
        super().__init__(min=1)
        self.remote = remote

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not self.remote or str(value).lstrip("-").isdecimal():
            return super().convert(value, param, ctx)
        if not _WORKERS.fullmatch(str(value)):
            said = f"{value!r} is not a whole number or an address such as tcp://127.0.0.1:8786"
            self.fail(said, param, ctx)
        return str(value)


input_argument: Decorator = click.argument("input", type=InputPath())

json_option: Decorator = click.option(
    "--json",
    "json_target",
    metavar="FILE",
    type=OutputFile(allow_dash=True),
    help="Also write the answer as JSON; - for stdout.",
)

yes_option: Decorator = click.option(
    "-y", "--yes", is_flag=True, help="Run a command that was found in INPUT without asking."
)


def timeout_option(default: str) -> Decorator:
    """The time limit for one run; `default` says what it is if the option is not given."""
    return click.option(
        "--timeout",
        metavar="SECONDS",
        type=SECONDS,
        help=f"Time limit for one run. [default: {default}]",
    )


memory_limit_option: Decorator = click.option(
    "--memory-limit",
    metavar="MB",
    type=COUNT,
    help="Memory limit for one run, whatever -j is. [default: half of the machine's]",
)


quiet_option: Decorator = click.option(
    "-q", "--quiet", is_flag=True, help="Print nothing but errors."
)

pages_option: Decorator = click.option(
    "-o",
    "--output",
    "outputs",
    metavar="FILE",
    type=OutputFile(path_type=Path),
    multiple=True,
    help="Also write what is known to FILE.html, an overview with a page per reduction in a folder "
    "next to it, or to FILE.xml, JUnit XML for CI. Can be repeated.",
)


def by_suffix(files: Iterable[Path], *suffixes: str) -> dict[str, Path]:
    """The files of `--output` by what they end in.

    Raises:
        UsageError: one ends in something else.
    """
    found = {file.suffix: file for file in files}
    if unknown := [file for suffix, file in found.items() if suffix not in suffixes]:
        raise UsageError(f"--output: {unknown[0]} does not end in {' or '.join(suffixes)}")
    return found


summary_option: Decorator = click.option(
    "--summary",
    "summary_target",
    metavar="FILE",
    type=OutputFile(allow_dash=True),
    help="Write new, known, and gone bugs as Markdown, for the page of a CI job; - for stdout.",
)

profile_with_option: Decorator = click.option(
    "--profile-with",
    metavar="VERSION",
    multiple=True,
    shell_complete=complete_versions,
    help="Install this release of IREE and ask it as well where else the program compiles. Can be "
    "repeated.",
)

elsewhere_option: Decorator = click.option(
    "--elsewhere/--no-elsewhere",
    default=True,
    help="Ask the other targets and optimization levels of the compiler, and all installed "
    "releases, whether the result compiles there. If it does not where the input does, it is "
    "another bug, and the reduction goes back. [default: on]",
)


class Words(click.ParamType[Any]):
    """Some of the given words, separated by commas."""

    name = "words"

    def __init__(self, *known: str) -> None:
        self.known = known

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        words = value if isinstance(value, tuple) else tuple(str(value).split(","))
        if unknown := [word for word in words if word not in self.known]:
            self.fail(f"{unknown[0]!r} is not one of {', '.join(self.known)}", param, ctx)
        return words

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        before, comma, word = incomplete.rpartition(",")
        found = (f"{before}{comma}{one}" for one in self.known if one.startswith(word))
        return [CompletionItem(one) for one in found]


def words_option(name: str, words: Sequence[str], text: str) -> Decorator:
    """An option that takes words, separated by commas or each with the option."""
    return click.option(
        name,
        metavar="WORD[,WORD]",
        type=Words(*words),
        multiple=True,
        callback=lambda _, __, given: tuple(dict.fromkeys(word for one in given for word in one)),
        help=f"{text} [{', '.join(words)}]",
    )


def jobs_option(note: str, *, remote: bool = False) -> Decorator:
    """`--jobs`; `note` names what does not depend on it."""
    address = ", or as many as the workers of a Dask cluster take" if remote else ""
    return click.option(
        "-j",
        "--jobs",
        metavar="N|tcp://HOST:PORT" if remote else "N",
        type=Jobs(remote=remote),
        default=cores,
        help=f"Run N compilers in parallel{address}; {note}. [default: one per core]",
    )


def with_package_options(pre_help: str) -> Decorator:
    """Add `--pre` and `--find-links`, whose values make a `PackageSource`."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        function = click.option(
            "--find-links",
            metavar="URL_OR_PATH",
            multiple=True,
            help="Also look for packages here, as pip does: a page with links to wheels, or a "
            "folder. docs/bisect.md has the page of nightly packages. Can be repeated.",
        )(function)
        return click.option("--pre", is_flag=True, help=pre_help)(function)

    return add


def package_source(find_links: tuple[str, ...], *, pre: bool) -> "PackageSource":
    """The places that `with_package_options` names.

    Raises:
        UsageError: one does not exist.
    """
    from reducer.toolchain import PackageSource

    source = PackageSource(find_links, pre)
    if source.missing:
        raise UsageError(f"--find-links: {source.missing[0]}: no such file or folder")
    return source


def applied(options: Sequence[Decorator], function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with these options, in this order."""
    for option in reversed(options):
        function = option(function)
    return function
