"""The canonical form of programs: equal except for names."""

from reducer.ir import Module, PlainText
from reducer.search.candidate import Candidate, canonical, size_key
from reducer.search.judge import Judge
from tests.support.predicate import FAILURE, Memory, PredicateOracle

TEXT = '^bb0(%arg0: i32):\n  %0:2 = "t.a"(%arg0) {s = "%0 \\" %arg0"}\n  "t.b"(%0#1)[^bb0]'


def test_names_do_not_matter() -> None:
    other = TEXT.replace("%0:", "%x.y:").replace("%0#", "%x.y#").replace("bb0", "bb7")
    assert other != TEXT
    assert canonical(other) == canonical(TEXT)
    assert canonical(canonical(TEXT)) == canonical(TEXT)


def test_a_quote_in_a_comment_opens_no_string() -> None:
    text = '%a = x.y // 3" wide\nx.z %a {s = "t"}\n'
    assert canonical(text) == '%0 = x.y // 3" wide\nx.z %0 {s = "t"}\n'


def test_all_other_differences_matter() -> None:
    for old, new in (("t.a", "t.c"), ("#1", "#0"), ('s = "%0', 's = "%1'), ("(%arg0)", "(%0)")):
        assert canonical(TEXT.replace(old, new)) != canonical(TEXT)


SIZES = [
    '"t.a"() : () -> tensor<9x9xf32>\n',
    '"t.a"() {n = 7} : () -> tensor<2x2xf32>\n"t.b"() : () -> ()\n',
    '"t.a"() {n = 1} : () -> tensor<2x9xf32>\n"t.b"() : () -> ()\n',
    '"t.a"() {n = 1} : () -> tensor<2x9xf32>\n"t.long"() : () -> ()\n',
    '"t.a"() {n = 7} : () -> tensor<2x9xf32>\n"t.long"() : () -> ()\n',
]
"""By number of ops, then sizes, then characters, then numbers."""


def test_documents_are_ordered_by_what_people_call_smaller() -> None:
    keys = [size_key(Module.parse(text)) for text in SIZES]
    assert [[one < other for other in keys] for one in keys] == [
        [place < other for other in range(len(keys))] for place in range(len(keys))
    ]


def runs(texts: list[str], *, names_matter: bool) -> int:
    oracle = PredicateOracle(lambda text: False)
    judge = Judge(oracle, Memory(), names_matter=names_matter, target=FAILURE)
    judge.first_interesting(Candidate(PlainText(text), "test") for text in texts)
    judge.close()
    return len(oracle.texts)


def test_a_renamed_program_is_only_run_again_if_names_matter() -> None:
    texts = [TEXT, TEXT.replace("(%arg0", "(%arg1")]
    assert runs(texts, names_matter=False) == 1
    assert runs(texts, names_matter=True) == 2
