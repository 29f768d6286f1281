"""The table of stages: what a reduction does, in order, from reading the input to the pass level.

To change the order, edit the tables below. A stage is one value, in the module that carries it out:
its name, the programs that it applies to, and what it does. What a caller appends to `FOLLOW`, such
as a bug report, is such a value as well.
"""

from reducer.driver.stage import Again, Step, StoppingEarly, UnderShortLimits, is_module
from reducer.driver.stages import (
    finishing,
    input_level_program,
    locating,
    memory_check,
    opening,
    other_files,
    own_shapes,
    pass_level,
    preparing,
    rewrite_level,
    shrinking,
    still_the_bug,
)

# Ask about releases as soon as a program is nearly minimal, where going back costs least.
_POLISH = shrinking.polish_with(still_the_bug.ask_elsewhere_early)
_COMPARE = still_the_bug.compared_after(_POLISH)

READ = (opening.NORMALIZE, opening.RUN_INPUT)

PREPARE: tuple[Step, ...] = (
    preparing.WORK_AHEAD,
    preparing.CHECK_EMPTY_MODULE,
    preparing.STAND_BY_INPUT,
    preparing.REMARK_ON_SIGNAL,
    preparing.COLLECT_OTHERS,
)

# Locate the failure without running anything large again.
_LOCATE: tuple[Step, ...] = (
    UnderShortLimits(locating.FOLLOW_RESULT),
    UnderShortLimits(locating.FOLLOW_DIAGNOSTICS),
    # Sample a large input whose own run has noted in which phase it fails.
    StoppingEarly(
        locating.is_to_be_sampled_early,
        shrinking.TRUST_PHASE,
        (
            locating.SAMPLE_KINDS,
            locating.SAMPLE_PARTS,
            shrinking.HALVE.only(locating.is_located_module),
        ),
    ),
    UnderShortLimits(locating.FOLLOW_DISPATCH),
    UnderShortLimits(locating.SAMPLE_KINDS.only(locating.fails_late)),
    UnderShortLimits(locating.SAMPLE_PARTS.only(locating.fails_late)),
    locating.REST_ON_LOG,
    UnderShortLimits(locating.FIND_DISPATCH),
    UnderShortLimits(locating.RUN_PRINT),
    UnderShortLimits(locating.RUN_LOCATED_PRINT),
)

_MINIMIZE: tuple[Step, ...] = (
    StoppingEarly(is_module, shrinking.FIND_PHASE, (shrinking.HALVE, _POLISH)),
    UnderShortLimits(shrinking.CUT_TEXT),
)

# What was minimized with flags that it does not need is minimized again without them.
_MINIMIZE_WITHOUT_FLAGS = Again(shrinking.DROP_FLAGS, _MINIMIZE)

SEARCH: tuple[Step, ...] = (
    *_LOCATE,
    Again(locating.RETURN_NOTHING, _LOCATE),
    # A crash that has no steady place gets a name that parts of the program have as well.
    Again(memory_check.FIRST_BAD_ACCESS, _LOCATE),
    locating.FALL_BACK_TO_TEXT,
    # Cut what is large, or runs quickly, before the stages that need many runs.
    UnderShortLimits(shrinking.HALVE_AT_ONCE),
    StoppingEarly(shrinking.is_too_large_for_flags, shrinking.FIND_PHASE, (shrinking.HALVE,)),
    # Whether it fails every time is asked about what is left, which is cheaper to run.
    shrinking.RUN_AGAIN,
    shrinking.DROP_FLAGS.only(shrinking.is_cheap),
    # The program above is smaller then, and may be small enough to go on with.
    shrinking.HALVE.only(shrinking.is_worth_going_down),
    shrinking.GO_DOWN,
    shrinking.DROP_FLAGS.only(shrinking.is_cheap_only_below),
    # Minimize what is left.
    memory_check.FIRST_BAD_ACCESS,
    *_MINIMIZE,
    shrinking.RUN_AGAIN.only(shrinking.is_to_be_repeated),
    _MINIMIZE_WITHOUT_FLAGS,
    Again(memory_check.FIRST_BAD_ACCESS, _MINIMIZE),
    Again(other_files.reduced_with(_MINIMIZE), (*_MINIMIZE, _MINIMIZE_WITHOUT_FLAGS)),
    # Go back if the result is another bug.
    Again(still_the_bug.ASK_ELSEWHERE, (*_LOCATE, *_MINIMIZE, _MINIMIZE_WITHOUT_FLAGS)),
    # If it fails everywhere, it may be for lack of a constant that a conversion requires; if not,
    # only its IR tells.
    Again(still_the_bug.KEEP_CONSTANTS, (_POLISH, still_the_bug.COMPLETE)),
    Again(_COMPARE, (still_the_bug.COMPLETE,)),
    # Go back if only its generic form fails.
    Again(
        still_the_bug.KEEP_PRETTY_FORM,
        (*_MINIMIZE, _MINIMIZE_WITHOUT_FLAGS, _COMPARE, still_the_bug.COMPLETE),
    ),
    # Go back if it fails by luck only.
    Again(still_the_bug.KEEP_FREQUENT, (*_MINIMIZE, _COMPARE, still_the_bug.COMPLETE)),
    Again(memory_check.FIRST_BAD_ACCESS, _MINIMIZE),
    # Also reduce at the input's dialect level.
    input_level_program.REDUCE_INPUT_LEVEL,
)

FINISH: tuple[Step, ...] = (
    still_the_bug.COMPLETE.only(still_the_bug.is_unfinished),
    finishing.PRINT,
    finishing.VERIFY,
    finishing.SAY_WHAT_WAS_KEPT,
    input_level_program.PRINT_INPUT_LEVEL,
    own_shapes.KEEP_SHAPES,
)

PRINT = finishing.PRINT, finishing.VERIFY
"""What is left to do after Ctrl-C."""

FOLLOW = (pass_level.PASS_LEVEL_STAGE, rewrite_level.BLAME_REWRITE)
