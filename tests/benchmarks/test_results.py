from benchmarks.results import DOCS, page


def test_the_page_of_results_is_made_from_its_figures() -> None:
    assert (DOCS / "results.md").read_text(encoding="utf-8") == page(), (
        "python -m benchmarks.results"
    )
