"""Known issues that resemble a failure come first, each with the reason for its place.

Messages, ops, passes and functions count, in fields as in the text of an issue, and what is rare
weighs more. Nothing in common is no resemblance.

This file: what identifies a failure, in fields and in the text of an issue.
"""

from oracles import Kind, Signature
from reducer.report.similar import Evidence
from reducer.report.similar.evidence import ops_of, spelled

ISSUE = """
```
./repro.mlir:3:5: error: failed to legalize operation 'a.topk' that was explicitly marked illegal
```
iree-compile repro.mlir --iree-rocm-target=gfx942, see IR Dump After ConvertAToB Failed
 #0 0x00007f0000000004 x::FoldPattern::rewrite(int) const (/lib/libA.so+0x4)
> `opt: a.h:3: void x::f(): Assertion `n == size() && "no"' failed.`
"""


def test_an_issue_says_it_in_prose_and_in_blocks() -> None:
    found = Evidence.of_issue("Crash in GPUPadOperandsPass", ISSUE)
    assert any("failed to legalize operation 'a.topk'" in one for one in found.messages)
    assert any('n == size() && "no"' in one for one in found.messages)
    assert {"gpu-pad-operands", "convert-a-to-b"} <= found.passes
    assert "x::FoldPattern::rewrite" in found.functions
    assert {"a.topk"} <= found.ops
    assert {"gfx942", "iree-compile"} <= found.targets


def test_a_failure_says_it_in_fields() -> None:
    signature = Signature(
        Kind.ASSERTION, "n == size() in x::f", "a.topk", "pipeline CSEPass", ("x::f", "x::g")
    )
    found = Evidence.of_failure(signature, "%0 = a.sort %1 : i1\nfunc.return\n", passes=[""])
    assert found.messages == {"n == size()"}
    assert found.functions == {"x::f", "x::g"}
    assert found.passes == {"cse"}
    assert found.ops == {"a.topk", "a.sort"}
    assert found.bucket == signature.bucket


def test_the_place_of_an_assertion_is_no_part_of_its_message() -> None:
    """It is written in another way elsewhere."""
    for place in (" in x::f", " at a.cpp", " in f at a.cpp", ""):
        signature = Signature(Kind.ASSERTION, f"n == size(){place}")
        assert Evidence.of_failure(signature, "").messages == {"n == size()"}


def test_an_issue_may_have_either_of_two_messages() -> None:
    signature = Signature(Kind.FATAL_ERROR, "E cannot translate <- 'a.b' op has no rule")
    found = Evidence.of_failure(signature, "")
    assert found.messages == {"E cannot translate", "'a.b' op has no rule"}


def test_the_name_of_a_signal_is_no_message() -> None:
    crash = Signature(Kind.CRASH, "SIGSEGV", frames=("x::f",))
    assert Evidence.of_failure(crash, "").messages == frozenset()


def test_offsets_are_no_functions() -> None:
    crash = Signature(Kind.CRASH, "SIGSEGV", frames=("libA.so+0x12",))
    assert Evidence.of_failure(crash, "").functions == frozenset()


def test_ops_of_generic_and_pretty_form() -> None:
    text = '%0 = "a.b"(%1) <{n = "c.d"}> : (!t.x) -> i1\n  %2 = e.f %0 {g.h = #i.j} // k.l\n'
    assert ops_of(text) >= {"a.b", "e.f"}
    assert ops_of(text).isdisjoint({"c.d", "t.x", "i.j", "k.l"})


def test_a_pass_has_one_name() -> None:
    assert spelled("(anonymous namespace)::CollapseDimensionsPass") == "collapse-dimensions"
    assert spelled("collapse-dimensions") == "collapse-dimensions"


def test_long_texts_take_linear_time() -> None:
    for text in (
        "a-" * 200_000,
        "a.b" * 100_000,
        "::a" * 100_000,
        '= "' * 100_000,
        "loc(" * 99_999,
    ):
        Evidence.of_issue("x", text)
