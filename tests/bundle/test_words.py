"""Titles, and the ops that they name."""

from oracles import Kind, Signature
from reducer.bundle.words import culprits, is_ordinary, title
from tests.bundle.facts import facts


def test_the_op_that_the_failure_points_to() -> None:
    assert culprits(facts(place=3)) == ["x.bad"]
    assert culprits(facts(place=4)) == ["x.cst", "x.bad"], "a return is in every program"
    text = "\n".join(f"%{n} = a.op{n} %x : i1" for n in range(9))
    assert culprits(facts(text=text, place=None)) == []


def test_ops_of_every_program() -> None:
    for name in ("func.func", "func.return", "arith.constant", "torch.constant.int", "a.yield"):
        assert is_ordinary(name)
    assert not is_ordinary("torch.aten.topk")


def test_titles() -> None:
    assert title(facts()) == "`x.bad`: `failed to legalize operation 'x.bad'` (`hip`)"
    said = "'x.bad' op operand #0 must be a thing"
    wrong = facts(signature=Signature(Kind.VERIFIER, said, "x.bad"), messages=(f"error: {said}",))
    assert title(wrong) == "`x.bad`: `operand #0 must be a thing` (`hip`)"
    hang = facts(signature=Signature(Kind.TIMEOUT), place=None, text="x")
    assert title(hang) == "does not end (`hip`)"
    greedy = facts(signature=Signature(Kind.MEMORY), place=None, text="x")
    assert title(greedy) == "runs out of memory (`hip`)"


def test_a_long_message_gives_way_to_its_template() -> None:
    long = facts(
        signature=Signature(Kind.FATAL_ERROR, "Cannot select: ch = store"),
        messages=("LLVM ERROR: Cannot select: 0x1: " + "x" * 100,),
    )
    assert "`Cannot select: ch = store`" in title(long)
