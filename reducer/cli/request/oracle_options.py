"""The options that select the failure to look for, and the oracle built from them."""

import os
import re
import shlex
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from oracles import Command, CompilerOracle, Level, Limits, Oracle, PatternOracle, ScriptOracle
from oracles.base import PluginError, candidate_name, capabilities_of
from oracles.compilers.command import verifying_tool
from oracles.pattern import ir_after
from oracles.profiles import MLIR, profile_of
from oracles.run.confinement import (
    Confinement,
    confine,
    confinement_ends,
    current_confinement,
)
from oracles.run.memory import memory_limit
from oracles.signature.comparison import Across, same_failure
from reducer.cli.display.console import print_status
from reducer.cli.display.shown_command import say_choice
from reducer.cli.options.table import Options
from reducer.cli.request.opt_tools import (
    default_opt,
    given_opt,
    named_opt,
    opt_beside,
    some_opt,
    text_of_script,
)
from reducer.cli.request.wrappers import refuse_wrapper, split_timeout
from reducer.errors import CommandNotFound, UsageError
from reducer.intake import read_crash
from reducer.intake.allowed import hidden_in_input, runs_reproducer
from reducer.intake.stages import NotOnePipeline, is_piped, merged, one_command, pipeline_of_shell
from reducer.storage.files import STDIN, InputText, read_input
from reducer.storage.result_folder import program_suffix
from reducer.toolchain import Toolchain, ToolchainError, install, resolve_executable

if TYPE_CHECKING:
    from reducer.cli.request.wrong_results import WrongResults
    from reducer.identity.builds import BuildConfig

_MEGABYTE = 1 << 20
_NAME = re.compile(r"[\w-]+(?::.*)?", re.S)  # of a Python class; scripts are ./script.sh
_ZEROS = {"signed-zeros": True, "any-zeros": False}
_READING_SECONDS = 600.0  # for bytecode with weights
_PIPE_SECONDS = 60.0  # in which a pipe must have failed to be asked about


class OracleOptions(Options):
    """What to run and which failure to look for, as given by the user."""

    @property
    def executes(self) -> bool:
        """Whether the program is executed, not only compiled."""
        return self.wrong_results or self.metric == "run-time"

    @property
    def script(self) -> Path | None:
        """The script that decides."""
        test = None if self.test is None else Path(self.test)
        return None if test is None or self.plugin is not None else test

    @property
    def plugin(self) -> str | None:
        """The Python class that decides, by its name and argument."""
        if self.test is None or not _NAME.fullmatch(self.test) or Path(self.test).is_file():
            return None
        return self.test

    @property
    def candidate(self) -> str:
        """The file name of candidates."""
        return candidate_name(program_suffix(self.source))

    def read(self) -> InputText:
        """The input; bytecode is printed by the `…-opt` tool of the compiler.

        Raises:
            MissingInput: it cannot be opened.
            BadInput: it cannot be read.
            CommandNotFound: it is bytecode, and the program does not exist.
            ToolchainError: the same, and the compiler version cannot be installed.
        """
        if self.source == STDIN and sys.stdin.isatty():
            print_status("reading the input from the terminal; end it with Ctrl-D")
        return read_input(self.source, self._text_of)

    def _text_of(self, bytecode: bytes) -> str | None:
        from reducer.conversions import OptPrinter  # imports all transformations

        program = Command.parse(self.words).program if self.words else None
        with confinement_ends():
            if program is None:
                confine(Confinement())  # nobody has agreed to anything yet
            opt = self._opt("", self._executable(program) if program else None)
            printer = opt and OptPrinter(opt, Limits(_READING_SECONDS, self._memory()))
            return printer.text_of(bytecode) if printer else None

    def oracle(self, text: str) -> tuple[Oracle, Path | None]:
        """The oracle, and the `…-opt` tool of the compiler under test if there is one.

        `text` is the text of the input.

        Raises:
            UsageError: the options contradict each other.
            CommandNotFound: the program does not exist.
            ToolchainError: the compiler version cannot be installed.
        """
        self._check(text)
        refuse_wrapper(self.words, described=self.match is not None or self.exit_code is not None)
        words = pipeline_of_shell(self.words, runs=True) if self.wrong_results else self.words
        if is_piped(words):
            return replace(self, words=tuple(words))._as_one_command().oracle(text)
        if (limited := self.with_own_limit()) is not self:
            return limited.oracle(text)
        limits = Limits(self.timeout, self._memory())
        if self.script is not None:
            script = ScriptOracle(_script(self.script), name=self.candidate, limits=limits)
            return script, self._opt(text)
        if self.plugin is not None:
            return self._plugin_oracle(self.plugin, limits, text)
        command = Command.parse(self.words, source=self.source, directory=Path.cwd())
        executable = self._executable(command.program)
        if what := hidden_in_input(command.flags, text, executable):
            raise UsageError(f"the pipeline in {self.source} must not run: {what}")
        confined = current_confinement() is not None  # a server has said so
        if self.from_file or confined or runs_reproducer(command.flags):
            files = (str(self.source.absolute()),)
            confine(Confinement((str(executable),), files, tempfile.gettempdir()))
        opt = self._opt(text, executable)
        if self.wrong_results:
            comparison = self._comparison()
            display = partial(self._check_words, comparison)
            return comparison.oracle(command, executable, text, limits=limits, display=display), opt
        level = Level.NORMAL if self.exit_code is not None else Level(self.signature)
        oracle = CompilerOracle(
            command, executable, name=self.candidate, limits=limits, level=level
        )
        if self.metric is not None:
            return self._metric_oracle(self.metric, oracle, text), opt
        if self.match is None and self.exit_code is None:
            return self._failing_alike(oracle, text) or (oracle, opt)
        try:
            if self.ir_after is not None and self.match is not None:
                return ir_after(oracle, self.ir_after, self.match), opt
            return PatternOracle(oracle, regex=self.match, exit_code=self.exit_code), opt
        except ValueError as error:
            raise UsageError(f"--match: {error}") from error

    def _metric_oracle(self, metric: str, compiler: CompilerOracle, text: str) -> Oracle:
        from reducer.toolchain.metric_request import MetricRequest

        version = [] if self.iree is None else ["--iree", self.iree]
        return MetricRequest(metric, self.worse_than, self.by, self.run).oracle(
            compiler,
            text,
            shown=lambda input_name: ["mlir-reducer", "check", input_name, *version],
            progress=print_status,
        )

    def with_own_limit(self) -> "OracleOptions":
        """The same with the limit that `timeout` in the command sets; itself if there is none.

        It would end a hang as if that were an error, and before the compiler can be asked where it
        is. How a run ends, or what it prints by then, may be what the user looks for.
        """
        if self.match is not None or self.exit_code is not None:
            return self
        if (found := split_timeout(self.words)) is None:
            return self
        seconds, words = found
        timeout = seconds if self.timeout is None else min(seconds, self.timeout)
        print_status(
            f"'timeout' in the command becomes --timeout {timeout:g}, which recognizes a hang"
        )
        return replace(self, words=words, timeout=timeout)

    def _as_one_command(self) -> "OracleOptions":
        """The same for one command instead of several that hand the module on to each other."""
        instead = "give the failing program with the IR that it reads, or a script with --test"
        if not self.wrong_results:
            raise UsageError(
                "several programs joined by pipes are one command only with --wrong-results; "
                f"for any other failure, {instead}, or let a shell join them: "
                "bash -c 'first {} | second'"
            )
        try:
            stages = merged(self.words)
            words = one_command(stages.words, self._executable(stages.words[0]))
        except NotOnePipeline as error:
            raise UsageError(
                f"the pipeline cannot be run as one command: {error}; {instead}"
            ) from error
        return replace(self, words=words, run=self.run or entry_flags(stages.entry))

    def _failing_alike(
        self, oracle: CompilerOracle, text: str
    ) -> tuple[Oracle, Path | None] | None:
        """An oracle of one command that fails as a shell's pipe of one tool does, and its tool.

        A pipe has no pass, rewrite or stack to show, and each of its tools has flags of its own.
        """
        line = pipeline_of_shell(self.words, runs=False)
        if line is self.words or self.from_file:
            return None
        try:
            stages = merged(line)
            words = one_command(stages.words, self._executable(stages.words[0]))
        except (NotOnePipeline, CommandNotFound):
            return None
        limits = oracle.limits.at_most(Limits(_PIPE_SECONDS))
        piped = oracle.run(text, limits=limits)
        if not piped.failed or piped.kind.traits.costly:
            return None
        one, opt = replace(self, words=words).oracle(text)
        whole = one.run(text, limits=limits).signature
        stack = piped.signature.frames and whole.frames  # a pipe may have lost it
        if not same_failure(piped.signature, replace(whole, frames=stack), Across.TOOLS):
            return None
        print_status(f"the pipe becomes one command, which fails alike: {shlex.join(words)}")
        return one, opt

    def _plugin_oracle(self, spec: str, limits: Limits, text: str) -> tuple[Oracle, Path | None]:
        """A user-defined oracle, with its command if it has one."""
        from oracles.plugin import PluginOracle, load_plugin

        try:
            plugin = load_plugin(spec)
        except PluginError as error:
            raise UsageError(f"--test: {error}") from error
        command = executable = None
        if self.words:
            command = Command.parse(self.words, source=self.source, directory=Path.cwd())
            executable = self._executable(command.program)
        version = [] if self.iree is None else ["--iree", self.iree]

        def shown(input_name: str) -> list[str]:
            return ["mlir-reducer", "check", input_name, *version, "--test", spec]

        oracle = PluginOracle(
            plugin, command, executable, name=self.candidate, limits=limits, shown=shown
        )
        return oracle, self._opt(text, executable)

    def _check(self, text: str) -> None:
        if self.script is not None and self.words:
            raise UsageError("--test and a command after -- were both given; give only one of them")
        self.check()
        if self.wrong_results and "--" in self.words:
            raise UsageError("a second -- must be followed by iree-run-module or mlir-runner")
        if self.run and not self.wrong_results and self.metric is None:
            raise UsageError("a second command needs --wrong-results")
        if self.test is None and not self.words:
            commands = read_crash(text, self.source).commands
            words = (
                shlex.join(commands[0]).replace("'{}'", "{}") if commands else "iree-compile FLAGS"
            )
            words = words.removesuffix(" {}")
            raise UsageError(
                "no command to run; put the failing command after two dashes: "
                f"{self.source} -- {words} (or give a script with --test)"
            )

    def _comparison(self) -> "WrongResults":
        from reducer.cli.request.call_options import (
            CallOptions,  # these import all that compares results
        )
        from reducer.cli.request.wrong_results import WrongResults

        tolerance, signs = _tolerance(self.tolerance)
        return WrongResults(self.references, tolerance, CallOptions(self.run, self.inputs), signs)

    def _check_words(
        self, comparison: "WrongResults", input_name: str, command: Command
    ) -> list[str]:
        """The command line that shows the wrong results again, using this program to compare."""
        version = [] if self.iree is None else ["--iree", self.iree]
        if input_name != self.source.name:
            comparison = comparison.for_candidates
        words = ["mlir-reducer", "check", input_name, *version, *comparison.words()]
        words += ["--", *command.launcher, command.program, *command.flags]
        return [*words, *comparison.run_words()]

    def _executable(self, name: str) -> Path:
        try:
            executable = resolve_executable(name, self.iree, progress=print_status)
        except ToolchainError as error:
            if self.iree is not None and Toolchain.provides(Path(name).name):
                raise  # that version cannot be installed
            raise CommandNotFound(str(error)) from error
        if self.iree is None:
            say_choice(name, executable)
        return executable

    def _opt(self, text: str, executable: Path | None = None) -> Path | None:
        """The `…-opt` tool that is given, or belongs to a program.

        For a script or a compiler of no known project, it is the one that the script or the command
        names, one in the compiler's folder, or any that can print the input.
        """
        if self.opt is not None:
            return given_opt(self.opt)
        own = verifying_tool(executable) if executable is not None else None
        if own is None and self.iree is not None:
            own = install(self.iree, progress=print_status).opt
        own = own or named_opt(self._command_text(), text)
        if own is None and executable is not None and profile_of(executable) is not MLIR:
            return default_opt()
        beside = opt_beside(executable, text) if own is None and executable is not None else None
        return own or beside or some_opt(text, self.max_seconds)

    def _command_text(self) -> str:
        """What runs the compiler: the words of the command, or the text of a script."""
        words = "\n".join(self.words)
        if self.script is not None and self.script.is_file():
            return self.script.read_text(encoding="utf-8", errors="replace")
        return "\n".join([words, *map(text_of_script, self.words[:1])])

    def _memory(self) -> int:
        """The memory limit of one run in bytes, so that no candidate can do harm."""
        return memory_limit() if self.memory_limit is None else self.memory_limit * _MEGABYTE


def entry_flags(entry: str | None) -> tuple[str, ...]:
    """The command that runs a function with MLIR's tool, if there is one."""
    return ("mlir-runner", f"--entry-point={entry}") if entry else ()


def _tolerance(given: str | None) -> tuple[float | None, bool | None]:
    """The accepted difference, and whether the sign of a zero counts.

    >>> _tolerance("0.5,signed-zeros")
    (0.5, True)
    """
    number = signs = None
    for word in (given or "").split(",") if given is not None else ():
        if word in _ZEROS:
            signs = _ZEROS[word]
        elif re.fullmatch(r"\d*\.?\d+(?:[eE][-+]?\d+)?", word):
            number = float(word)
        else:
            raise UsageError(
                f"--tolerance: '{word}' is neither a number (0.01), signed-zeros, nor any-zeros"
            )
    return number, signs


def _script(path: Path) -> Path:
    if not path.is_file():
        raise CommandNotFound(f"--test: {path}: no such file")
    if not os.access(path, os.X_OK):
        raise CommandNotFound(f"--test: {path} is not executable; run: chmod +x {path}")
    return path


def releases_to_ask(
    versions: Sequence[str], oracle: Oracle, option: str
) -> "tuple[BuildConfig, ...]":
    """The releases of these versions, installed if they are missing.

    Raises:
        UsageError: the oracle does not run an IREE compiler.
        ToolchainError: a version cannot be installed.
    """
    if not versions:
        return ()
    compiler = capabilities_of(oracle).failures
    if compiler is None or not Toolchain.provides(compiler.executable.name):
        raise UsageError(
            f"{option} needs an IREE tool after --, and cannot be combined with --test, "
            "--match, --signature exit=N, or --wrong-results"
        )
    from reducer.identity.builds import release_config

    return tuple(
        release_config(
            install(version, progress=print_status),
            compiler.executable.name,
        )
        for version in versions
    )
