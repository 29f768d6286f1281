"""Lines are broken as a tired person breaks them, everywhere alike."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from benchmarks.breaks import Suite, main
from benchmarks.broken_lines import breaks, draw


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("if a: b = c", ["if not (a): b = c"]),
        ("x = [a for a in b if a]", ["x = [a for a in b if not (a)]"]),
        ("x = (a or b) and c", ["x = (a and b) and c", "x = (a or b) or c"]),
        ("x = a < b", ["x = a <= b", "x = a > b"]),
        ("x = a in b", ["x = a not in b"]),
        ("x = not a", ["x = a"]),
        ("x = é[3]", ["x = é[2]", "x = é[4]"]),
        ("x = True, 1.5, b'ab', 'c'", []),
        ("log(a)", ["pass"]),
        ("x = f((a + 1), b=c)", ["x = f((a + 0), b=c)", "x = f((a + 2), b=c)"]),
        ("x = f('a', *b)", ["x = f(*b, 'a')"]),
        ("x = f(a, a)", []),
        ('x = y["key"]', ['x = y["kye"]']),
        ('x = y.get("key")', ['x = y.get("kye")']),
        ('x = {"key": "value"}', ['x = {"kye": "value"}']),
        ('x = "--flag", "--a flag"', ['x = "--flga", "--a flag"']),
        ("while a: break", ["while a: continue", "while not (a): break"]),
        ("def f(a: 'x[1]') -> 'int': return True", ["def f(a: 'x[1]') -> 'int': return False"]),
        ("x: Literal[1]; import a", []),
        ('"""Not 1 `in` 2."""', []),
        ("x = f'{a + 1}'", []),
        ("x = f(\n    a,\n    b)", []),
    ],
)  # fmt: skip
def test_what_is_written_instead(line: str, broken: list[str]) -> None:
    assert sorted(each.after for each in breaks(line, "a.py", Random(0))) == broken


def test_a_break_says_where_it_is() -> None:
    found = breaks("a = b\n\nif c:\n    del d\n", "a.py", Random(0))
    assert list(found) == [("a.py", 3, "if c:", "if not (c):")]


def test_small_folders_are_drawn_from_as_often(tmp_path: Path) -> None:
    for name, lines in (("reducer/a", 90), ("reducer/a/b", 30), ("oracles", 30)):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "__init__.py").touch()
        (tmp_path / name / "m.py").write_text("x = not y\n" * lines, encoding="utf-8")
    drawn = draw(tmp_path, "seed", 45)
    folders = Counter(Path(each.file).parent.as_posix() for each in drawn)
    assert len(set(drawn)) == 45
    assert len(folders) == 3 and min(folders.values()) > 9
    assert draw(tmp_path, "seed", 45) == drawn != draw(tmp_path, "another", 45)


def test_tests_of_the_module_run_first(tmp_path: Path) -> None:
    for name, text in (("ir/test_a", ""), ("ir/test_m", ""), ("b/test_c", "m"), ("test_d", "mm")):
        file = tmp_path / "tests" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    suite = Suite(tmp_path, workers="1", timeout=1)
    assert [
        [Path(file).stem for file in group] for group in suite.groups(Path("reducer/ir/m.py"))
    ] == [["test_m"], [], ["test_a"], ["test_c"], ["test_d"]]


def test_breaks_are_listed() -> None:
    done = CliRunner().invoke(main, ["--seed", "1", "-n", "2", "--list"])
    lines = done.output.splitlines()
    assert done.exit_code == 0 and len(lines) == 4
    assert all(line.startswith(("| oracles/", "| reducer/")) for line in lines[2:])
