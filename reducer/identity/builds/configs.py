"""The build configurations of a program besides the failing one, and what happens to it there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path

from oracles import Command, CompilerOracle, run_process
from oracles.compilers.command import other_flags, other_target, target_values, values_of
from oracles.profiles import Targets, profile_of, targets_of
from reducer.toolchain import Toolchain, installed
from reducer.toolchain.flags import flags_of, translate


class BuildKind(StrEnum):
    """In what a build differs from the user's command."""

    TARGET = "target"
    RELEASE = "release"
    LEVEL = "level"


@dataclass(frozen=True)
class BuildConfig:
    """The user's command for another target, at another optimization level, or on another release.

    Attributes:
        name: `vulkan`, `O3`, `3.8.0`.
        position: which release or level it is, counted from the command's own: -1 is the one before
            that. 0 for targets, which have no order.
        program: the compiler of a release; None for the user's own.
        flags: what selects the target or level.
    """

    kind: BuildKind
    name: str
    position: int = 0
    program: Path | None = None
    flags: tuple[str, ...] = ()

    def oracle(self, failing: CompilerOracle) -> CompilerOracle | None:
        """The oracle of this build for the command of `failing`; None if there is no such command.

        A release may not know a flag of the command, and then says nothing about the program.
        """
        program = self.program or failing.executable
        command = _selecting(failing.command, self.kind, self.flags)
        translation = translate(command.argv, _flags_of(program), _flags_of(failing.executable))
        if translation.unknown:
            return None
        return CompilerOracle(
            replace(command, argv=translation.words),
            program,
            name=failing.name,
            output=failing.output,
            limits=failing.limits,
            # Other machines, if any, have only the user's own compiler.
            runner=run_process if self.program else failing.runner,
            level=failing.level,
        )


def configs_of(oracle: CompilerOracle) -> list[BuildConfig]:
    """All builds besides that of the oracle's command, on the installed releases.

    Nothing is known about a program that is not a compiler of a known project.
    """
    targets = targets_of(oracle.executable.name, oracle.command.flags)
    around = [] if targets is None else _targets_and_levels(oracle.command, targets)
    return [*around, *_releases(oracle)]


def release_config(toolchain: Toolchain, tool: str, position: int = 0) -> BuildConfig:
    """The build of one installed release; `tool` is the name of the program."""
    return BuildConfig(BuildKind.RELEASE, toolchain.version, position, toolchain.tool(tool))


def release_of(program: Path) -> str:
    """The version of the installed release that a program belongs to; '' if it is none."""
    if not Toolchain.provides(program.name):
        return ""
    return next((one.version for one in installed() if _is_same(one, program)), "")


def target_of(command: Command) -> str:
    """The targets that a command selects, with commas; '' if it says nothing about that."""
    targets = targets_of(command.program, command.flags)
    return "" if targets is None else ",".join(sorted(_chosen(command, targets)))


def _targets_and_levels(command: Command, targets: Targets) -> list[BuildConfig]:
    chosen = _chosen(command, targets)
    builds = [
        BuildConfig(BuildKind.TARGET, name, flags=flags)
        for name, flags in targets.names.items()
        if name not in chosen
    ]
    if not chosen:  # without a target, the command compiles for none
        builds = []
    given = values_of(command, targets.level_flag)
    level = given[-1] if given else targets.default_level
    own = targets.levels.index(level) if level in targets.levels else len(targets.levels)
    return builds + [
        BuildConfig(BuildKind.LEVEL, name, number - own, flags=(f"{targets.level_flag}={name}",))
        for number, name in enumerate(targets.levels)
        if number != own
    ]


def _releases(oracle: CompilerOracle) -> list[BuildConfig]:
    """The other installed releases; a program that is none of them counts as newer than all."""
    tool = oracle.executable.name
    if not Toolchain.provides(tool):
        return []
    found = [one for one in installed() if one.tool(tool).is_file()]
    own = [number for number, one in enumerate(found) if _is_same(one, oracle.executable)]
    middle = own[0] if own else len(found)
    return [
        release_config(one, tool, number - middle)
        for number, one in enumerate(found)
        if number != middle
    ]


def _is_same(toolchain: Toolchain, program: Path) -> bool:
    return toolchain.tool(program.name).resolve() == program.resolve()


def _chosen(command: Command, targets: Targets) -> frozenset[str]:
    return targets.chosen(target_values(command, targets) - {""})


def _selecting(command: Command, kind: BuildKind, flags: Sequence[str]) -> Command:
    """The command with these flags in place of those that they override."""
    if kind is BuildKind.RELEASE:
        return command
    if kind is BuildKind.LEVEL:
        return other_flags(command, flags)
    targets = profile_of(command.program).targets
    assert targets is not None, "only a compiler with targets has such builds"
    return other_target(command, flags, targets)


@cache
def _flags_of(program: Path) -> dict[str, str]:
    return flags_of(program)


class Health(StrEnum):
    """What happens to a program on one build.

    Only `COMPILES` and `SAME` say something about the bug. Behind another failure the bug may be
    there or not, and a compiler that cannot read the program or the command says nothing at all,
    as does one that runs out of time, or is not asked.
    """

    COMPILES = "compiles"
    SAME = "the same failure"
    OTHER = "another failure"
    UNKNOWN = "cannot tell"
    TIMED_OUT = "timed out"
    NOT_ASKED = "not asked"

    @property
    def failed(self) -> bool:
        """Whether the program fails on the build, in whatever way."""
        return self in (Health.SAME, Health.OTHER)

    @property
    def tells(self) -> bool:
        """Whether this says something about the bug."""
        return self in (Health.COMPILES, Health.SAME)

    def is_lost_in(self, smaller: "Health") -> bool:
        """Whether a smaller program shows another bug, if the original does this.

        It fails where the original compiles, or compiles where the original has the same failure.
        """
        if self is Health.COMPILES:
            return smaller.failed
        return self is Health.SAME and smaller is Health.COMPILES


Healths = Mapping[BuildConfig, Health]
"""The health of one program on each build that was asked, in the order in which they were."""
