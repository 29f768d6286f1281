"""The order of what is known, and the reason for each place."""

from oracles import Kind, Signature
from reducer.report.similar import Evidence, Known, rank

SIGNATURE = Signature(Kind.OTHER_ERROR, "failed to bufferize op", stage="pipeline XPadPass")
PROGRAM = '%0 = "a.topk"(%1) : (i1) -> i1\n%2 = "a.common"(%0) : (i1) -> i1\n'
FAILURE = Evidence.of_failure(SIGNATURE, PROGRAM, targets=["iree-compile"])


def issue(title: str, body: str = "") -> Known:
    return Known(title, Evidence.of_issue(title, body), place="issues.json")


def test_the_same_signature_comes_first_then_the_same_message() -> None:
    bucket = Known("bucket", Evidence(bucket=SIGNATURE.bucket), place="triage.sqlite")
    said = issue("It fails", "x.mlir:1:2: error: failed to bufferize op")
    related = issue("iree-codegen-x-pad crashes on a.topk and a.common")
    other = issue("a.common is slow")
    order = rank(FAILURE, [other, related, said, bucket])
    assert [match.known for match in order] == [bucket, said, related, other]
    assert [match.reason for match in order] == [
        "same signature",
        "same message",
        "same pass: x-pad; shares a.topk, a.common",
        "shares a.common",
    ]
    assert [match.is_likely for match in order] == [True, True, True, False]


def test_what_is_rare_weighs_more() -> None:
    rare = issue("a.topk")
    many = [issue(f"a.common {n}") for n in range(5)]
    order = rank(FAILURE, [*many, rare])
    assert order[0].known is rare
    assert order[0].score > order[1].score


def test_a_title_may_be_all_that_says_it() -> None:
    order = rank(
        FAILURE, [issue("a.b"), issue("topk: Failed op"), issue("topk: failed to bufferize op")]
    )
    assert order[0].known.title == "topk: failed to bufferize op"


def test_an_assertion_is_found_without_its_place() -> None:
    failure = Evidence.of_failure(Signature(Kind.ASSERTION, "!seenKernel in x::run"), "")
    order = rank(failure, [issue("Crash"), issue("[x] Assertion `!seenKernel' failed.")])
    assert order[0].same_message and not order[1].same_message


def test_it_does_not_depend_on_the_order() -> None:
    known = [issue(f"a.topk {n}", "a.common" * (n % 2)) for n in range(9)]
    names = [match.known.title for match in rank(FAILURE, known)]
    assert names == [match.known.title for match in rank(FAILURE, known[::-1])]


def test_nothing_in_common_and_nothing_known() -> None:
    (match,) = rank(FAILURE, [issue("zzz")])
    assert match.score == 0 and not match.is_likely
    assert rank(FAILURE, []) == []
    assert rank(Evidence(), [issue("x")])[0].score == 0
