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


def test_levels_never_share_a_bucket() -> None:
    loose = Signature(Kind.CRASH, "SIGSEGV", frames=("a::f", "b::g"), level="loose")
    assert loose.bucket != CRASH.bucket
    assert loose != CRASH


def test_details_of_a_strict_signature() -> None:
    strict = Signature(Kind.VERIFIER, "x", details=("a", "b"), level="strict")
    assert Signature.from_json(strict.to_json()) == strict
    assert strict.bucket != Signature(Kind.VERIFIER, "x", level="strict").bucket
    assert strict.text == "verifier: x and 2 more messages"
    assert "details" not in CRASH.to_json()  # as journals have it
