"""The kinds of outcome that a run can have, and what each of them means to the rest of the program.

`Kind` is the table. To add a kind, add a row and have an oracle produce it: reports, triage and
reductions use the traits in the row and name no kinds.
"""

from dataclasses import dataclass
from enum import Enum, StrEnum, auto


class Conclusion(Enum):
    """What a run shows about the compiler."""

    FAILURE = auto()
    """The compiler fails on the input, or accepts or produces something it should not."""
    SUCCESS = auto()
    """Nothing is wrong."""
    REJECTED = auto()
    """The input cannot be parsed; it may be in the syntax of another version."""
    UNDECIDED = auto()
    """Nothing: it ran, but nothing can tell whether what it did is right."""
    NONE = auto()
    """Nothing: the run was cancelled."""


class Resource(Enum):
    """The resource that a run exhausted."""

    TIME = auto()
    MEMORY = auto()


class NamedBy(Enum):
    """What identifies a failure of a kind in comments and reports."""

    OUTPUT = auto()
    """The primary error, or else the last line of output."""
    DIAGNOSTIC = auto()
    """The primary error, or else the signature: the last line may belong to an IR dump."""
    SIGNATURE = auto()
    """The signature: the output is about something else, or empty."""
    STACK = auto()
    """How the process died, and in which functions."""
    DURATION = auto()
    """How long the run took."""


@dataclass(frozen=True, kw_only=True)
class Traits:
    """The properties of a kind of outcome. The defaults fit a compiler error message.

    Attributes:
        conclusion: what the kind shows about the compiler.
        exhausts: the resource that such a run exhausted; None if it ended by itself.
        aborts: whether the compiler dies immediately, so that a stack or a condition identifies the
            place, and the IR before the pass that was running shows the failure too.
        condition: whether the template quotes the compiler's source. Such a template is exact:
            nothing in it depends on the input, releases do not reword it, and it identifies one
            bug.
        rejects: whether the compiler explains what it does not accept, as it may do rightly.
        in_pass: whether only a pass can fail in this way, never the parser or the verifier.
        illegal_ir: whether IR breaks a rule, so that the IR alone shows the failure.
        illegal_op: whether the signature's op is one that no pattern converts.
        wrong_results: whether the compiled program fails or its results are wrong, not the run of
            the compiler.
        wrong_somewhere: whether it is open which of the programs that were compared is wrong.
        named_by: what identifies the failure in reports.
        happened: what the program does; `{signal}` is ` with SIGSEGV` or the like if there is a
            signal, `{input}` the name of the input.
        expected: what should happen instead.
        title: names the failure in a title, in place of the message; `{signal}` is as above,
            `{subject}` the failing pass or else the program, `{message}` the message in short.
        title_without_message: the same, only used if the signature has no template.
    """

    conclusion: Conclusion = Conclusion.FAILURE
    exhausts: Resource | None = None
    aborts: bool = False
    condition: bool = False
    rejects: bool = False
    in_pass: bool = False
    illegal_ir: bool = False
    illegal_op: bool = False
    wrong_results: bool = False
    wrong_somewhere: bool = False
    named_by: NamedBy = NamedBy.OUTPUT
    happened: str = "fails on {input}"
    expected: str = "The command should succeed."
    title: str = ""
    title_without_message: str = ""

    @property
    def succeeded(self) -> bool:
        """Whether nothing is wrong."""
        return self.conclusion is Conclusion.SUCCESS

    @property
    def cancelled(self) -> bool:
        """Whether the run was cancelled before it produced a result."""
        return self.conclusion is Conclusion.NONE

    @property
    def undecided(self) -> bool:
        """Whether the run completed, but nothing can tell whether its results are right."""
        return self.conclusion is Conclusion.UNDECIDED

    @property
    def rejected(self) -> bool:
        """Whether the input could not be parsed."""
        return self.conclusion is Conclusion.REJECTED

    @property
    def failed(self) -> bool:
        """Whether there is a failure to reduce, be it the input's fault or the compiler's."""
        return self.rejected or self.is_bug

    @property
    def is_bug(self) -> bool:
        """Whether the compiler is at fault, as far as the kind shows."""
        return self.conclusion is Conclusion.FAILURE

    @property
    def out_of_time(self) -> bool:
        """Whether the run took too long: it may hang, or only be slow."""
        return self.exhausts is Resource.TIME

    @property
    def out_of_memory(self) -> bool:
        """Whether the run needed more memory than was available."""
        return self.exhausts is Resource.MEMORY

    @property
    def known_by_stack(self) -> bool:
        """Whether nothing but the stack tells two such failures apart."""
        return self.named_by is NamedBy.STACK

    @property
    def costly(self) -> bool:
        """Whether such a run lasts until a limit.

        The point at which it ends is then arbitrary, so two inputs with this outcome need not have
        anything in common.
        """
        return self.exhausts is not None

    @property
    def tells(self) -> bool:
        """Whether the kind is conclusive: a specific failure, or none."""
        return self.succeeded or (self.is_bug and not self.costly)

    @property
    def kept_when_met(self) -> bool:
        """Whether a candidate with this outcome may be kept as another failure found on the way.

        One that took too long may only be slow.
        """
        return self.is_bug and not self.out_of_time


_DIAGNOSED = "The command should succeed, or print an error that explains what is wrong."
_UNWANTED = "No failure."


class Kind(StrEnum):
    """How one run ended; the coarsest part of a signature.

    The value is part of bucket names, journals and databases: it must never change.
    """

    traits: Traits

    def __new__(cls, value: str, traits: Traits | None = None) -> "Kind":
        """A member: its text and its traits. Only a lookup, `Kind("crash")`, passes no traits."""
        if traits is None:
            raise TypeError(f"the kind {value!r} has no traits")
        kind = str.__new__(cls, value)
        kind._value_ = value
        kind.traits = traits
        return kind

    VERIFIER = "verifier", Traits(rejects=True, illegal_ir=True)
    LEGALIZATION = "legalization", Traits(rejects=True, in_pass=True, illegal_op=True)
    BUFFERIZATION = "bufferization", Traits(rejects=True, in_pass=True)
    ASSERTION = (
        "assertion",
        Traits(
            aborts=True,
            condition=True,
            happened="fails an assertion on {input}",
            expected=_DIAGNOSED,
            title="{subject} fails {message}",
        ),
    )
    CRASH = (
        "crash",
        Traits(
            aborts=True,
            named_by=NamedBy.STACK,
            happened="crashes{signal} on {input}",
            expected=_DIAGNOSED,
            title="{subject} crashes{signal}",
        ),
    )
    FATAL_ERROR = (
        "fatal-error",
        Traits(aborts=True, happened="stops with a fatal error on {input}", expected=_DIAGNOSED),
    )
    TIMEOUT = (
        "timeout",
        Traits(
            exhausts=Resource.TIME,
            named_by=NamedBy.DURATION,
            happened="hangs on {input}",
            expected="The command should finish.",
            title="{subject} hangs",
        ),
    )
    MEMORY = (
        "memory",
        Traits(
            exhausts=Resource.MEMORY,
            named_by=NamedBy.SIGNATURE,
            happened="runs out of memory on {input}",
            expected="The command should finish within reasonable memory.",
            title_without_message="{subject} runs out of memory",
        ),
    )
    MISCOMPILE = (
        "miscompile",
        Traits(
            wrong_results=True,
            happened="miscompiles {input}",
            expected="The results listed below.",
            title="Wrong result",
        ),
    )
    DISAGREEMENT = (
        "disagreement",
        Traits(
            wrong_results=True,
            wrong_somewhere=True,
            happened="gives {input} other results than another backend does",
            expected="The same results on all backends; which of them are right is unknown.",
            title="Backends disagree",
        ),
    )
    RUN_FAILURE = (
        "run-failure",
        Traits(
            wrong_results=True,
            happened="compiles {input}, but the compiled program fails",
            expected="The compiled program should run to completion.",
            title="Compiled program fails",
        ),
    )
    OTHER_ERROR = "other-error", Traits(rejects=True)
    SUCCESS = "success", Traits(conclusion=Conclusion.SUCCESS)
    INVALID_INPUT = "invalid-input", Traits(conclusion=Conclusion.REJECTED)
    SCRIPT = (
        "script",
        Traits(
            named_by=NamedBy.SIGNATURE,
            happened="reports a failure on {input}",
            expected=_UNWANTED,
            title="{subject} reports a failure",
        ),
    )
    PLUGIN = (
        "plugin",
        Traits(
            named_by=NamedBy.SIGNATURE,
            happened="reports a failure on {input}",
            expected=_UNWANTED,
        ),
    )
    MATCH = (
        "match",
        Traits(
            named_by=NamedBy.DIAGNOSTIC,
            happened="prints unwanted output on {input}",
            expected="No such output.",
        ),
    )
    EXIT_CODE = (
        "exit-code",
        Traits(
            happened="exits with an unexpected status on {input}",
            expected="Another exit status.",
        ),
    )
    METRIC = (
        "metric",
        Traits(
            named_by=NamedBy.SIGNATURE,
            happened="costs more than it should on {input}",
            expected="As little as the reference.",
        ),
    )
    UNDECIDED = "cannot-judge", Traits(conclusion=Conclusion.UNDECIDED)
    CANCELLED = "cancelled", Traits(conclusion=Conclusion.NONE)
