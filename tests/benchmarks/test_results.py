import json

from benchmarks.results import DOCS, page


def test_the_page_of_results_is_made_from_its_figures() -> None:
    assert (DOCS / "results.md").read_text(encoding="utf-8") == page(), (
        "python -m benchmarks.results"
    )


def test_the_example_of_the_readme_is_one_of_them() -> None:
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    figures = json.loads((DOCS / "results.json").read_text(encoding="utf-8"))
    (row,) = (one for one in figures["reductions"] if one["case"] == "ds_real61_both_dyn")
    assert f"| ops | {row['input']:,} | {row['ops']} |" in readme
    assert f" {row['bytes']} |" in readme and f"takes {row['runs']} compiler runs" in readme
    (result,) = readme.split("```mlir\n")[1:]
    program = result.partition("```")[0].split("\n", 1)[1].partition("// error")[0]
    assert len(program) == row["bytes"]
