"""The order of the stages in a reduction: locate the failure, halve, polish to a fixpoint, print.

To change the order, edit the tables at the end of this file. The stages themselves are in
`locating`, `shrinking` and `finishing`.
"""

from functools import partial

from reducer.health import Health
from reducer.ir import Module, PlainText
from reducer.ir.debug_info import has_locations
from reducer.session import (
    auditing,
    degenerate,
    finishing,
    frequency,
    legible,
    level_above,
    locating,
    other_files,
    shrinking,
    tell_again,
)
from reducer.session.context import Context
from reducer.session.stage import Again, Stage, Step, StoppingEarly, UnderShortLimits, carry_out

_WORTH_STOPPING_EARLY = 12  # ops; with fewer left, finding the phase costs more than it saves
_WORTH_ISOLATING = 500  # ops; below this, halving is cheaper than compiling each dispatch
_WORTH_GOING_DOWN = 60  # ops; below this, finding the pass costs as many runs as reducing
_TOO_LARGE_TO_REPEAT = 2_500  # ops; finding the phase takes several runs of the whole module


def search(context: Context) -> None:
    """Reduce as far as possible; a complete search leaves a 1-minimal result.

    Raises:
        Stopped: the budget is spent, or the user interrupted the run.
        FlakyOracle: a candidate does not fail in the same way every time.
    """
    carry_out(SEARCH, context)


def finish(context: Context) -> None:
    """Print the best result in readable form and verify it, however the search ended.

    Raises:
        Stopped: the user interrupted the run.
    """
    carry_out(FINISH, context)


# ---- when stages apply -----------------------------------------------------------------------


def _is_module(context: Context) -> bool:
    return isinstance(context.document, Module)


def _is_text(context: Context) -> bool:
    return isinstance(context.document, PlainText)


def _is_unlocated_module(context: Context) -> bool:
    return _is_module(context) and not context.is_located


def _may_need_locations(context: Context) -> bool:
    return _is_unlocated_module(context) and has_locations(context.settings.text)


def _is_located_module(context: Context) -> bool:
    return _is_module(context) and context.is_located and _is_not_halved(context)


def _is_to_be_isolated(context: Context) -> bool:
    return _is_unlocated_module(context) and context.document.op_count >= _WORTH_ISOLATING


def _is_to_be_isolated_soon(context: Context) -> bool:
    """Whether isolating finds something for sure, since the failure says that it is in a dispatch.

    The ops of one dispatch may be far from each other in the input, where no window has them all.
    """
    return _is_to_be_isolated(context) and locating.fails_in_dispatch(context)


def _is_to_be_isolated_late(context: Context) -> bool:
    is_unknown = not locating.fails_in_dispatch(context)
    return _is_to_be_isolated(context) and is_unknown and not _fails_early(context)


def _fails_early(context: Context) -> bool:
    """Whether it is known to fail so early that the rest of the compiler need not run."""
    return locating.fails_before_dispatches(context) and context.impatient is None


def _is_to_be_sampled_early(context: Context) -> bool:
    return _is_unlocated_module(context) and _fails_early(context)


def _is_to_be_sampled(context: Context) -> bool:
    return _is_unlocated_module(context) and not _fails_early(context)


def _is_unlocated(context: Context) -> bool:
    return not context.is_located


def _fails_every_time(context: Context) -> bool:
    return context.full.query.test is None


def _is_too_large_to_repeat(context: Context) -> bool:
    return _is_module(context) and context.document.op_count > _TOO_LARGE_TO_REPEAT


def _is_too_large_for_flags(context: Context) -> bool:
    return _is_module(context) and context.document.op_count > shrinking.CHEAP_OPS


def _is_worth_stopping_early(context: Context) -> bool:
    return context.document.op_count >= _WORTH_STOPPING_EARLY


def _is_worth_going_down(context: Context) -> bool:
    is_large = context.document.op_count >= _WORTH_GOING_DOWN
    return _is_module(context) and is_large and context.settings.changes_level


def _is_to_be_halved_first(context: Context) -> bool:
    return _is_worth_going_down(context) and _is_not_halved(context)


def _is_not_halved(context: Context) -> bool:
    return context.document.text != context.halved


def _may_lose_flags(context: Context) -> bool:
    return not context.settings.keep_flags


def _may_lose_flags_soon(context: Context) -> bool:
    is_small = _is_module(context) and not _is_too_large_for_flags(context)
    return is_small and _may_lose_flags(context)


def _may_lose_flags_below(context: Context) -> bool:
    """Whether only what is left after going down is small enough to try without flags."""
    above = context.above
    is_new = above is not None and above.program.document.op_count > shrinking.CHEAP_OPS
    return is_new and _may_lose_flags_soon(context)


def _is_to_be_repeated(context: Context) -> bool:
    return _fails_every_time(context) and not context.is_repeated


def _has_other_places(context: Context) -> bool:
    return context.health is not None and _is_module(context)


def _is_unknown_elsewhere(context: Context) -> bool:
    return _has_other_places(context) and not context.is_complete


def _is_degenerate_and_fails_everywhere(context: Context) -> bool:
    """Whether nothing else tells if a degenerate result is still the bug of the input."""
    check = context.health
    compiles = check is not None and bool(check.result.places(Health.COMPILES))
    return not compiles and degenerate.is_degenerate(context)


def _may_be_refused_for_what_it_lacks(context: Context) -> bool:
    """Whether nothing else tells if a result without constants is still the bug of the input."""
    check = context.health
    compiles = check is not None and bool(check.result.places(Health.COMPILES))
    return not compiles and tell_again.may_need_what_it_was_told(context)


def _is_to_be_printed(context: Context) -> bool:
    """Whether the result will be in pretty form, and its failure can be asked for in few runs."""
    wanted = context.conversions.opt is not None and not context.settings.keep_generic
    asked = _is_module(context) and not context.exhausts and _fails_every_time(context)
    return wanted and asked


def _may_fail_less_often(context: Context) -> bool:
    """Whether the failure is one that luck may have a part in, known by its stack or measured."""
    by_stack = context.first.signature.kind.traits.known_by_stack
    return _is_module(context) and (by_stack or context.flaky is not None)


def _went_down(context: Context) -> bool:
    return context.above is not None


def _went_down_quickly(context: Context) -> bool:
    """Whether the program above can be run a few times: no run takes as long as the limit."""
    return _went_down(context) and not context.exhausts


def _has_command(context: Context) -> bool:
    return context.full.oracle.command is not None


def _always(context: Context) -> bool:
    return True


# ---- the plan --------------------------------------------------------------------------------

_FIND_PHASE = Stage("find the failing phase", _is_worth_stopping_early, shrinking.find_phase)
_HALVE = Stage("halve", _is_not_halved, shrinking.halve_module)
_POLISH = Stage("polish", _is_module, shrinking.polish_module)
_CUT_TEXT = Stage("cut as text", _is_text, shrinking.cut_text)
_DROP_FLAGS = Stage("drop flags", _may_lose_flags, shrinking.drop_flags)
_GO_DOWN = Stage("go down a level", _is_worth_going_down, shrinking.go_down)
_AUDIT = Stage("ask elsewhere", _has_other_places, auditing.audit)
_COMPLETE_AUDIT = Stage("ask elsewhere", _has_other_places, auditing.complete)
_COMPARE = Stage(
    "compare with a larger program",
    _is_degenerate_and_fails_everywhere,
    degenerate.decide_degenerate,
)
_TELL_AGAIN = Stage(
    "keep constants and attributes",
    _may_be_refused_for_what_it_lacks,
    tell_again.keep_what_it_was_told,
)
_KEEP_FREQUENT = Stage("count how often it fails", _may_fail_less_often, frequency.keep_frequent)
_KEEP_READABLE = Stage("print and run it", _is_to_be_printed, legible.keep_readable)

_MINIMIZE: tuple[Step, ...] = (
    StoppingEarly(_is_module, _FIND_PHASE, (_HALVE, _POLISH)),
    UnderShortLimits(_CUT_TEXT),
)

_OTHER_FILES = Stage(
    "reduce other files",
    lambda context: bool(other_files.other_modules(context)),
    partial(other_files.reduce_others, minimize=_MINIMIZE),
)

# Sample a large input whose own run has noted in which phase it fails.
_SAMPLE_EARLY = StoppingEarly(
    _is_to_be_sampled_early,
    Stage("stop after the failing phase", _always, shrinking.trust_phase),
    (
        Stage("sample each kind of op", _is_unlocated_module, locating.sample_kinds),
        Stage("sample parts of it", _is_unlocated_module, locating.sample_parts),
        Stage("halve", _is_located_module, shrinking.halve_module),
    ),
)

# Locate the failure without running anything large again.
_LOCATE: tuple[Step, ...] = (
    UnderShortLimits(
        Stage("follow the diagnostics", _is_unlocated_module, locating.follow_diagnostics)
    ),
    _SAMPLE_EARLY,
    *(
        UnderShortLimits(stage)
        for stage in (
            Stage("sample the rarest ops", _is_to_be_isolated_soon, locating.sample_rarest),
            Stage("find the failing dispatch", _is_to_be_isolated_soon, locating.follow_dispatch),
            Stage("sample each kind of op", _is_to_be_sampled, locating.sample_kinds),
            Stage("sample parts of it", _is_to_be_sampled, locating.sample_parts),
            Stage("find the failing dispatch", _is_to_be_isolated_late, locating.follow_dispatch),
            Stage("run the input in generic form", _is_unlocated_module, locating.run_print),
            Stage("run it with locations", _may_need_locations, locating.run_located_print),
        )
    ),
)

SEARCH: tuple[Step, ...] = (
    *_LOCATE,
    Stage("fall back to text", _is_unlocated, locating.fall_back_to_text),
    # Cut large modules before the stages that need many runs.
    UnderShortLimits(Stage("halve", _is_too_large_to_repeat, shrinking.halve_module)),
    StoppingEarly(_is_too_large_for_flags, _FIND_PHASE, (_HALVE,)),
    # Whether it fails every time is asked about what is left, which is cheaper to run.
    Stage("run it again", _fails_every_time, shrinking.run_again),
    Stage("drop flags", _may_lose_flags_soon, shrinking.drop_flags),
    # The program above is smaller then, and may be small enough to go on with.
    Stage("halve", _is_to_be_halved_first, shrinking.halve_module),
    _GO_DOWN,
    # What is minimized with flags that it does not need is minimized again without them.
    Stage("drop flags", _may_lose_flags_below, shrinking.drop_flags),
    # Minimize what is left.
    *_MINIMIZE,
    Stage("run it again", _is_to_be_repeated, shrinking.run_again),
    Again(_DROP_FLAGS, _MINIMIZE),
    Again(_OTHER_FILES, (*_MINIMIZE, Again(_DROP_FLAGS, _MINIMIZE))),
    # Go back if the result is another bug.
    Again(_AUDIT, (*_LOCATE, *_MINIMIZE, Again(_DROP_FLAGS, _MINIMIZE))),
    # If it fails everywhere, it may be for lack of what the input has; if not, only its IR tells.
    Again(_TELL_AGAIN, (_COMPLETE_AUDIT,)),
    Again(_COMPARE, (_COMPLETE_AUDIT,)),
    # Go back if only its generic form fails.
    Again(_KEEP_READABLE, (*_MINIMIZE, Again(_DROP_FLAGS, _MINIMIZE), _COMPARE, _COMPLETE_AUDIT)),
    # Go back if it fails by luck only.
    Again(_KEEP_FREQUENT, (*_MINIMIZE, _COMPARE, _COMPLETE_AUDIT)),
    # Whoever filed the failure wants it in the dialects of the input as well.
    Stage("reduce the program above", _went_down_quickly, level_above.shrink_above),
)

FINISH: tuple[Step, ...] = (
    Stage("ask elsewhere", _is_unknown_elsewhere, auditing.complete),
    Stage("print", _always, finishing.print_for_people),
    Stage("verify", _always, finishing.verify),
    Stage("say what was not reduced", _has_command, finishing.say_what_was_kept),
    Stage("print the program above", _went_down, level_above.print_above),
)
