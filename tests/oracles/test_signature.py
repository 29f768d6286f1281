"""Signatures and their buckets."""

from oracles import Kind, Signature

CRASH = Signature(Kind.CRASH, "SIGSEGV", frames=("a::f", "b::g"))


def test_bucket_is_stable_across_processes() -> None:
    assert CRASH.bucket == Signature.from_json(CRASH.to_json()).bucket == "382da102eadf"


def test_every_field_counts() -> None:
    base = Signature(Kind.VERIFIER, "t", "o", "s", ("f",))
    others = [
        Signature(Kind.CRASH, "t", "o", "s", ("f",)),
        Signature(Kind.VERIFIER, "u", "o", "s", ("f",)),
        Signature(Kind.VERIFIER, "t", "p", "s", ("f",)),
        Signature(Kind.VERIFIER, "t", "o", "r", ("f",)),
        Signature(Kind.VERIFIER, "t", "o", "s", ("f", "g")),
    ]
    assert len({one.bucket for one in [base, *others]}) == 6


def test_text_is_one_line() -> None:
    assert CRASH.text == "crash: SIGSEGV in a::f < b::g"
    verifier = Signature(Kind.VERIFIER, "'a.b' op x", "a.b", "input")
    assert verifier.text == "verifier: 'a.b' op x (input)"
    assert Signature(Kind.TIMEOUT).text == "timeout"
