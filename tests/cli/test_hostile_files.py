"""Whatever databases, journals, lists and archives say, nothing outside their folder is touched.

What cannot be read is damaged, in one line. Each case is done to a folder that somebody else may
have sent: a triage, and the result of a reduction.
"""

import json
import os
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from reducer.storage.sqlite_file import checksum
from tests.support.fake_compilers import FAIL, program, write_script

BUCKET = "7b7d0f74d603"
DATABASE = Path("m/.mlir-reducer/triage.sqlite")
KEPT = DATABASE.with_name("triage.buckets") / BUCKET
MINE = b"somebody's thesis"
DEEP = "[" * 100_000
OUTCOME = {"verdicts": "outcome", "texts": "text"}


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A triage and a reduction of the same program."""
    home = tmp_path_factory.mktemp("whole")
    fake = write_script(home / "fake", FAIL)
    folder = home / "theirs"
    (folder / "m").mkdir(parents=True)
    for name in ("m/m.mlir", "in.mlir"):
        (folder / name).write_text(program(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLIR_REDUCER_CACHE", str(home / "cache"))
        patch.setenv("XDG_STATE_HOME", str(home / "state"))
        patch.setenv("PATH", os.defpath)
        patch.chdir(folder)
        assert run("triage", "m", "-j", "1", "--", fake).exit_code == 0
        assert run("reduce", "in.mlir", "-j", "1", "--", fake).exit_code == 0
        assert (KEPT / "repro" / "report.zip").is_file()
        yield home


@pytest.fixture
def theirs(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy, beside a file of ours."""
    shutil.copytree(whole / "theirs", tmp_path / "theirs")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "victim").write_bytes(MINE)
    monkeypatch.chdir(tmp_path / "theirs")
    return tmp_path / "theirs"


def assert_safe(theirs: Path, done: Result) -> None:
    assert "Traceback" not in done.output and done.exit_code != 70, done.output
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    around = sorted(str(path.relative_to(theirs.parent)) for path in theirs.parent.glob("*"))
    assert around == ["mine", "theirs"], done.output
    assert [path.name for path in (theirs.parent / "mine").iterdir()] == ["victim"], done.output
    assert (theirs.parent / "mine" / "victim").read_bytes() == MINE, done.output


def assert_damaged(done: Result) -> None:
    (line,) = done.output.splitlines()
    assert done.exit_code == 65 and line.startswith("error:") and " is damaged " in line, line
    assert "sqlite" in line and "run the triage again" in line


def renamed(bucket: str) -> str:
    """SQL that gives the bucket another name, which is an SQL expression."""
    tables = "buckets", "results", "reproducers", "history"
    return "; ".join(f"UPDATE {table} SET bucket = {bucket}" for table in tables)


DATABASES = {
    "above": renamed("'../outside'"),
    "absolute": renamed("'/tmp/outside'"),
    "a zero byte": renamed("'0123456789' || char(0) || 'b'"),
    "a line": renamed(f"'{BUCKET}' || char(10)"),
    "long": renamed("printf('%.5000c', 'a')"),
    "letters": renamed("'7B7D0F74D603'"),
    "digits of another script": renamed("'\u0660\u0661\u0662\u0663\u0664\u0665aaaaaa'"),
    "a blob": renamed(f"CAST('{BUCKET}' AS BLOB)"),
    "merged into a path": "UPDATE buckets SET merged_into = '../../mine'",
    "no JSON": "UPDATE buckets SET signature = 'x'",
    "deep JSON": f"UPDATE buckets SET signature = '{DEEP}'",
    "other JSON": "UPDATE buckets SET signature = '[5]'",
    "half a character": r"""UPDATE buckets SET signature = replace(signature, 'x.bad', '\ud800')""",
    "not UTF-8": "UPDATE buckets SET text = CAST(x'ff' AS TEXT)",
    "flags": "UPDATE configurations SET flags = '[1, null]'",
    "packed flags": "UPDATE compilers SET flags = x'789c00'",
    "kind": "UPDATE results SET kind = 'x'",
    "state": "UPDATE history SET state = 'x'",
    "endless": "UPDATE results SET seconds = 9e999",
    "text for a number": "UPDATE reproducers SET calls = 'x'",
    "no compiler": "DELETE FROM compilers",
    "another table": "DROP TABLE notes; CREATE TABLE notes (bucket, text)",
    "a view": "ALTER TABLE files RENAME TO x; CREATE VIEW files AS SELECT * FROM x",
    "a trigger": "CREATE TRIGGER t AFTER DELETE ON seal BEGIN DELETE FROM notes; END",
    "an older version": "PRAGMA user_version = 3",
    "a version below": "PRAGMA user_version = -1",
    "a seal": "INSERT INTO seal VALUES (1)",
}


@pytest.mark.parametrize("statement", DATABASES.values(), ids=DATABASES)
def test_a_damaged_database_is_told_in_one_line(theirs: Path, whole: Path, statement: str) -> None:
    with closing(sqlite3.connect(DATABASE)) as database:
        database.executescript(f"DELETE FROM seal; {statement}")
    words = ["list"], ["list", "-o", "b.html"], ["show", "7"], ["export", "out"], ["note", "7", "x"]
    for command in (*words, ["forget", "7"]):
        done = run("buckets", *command)
        assert_safe(theirs, done)
        assert_damaged(done)
    assert not Path("out").exists() and (KEPT / "repro.mlir").exists()


@pytest.mark.parametrize("case", ["above", "no JSON", "no compiler", "a view"])
def test_a_triage_sets_it_aside(theirs: Path, whole: Path, case: str) -> None:
    with closing(sqlite3.connect(DATABASE)) as database:
        database.execute("INSERT INTO notes VALUES ('../../mine', 'a'), (?, 'mine')", (BUCKET,))
        database.commit()
        database.executescript(f"DELETE FROM seal; {DATABASES[case]}")
    done = run("triage", "m", "-j", "1", "--no-report", "--", whole / "fake")
    assert_safe(theirs, done)
    assert done.exit_code == 0 and "is damaged" in done.output and BUCKET in done.output
    assert run("buckets", "note", BUCKET).output == "mine\n"


RESULT = Path("in.reduced")
VICTIM = Path("../mine/victim")


def journal(statement: str, then: str = "") -> Callable[[], None]:
    """Changes a journal, with the checksums that its rows should have."""

    def act() -> None:
        with closing(sqlite3.connect(RESULT / "journal")) as found:
            found.create_function("checksum", -1, checksum)
            found.create_function("packed", 1, lambda text: zlib.compress(text.encode()))
            found.create_function("text_of", 1, lambda blob: zlib.decompress(blob).decode())
            found.executescript(statement)
            for table, columns in {"meta": "key, value", "verdicts": "hash, outcome"}.items():
                found.execute(f"UPDATE {table} SET sum = checksum({columns})")
            found.execute("UPDATE texts SET sum = checksum(key, text)")
            found.executescript(then)
            found.commit()

    return act


def history(old: str, new: str) -> Callable[[], None]:
    packed = f"packed(replace(text_of(text), '{old}', '{new}'))"
    return journal(f"UPDATE texts SET text = {packed} WHERE key = 'history'")


def linked(name: str, to: Path = VICTIM) -> Callable[[], None]:
    """Puts a link in place of a file or a folder of the result."""

    def act() -> None:
        place = Path(name)
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
        place.symlink_to(os.path.relpath(to.absolute(), place.parent.absolute()))

    return act


def listed(folder: Path, name: str) -> Callable[[], None]:
    """Says that a file was written, and with which content."""

    def act() -> None:
        with (folder / ".written").open("a") as stream:
            stream.write(f"{sha256(MINE).hexdigest()}  {name}\n")

    return act


def known(name: str) -> Callable[[], None]:
    """Puts a link in place of a file, whose content is listed."""

    def act() -> None:
        linked(name)()
        for folder in (RESULT, RESULT / "report"):
            listed(folder, os.path.relpath(name, folder))()

    return act


def written(name: str, data: bytes) -> Callable[[], None]:
    return lambda: Path(name).write_bytes(data) and None


def metadata(**values: object) -> Callable[[], None]:
    def act() -> None:
        place = RESULT / "report" / "metadata.json"
        place.write_text(json.dumps({**json.loads(place.read_text()), **values}))

    return act


def cut(name: Path, size: int) -> Callable[[], None]:
    return lambda: os.truncate(name, size)


RESULTS = {
    "history: no JSON": journal("UPDATE texts SET text = packed('x')"),
    "history: deep": journal(f"UPDATE texts SET text = packed('{DEEP}')"),
    "history: a path": history('"in.mlir"', '"../mine/victim"'),
    "history: a device": history('"in.mlir"', '"/dev/zero"'),
    "history: text for a number": history('"ops": 2', '"ops": "2"'),
    "history: endless": history('"ops": 2', '"ops": 1e999'),
    "history: half a character": history("x.bad", r"\ud800"),
    "history: another version": history('"version": 1', '"version": 99'),
    "history: no text": journal("UPDATE texts SET text = 5"),
    "history: not packed": journal("UPDATE texts SET text = x'ff00'"),
    "journal: cut off": cut(RESULT / "journal", 5000),
    "journal: empty": cut(RESULT / "journal", 0),
    "journal: verdicts": journal("UPDATE verdicts SET outcome = packed('[]')"),
    "journal: steps": journal("UPDATE texts SET text = packed('[[1]]') WHERE key = 'steps'"),
    "journal: steps of a file": journal("UPDATE meta SET value = 'x'  WHERE key GLOB 'output *'"),
    "journal: other failures": journal(
        """INSERT OR REPLACE INTO meta VALUES ('also found', '["../../../mine"]', 0)"""
    ),
    "journal: other failures, other type": journal(
        "INSERT OR REPLACE INTO meta VALUES ('also found', '5', 0)"
    ),
    "journal: a view": journal("", "ALTER TABLE texts RENAME TO x; CREATE VIEW texts AS SELECT 1"),
    "journal: a link": linked("in.reduced/journal"),
    "journal: a link to nothing": linked("in.reduced/journal", Path("../mine/new")),
    "journal: its log a link": linked("in.reduced/journal-wal"),
    "journal: its other log a link": linked("in.reduced/journal-journal"),
    "journal: its memory a link": linked("in.reduced/journal-shm"),
    "list: beside": listed(RESULT, "../../mine/victim"),
    "list: absolute": lambda: listed(RESULT, str(VICTIM.resolve()))(),
    "list: a zero byte": listed(RESULT, "a\0b"),
    "list: long": listed(RESULT, "a" * 5000),
    "list: of the report": listed(RESULT / "report", "../../../mine/victim"),
    "list: a folder that is a link": lambda: (
        linked("in.reduced/files", VICTIM.parent)(),
        listed(RESULT, "files/victim")(),
    ),
    "list: a link": linked("in.reduced/.written"),
    "list: a link in the report": linked("in.reduced/report/.written"),
    "list: no text": written("in.reduced/.written", b"\xff\0" * 100),
    "page: a link": known("in.reduced/page.html"),
    "page: a link to nothing": linked("in.reduced/page.html", Path("../mine/new")),
    "command: a link": known("in.reduced/command.json"),
    "report: a link": linked("in.reduced/report", VICTIM.parent),
    "report: a file is a link": known("in.reduced/report/report.md"),
    "report: its archive is a link": known("in.reduced/report.zip"),
    "report: its archive a link to nothing": linked("in.reduced/report.zip", Path("../mine/new")),
    "report: what is written first": linked("in.reduced/.report.tmp", VICTIM.parent),
    "metadata: deep": written("in.reduced/report/metadata.json", DEEP.encode()),
    "metadata: other types": metadata(bucket=[], versions=[5, {"version": 5}], boundary=[{}]),
    "command: no JSON": written("in.reduced/command.json", b"\xff"),
}
COMMANDS = {
    "page": (["page", "in.reduced.mlir"], ""),
    "explain": (["explain", "in.reduced.mlir", "--rejected"], ""),
    "reduce": (["reduce", "in.mlir", "-j", "1", "--", "FAKE"], ""),
    "report": (["report", "in.reduced.mlir", "--similar", "in.reduced", "--", "FAKE"], "rep meta"),
    "another reduction": (
        ["reduce", "in.mlir", "-j", "1", "--no-report", "--", "FAKE", "--other"],
        "list command",
    ),
}
"""What is done to which cases: those that begin with one of the words."""
DONE = [
    pytest.param(act, words, id=f"{command}, {case}")
    for command, (words, kinds) in COMMANDS.items()
    for case, act in RESULTS.items()
    if not kinds or case.startswith(tuple(kinds.split()))
]
UNREADABLE = "history: ", "journal: cut", "journal: empty", "journal: a view"


@pytest.mark.parametrize(("act", "words"), DONE)
def test_a_result_from_elsewhere(
    theirs: Path,
    whole: Path,
    act: Callable[[], None],
    words: list[str],
    request: pytest.FixtureRequest,
) -> None:
    act()
    done = run(*(whole / "fake" if word == "FAKE" else word for word in words))
    assert_safe(theirs, done)
    command, _, case = request.node.callspec.id.partition(", ")
    if command in ("page", "explain") and case.startswith(UNREADABLE):
        (line,) = done.output.splitlines()
        assert done.exit_code == 65 and "in.reduced/journal" in line and "damaged" in line


@pytest.mark.parametrize(
    "name",
    [DATABASE, f"{DATABASE}-wal", KEPT.parent, KEPT, KEPT / "repro.mlir", KEPT / "repro"],
    ids=lambda name: Path(name).name,
)
def test_a_triage_does_not_follow_links(theirs: Path, whole: Path, name: Path | str) -> None:
    linked(str(name), VICTIM.parent if "." not in Path(name).name[1:] else VICTIM)()
    for words in (["buckets", "list"], ["buckets", "forget", BUCKET], ["triage", "m", "-j", "1"]):
        given = [] if words[0] == "buckets" else ["--no-report", "--", whole / "fake"]
        assert_safe(theirs, run(*words, *given))
