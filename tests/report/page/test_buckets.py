import re

from reducer.report.page import BucketRow, bucket_page
from tests.report.page.test_reduction import HOSTILE


def row(**changes: object) -> BucketRow:
    fields: dict[str, object] = {
        "bucket": "5e5d8687a438",
        "kind": "bufferization",
        "signature": "failed to bufferize op",
        "state": "new",
        "wheels": ("3.13.0", "3.8.0"),
        "inputs": ("a.mlir", "b.mlir"),
        "before": 652,
        "after": 5,
        "text": "func.func @f()",
        "page": "5e5d/report.html",
    }
    return BucketRow(**{**fields, **changes})  # type: ignore[arg-type]


def test_rows_and_choices() -> None:
    page = bucket_page([row(), row(bucket="b2", kind="crash", state="fixed", wheels=("3.2.0",))])
    assert "2 buckets" in page
    kinds = re.search(r'<select name="kind">(.*?)</select>', page)
    assert kinds and re.findall(r"<option>(.*?)</option>", kinds[1]) == ["bufferization", "crash"]
    wheels = re.search(r'<select name="wheel">(.*?)</select>', page)
    assert wheels and re.findall(r"<option>(.*?)</option>", wheels[1]) == [
        "3.2.0",
        "3.8.0",
        "3.13.0",
    ]
    assert 'href="./5e5d/report.html"' in page


def test_since_when_on_what_and_in_whose_words() -> None:
    told = row(since="3.8.0", fixed_in="3.13.0", targets=("hip",), note="Ann is on it")
    page = bucket_page([told], unread={"cut.mlir.xz": "damaged"})
    assert "since 3.8.0, gone in 3.13.0" in page
    assert "Ann is on it" in page and "<option>hip</option>" in page
    assert "<code>cut.mlir.xz</code>: damaged" in page
    assert "Not read" not in bucket_page([told])


def test_no_rows() -> None:
    assert "nothing fails" in bucket_page([])


def test_everything_quoted_is_escaped() -> None:
    hostile = row(
        bucket=HOSTILE,
        kind=HOSTILE,
        signature=HOSTILE,
        state=HOSTILE,
        wheels=(HOSTILE,),
        targets=(HOSTILE,),
        note=HOSTILE,
        since=HOSTILE,
        inputs=(HOSTILE,),
        text=HOSTILE,
    )
    page = bucket_page([hostile], title=HOSTILE, unread={HOSTILE: HOSTILE})
    assert page.count("<script>") == page.count("</script>") == 1
    assert "<img" not in page


def test_links_lead_only_to_files_beside_the_page() -> None:
    for path in (
        "javascript:alert(1)",
        "//evil.example/x",
        "https://evil.example",
        'a" onclick="x',
    ):
        page = bucket_page([row(page=path)])
        (link,) = re.findall(r'href="([^"]*)"', page)
        assert re.fullmatch(r"\./[\w./%-]*", link), link
