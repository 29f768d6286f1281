"""Describe one compiler project as data.

Compilers built on MLIR share its flags, generic form, diagnostics and `…-opt` tool, and most of
this program relies on those alone. Everything else about a compiler is in its `CompilerProfile`.

There are two kinds of fields. *Capabilities* (`phases`, `dispatches`, `dispatch_calls`, `targets`,
`runtime`, `releases`) are None for a compiler without them, and the steps that need them are
skipped. *Wordings* are patterns for text that a compiler prints or reads. They are combined over
all profiles (`any_of`), because text does not show which program it belongs to: a wrapper may have
any name, and signatures are compared long after the run.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path, PurePath


@dataclass(frozen=True)
class Phases:
    """The phases of a compilation that can be stopped after each of them.

    Attributes:
        names: the phases in order, without those after which stopping saves nothing.
        stop_flag: `stop_flag=NAME` stops the compiler after a phase.
        dump_flag: `dump_flag=FOLDER` writes a file after each finished phase.
        dumped: the phases that have a file in such a folder.
        of_programs: the phases in which the IR is still in dialects that the compiler accepts as
            input, so that IR reduced there can be made a program again.
    """

    names: tuple[str, ...]
    stop_flag: str
    dump_flag: str
    dumped: Callable[[Path], frozenset[str]]
    of_programs: frozenset[str]


@dataclass(frozen=True)
class Dispatches:
    """How to extract the separately compiled parts of a program, and compile one of them alone.

    Attributes:
        write_flags: flags that write the dispatches, with locations, to a folder.
        stop_flags: flags with which the compiler stops once it has written them.
        compile_flags: flags with which the compiler accepts a dispatch as its input.
        op: the op that contains a dispatch; its symbol name is that of the dispatch. Several of
            them in one text are compiled as well.
        compiled_in: the phases that compile dispatches; '' is the part after the last phase.
        mentioned: a pattern for what is printed if a failure is in the compilation of a dispatch.
        load, store: the ops that read and write a part of a buffer as a tensor. The first operand
            of a store is the tensor.
        same: ops whose result is their first operand.
        tie: an op whose result is its first operand, a tensor, with the sizes that are the others.
        interface: how the names of the ops begin through which the caller hands over buffers and
            numbers.
    """

    write_flags: Callable[[Path], tuple[str, ...]]
    stop_flags: tuple[str, ...]
    compile_flags: tuple[str, ...]
    op: str
    compiled_in: frozenset[str]
    mentioned: str = r"(?!)"
    load: frozenset[str] = frozenset()
    store: frozenset[str] = frozenset()
    same: frozenset[str] = frozenset()
    tie: str = ""
    interface: str = ""


TracedTensor = tuple[str, str, Sequence[str]]
"""A tensor in IR: the name of the value, its type, and the names of its dynamic sizes."""


@dataclass(frozen=True)
class DispatchCalls:
    """The IR in which a program calls its dispatches: how to get, read and trace it.

    A dispatch is a function there whose arguments are the tensors that it reads and writes.

    Attributes:
        phase: the phase that makes this IR.
        formed_in: the phase before it, whose IR still has the ops of each dispatch where it is
            called; thus they have the locations of this very call.
        dump_flags: flags that write the IR of both phases and those before them to a folder, in
            generic form with locations, and stop.
        dumped: the files in such a folder, by phase.
        resume_flags: flags with which the compiler accepts this IR as its input.
        call: the op that calls a dispatch. Its operands come in segments: the workload, the
            arguments, the sizes of the arguments, and those of the results.
        callee, tied: the properties of that op that name the dispatch, and that list, for each
            result, the number of the argument that it overwrites, or -1.
        region: the ops that contain the ops of a dispatch in the IR of `formed_in`.
        argument: a pattern for the type of a tensor argument of a dispatch, with groups for the
            access (`readonly`, `readwrite` or `writeonly`) and the type of the tensor.
        load, store: the ops that read and write (a part of) such an argument. Operands of a load
            are in segments: argument, its sizes, offsets, sizes, strides; those of a store have the
            value before them.
        same: ops whose result is their first operand, for values of any other type.
        imported: the op that makes a tensor of an argument of an exported function.
        export: an op that makes a result of an exported function, given the name of the result,
            and a tensor: its name, its type and its dynamic sizes.
        exported_type: the type of such a result.
        barrier: the op that signals its last operand, a fence, once the tensors before it are
            complete, and whose results are these tensors.
        trace: an op that prints tensors at run time, given a key. They are printed in one line each
            below a line with the key, and a blank line ends them.
        as_tensor: ops that make a tensor of a number, given its name, its type, and what the names
            of new values start with; and the name and the type of the tensor.
        traced: a pattern for the line with the key, with a group for the key.
    """

    phase: str
    formed_in: str
    dump_flags: Callable[[Path], tuple[str, ...]]
    dumped: Callable[[Path], Mapping[str, Path]]
    resume_flags: tuple[str, ...]
    call: str
    callee: str
    tied: str
    region: frozenset[str]
    argument: str
    load: frozenset[str]
    store: frozenset[str]
    same: frozenset[str]
    imported: str
    export: Callable[[str, str, str, Sequence[str]], str]
    exported_type: str
    barrier: str
    trace: Callable[[str, Sequence[TracedTensor]], str]
    as_tensor: Callable[[str, str, str], tuple[str, str, str]]
    traced: str


@dataclass(frozen=True)
class RenamedFlags:
    """Flags that are spelled differently in different releases, with two dashes.

    Attributes:
        names: the names of the same flag, in the order in which releases used them.
        families: the old and the new prefix of a group of flags.
    """

    names: tuple[tuple[str, ...], ...] = ()
    families: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Releases:
    """Releases on the Python package index, and the layout of their packages.

    Attributes:
        compiler_package: the package with the compiler and its `…-opt` tool.
        runtime_package: the package with the program that runs compiled modules.
        tools: the programs in the compiler package; their entry points have the same names.
        libraries: the folder of those native programs, relative to `site-packages`.
        shared_library: the file in `libraries` that contains the whole compiler.
        runtime_libraries: the folder of the runtime's native program, relative to `site-packages`.
        nightlies: the page with links to nightly packages, for pip's `--find-links`; '' if none.
        published: the releases known when this was written, oldest first.
    """

    compiler_package: str
    runtime_package: str
    tools: tuple[str, ...]
    libraries: PurePath
    shared_library: str
    runtime_libraries: PurePath
    nightlies: str = ""
    published: tuple[str, ...] = ()


@dataclass(frozen=True)
class Targets:
    """What one compiler can compile for, and how hard it can optimize.

    Attributes:
        names: each target with the flags that select it, spelled as in the newest release.
        chosen: the targets that values of `selecting` name.
        selecting: flags that select a target, without dashes.
        families: prefixes of the flags that belong to one target, without dashes.
        level_flag: `level_flag=LEVEL` sets the optimization level.
        levels: the optimization levels.
        default_level: the level without that flag.
    """

    names: Mapping[str, tuple[str, ...]]
    chosen: Callable[[frozenset[str]], frozenset[str]]
    selecting: tuple[str, ...]
    families: tuple[str, ...]
    level_flag: str
    levels: tuple[str, ...]
    default_level: str


@dataclass(frozen=True)
class Runtime:
    """How to run compiled modules, and how to compile for other backends to compare results.

    `reducer/miscompile/values/programs.py` reads the compiled modules and the printed results.

    Attributes:
        program: the name of the program that runs compiled modules.
        callers: matches the tools that run programs, by name or path, of this project and others.
        suffix: the file name suffix of a compiled module.
        device_of: the device that runs what is compiled, given the set of values of the flags that
            select a target: the host if they name no known driver, several, or the host as well.
        reference_device: the device for references that run on the host: single-threaded.
        call: the arguments that select a compiled module, by path, and a function in it.
        input_flag: `input_flag=VALUE` adds an argument to the call.
        expected_flag: `expected_flag=VALUE` says what the next result should be.
        ignored_output: the value for a result that may be anything.
        difference: what is printed if a result is not the expected one.
        thresholds: for each type of floats that is compared up to an absolute tolerance the flag
            that sets it, and its default.
        parameters_flag: `parameters_flag=SCOPE=FILE` says where parameters are.
        module_flag, function_flag, device_flag, flagfile_flag: the other flags that say how to call
            a program.
        print_all: the flag that has so many elements of a result printed.
        on_device: the arguments that select a device, the number of printed elements of a result,
            and a file with further flags.
        statuses: the names of status codes in error messages.
        failure: a pattern for the line of standard error that says why a module failed, with the
            groups `status`, `message` and `place` (what the module had called). The latter two may
            be missing.
        in_call: a pattern for what is printed if the module failed once a function was called, and
            not before.
        queued: a pattern for the values of `place` that give work to a device or wait for it. Any
            of them may report what goes wrong there.
        heard: a pattern for the end of a message of such a call that names the function of the
            device's driver that reported the failure.
        device_missing: the statuses that concern the machine and not the module.
        backends: the backends that run on any machine, with the flags that select them in every
            release. The default reference is the first one that the command does not use.
        backend_of: the one of `backends` that a set of values of the flags that select a target
            names, if any.
        unoptimized: the flags for the lowest optimization level.
        front_end: the flags that stop the compiler once its front end has lowered a program to the
            core dialects, and have it write that.
        converted_types: the element types that the front end turns into others, given the flags of
            a command: what it makes of a program has another meaning.
        less_exact: matches flags that have the compiler compute with fewer digits than a program
            says, in places of its choice.
        identities: ops of the project that only return their operands.
    """

    program: str
    callers: re.Pattern[str]
    suffix: str
    device_of: Callable[[frozenset[str]], str]
    reference_device: str
    call: Callable[[str, str], list[str]]
    input_flag: str
    expected_flag: str
    ignored_output: str
    difference: str
    thresholds: Mapping[str, tuple[str, float]]
    parameters_flag: str
    module_flag: str
    function_flag: str
    device_flag: str
    flagfile_flag: str
    print_all: Callable[[int], str]
    on_device: Callable[[str, int, str], list[str]]
    statuses: frozenset[str]
    failure: re.Pattern[str]
    in_call: re.Pattern[str]
    queued: re.Pattern[str]
    heard: re.Pattern[str]
    device_missing: frozenset[str]
    backends: Mapping[str, tuple[str, ...]]
    backend_of: Callable[[frozenset[str]], str | None]
    unoptimized: tuple[str, ...]
    front_end: tuple[str, ...]
    converted_types: Callable[[Sequence[str]], frozenset[str]]
    less_exact: re.Pattern[str]
    identities: frozenset[str]


class FormPart(Enum):
    """A part of a bug report, wherever a project wants it."""

    HAPPENED = auto()
    """What the compiler does, and what it should do."""
    STEPS = auto()
    """The program and the commands."""
    COMPONENT = auto()
    """The components of the project."""
    VERSION = auto()
    """The version of the compiler, and since when it fails."""
    CONTEXT = auto()
    """Everything else."""


_REPOSITORY = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)/")


@dataclass(frozen=True)
class BugForm:
    """How a project wants its bugs reported.

    Attributes:
        sections: the headings of the project's issue template, in order, and the parts of a report
            that belong under each. A heading may be '', for a project without a template.
        components: the project's components that a bug concerns, given the program, the failing
            pass and the op (the latter two may be '').
        tags: what the project puts in front of the titles of issues, such as `[mlir][arith]`, given
            the failing pass (by its argument, or by its class with all namespaces) and the op that
            the compiler names (either may be '').
        url: where bugs are filed; '' if that is not known.
    """

    sections: tuple[tuple[str, tuple[FormPart, ...]], ...]
    components: Callable[[str, str, str], tuple[str, ...]]
    tags: Callable[[str, str], str] = lambda failing_pass, op: ""
    url: str = ""

    @property
    def repository(self) -> str:
        """The repository on GitHub, as OWNER/NAME; '' if bugs are not filed there."""
        found = _REPOSITORY.match(self.url)
        return found[1] if found else ""


_RELEASE = re.compile(r"-\d+(?:\.\d+)*$")


@dataclass(frozen=True)
class CompilerProfile:
    """A compiler project.

    Attributes:
        name: the name of the project.
        compiler: the program that compiles; '' for a project with only an `…-opt` tool.
        opt: the `…-opt` tool. A program belongs to the project if its name ends with either.
        bug_form: the template of bug reports.
        partial_flags: flags, without dashes, with which a command runs only part of the pipeline.
            Such a command can be neither stopped early nor started in the middle.
        phases: how to stop the compiler early.
        dispatches: how to compile parts of a program alone.
        dispatch_calls: how to see what each part of a program computes.
        targets: what the compiler can compile for.
        runtime: how to run compiled modules.
        releases: how to install releases.
        renamed_flags: flags whose names depend on the release.
        flags: what flags of MLIR are called, with two dashes, if no prefix is all that is missing.
        follow_ups: patterns of errors that only report that an earlier step failed.
        crash_banners: patterns of the lines above the stack trace of a crash.
        driver_frames: patterns of stack frames that only run passes (without whitespace), as
            MLIR's pass adaptor does; what they were called by says nothing about a crash.
        python_drivers: patterns of functions in Python, as `module.function`, that only call
            passes, patterns and hooks, or raise what these report.
        entry_frames: patterns of the frames at which the informative part of a stack ends.
        nesting_passes: patterns of the C++ class names of passes that only run other passes.
        target_flags: patterns of flags that select a target, without dashes and value.
        explorer: the name of its `…-opt` tool at Compiler Explorer (godbolt.org), as of the trunk.
        long_attributes: patterns of attribute names, without `#`, whose parameters are too long to
            show in a message.
        composite_passes: patterns of passes, by class and by argument, that run others: what these
            cost is no cost of theirs.
        serializing_passes: patterns of passes, by argument, that turn a part of the program into
            machine code: what is left after them is less than what was compiled.
        statistics_flags: flags that print numbers about the compiled program, as a JSON object.
        intermediates_flag: `intermediates_flag=FOLDER` writes assembly and the like to a folder.
    """

    name: str
    compiler: str
    opt: str
    bug_form: BugForm
    partial_flags: tuple[str, ...] = ()
    phases: Phases | None = None
    dispatches: Dispatches | None = None
    dispatch_calls: DispatchCalls | None = None
    targets: Targets | None = None
    runtime: Runtime | None = None
    releases: Releases | None = None
    renamed_flags: RenamedFlags = RenamedFlags()
    flags: Mapping[str, str] = field(default_factory=dict)
    follow_ups: tuple[str, ...] = ()
    crash_banners: tuple[str, ...] = ()
    driver_frames: tuple[str, ...] = ()
    python_drivers: tuple[str, ...] = ()
    entry_frames: tuple[str, ...] = ()
    nesting_passes: tuple[str, ...] = ()
    target_flags: tuple[str, ...] = ()
    long_attributes: tuple[str, ...] = ()
    explorer: str = ""
    composite_passes: tuple[str, ...] = ()
    serializing_passes: tuple[str, ...] = ()
    statistics_flags: tuple[str, ...] = ()
    intermediates_flag: str = ""

    def has(self, program: str) -> bool:
        """Whether a program of this name belongs to the project.

        A distribution may append the release to the name, as in `mlir-opt-22`.
        """
        name = _RELEASE.sub("", program)
        return name.endswith(tuple(filter(None, (self.compiler, self.opt))))

    def compiles_whole(self, program: str, flags: Sequence[str]) -> bool:
        """Whether a command runs the compiler's whole pipeline, so that it can be made to run less.

        `program` is the name of the executable.
        """
        names = {flag.partition("=")[0].lstrip("-") for flag in flags}
        known = bool(self.compiler) and _RELEASE.sub("", program).endswith(self.compiler)
        return known and names.isdisjoint(self.partial_flags)
