import subprocess
import sys
from pathlib import Path

import pytest

from reducer.triage.database import Database
from reducer.triage.leases import Leases
from tests.support.fake_compilers import wait_until


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database.open(tmp_path / "t.sqlite")


def test_a_task_is_given_to_one(database: Database) -> None:
    with Leases(database) as one, Leases(database) as other:
        assert one.claim("x")
        assert not other.claim("x")
        assert other.holder("x") == one.owner
        one.give_back("x")
        assert other.claim("x")


def test_closing_gives_everything_back(database: Database) -> None:
    with Leases(database) as one:
        one.claim("x")
    with Leases(database) as other:
        assert other.claim("x")


def test_a_lease_is_renewed_and_runs_out_when_it_is_not(database: Database) -> None:
    with Leases(database, lifetime=0.4) as one, Leases(database) as other:
        one.claim("x")
        first = database.value("SELECT expires FROM leases")
        assert wait_until(lambda: database.value("SELECT expires FROM leases") > first)
        assert not other.claim("x")
        one._closed.set()  # its thread ends, as that of a stopped machine would
        one._keeper.join()
        assert wait_until(lambda: other.claim("x"))


def test_a_dead_process_is_noticed_at_once(database: Database) -> None:
    script = (
        "import os, sys\nfrom pathlib import Path\n"
        "from reducer.triage.database import Database\nfrom reducer.triage.leases import Leases\n"
        f"Leases(Database.open(Path({str(database.path)!r}))).claim('x')\nos.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=False)
    assert database.value("SELECT count(*) FROM leases") == 1
    with Leases(database) as other:
        assert other.holder("x") is None
        assert other.claim("x")


def test_a_process_elsewhere_is_believed_until_its_lease_runs_out(database: Database) -> None:
    with Leases(database) as one:
        database.write("INSERT INTO leases VALUES ('x', 'o', 'elsewhere', 999999, 9e12)")
        assert not one.claim("x")
        database.write("UPDATE leases SET expires = 1")
        assert one.claim("x")


def test_living_tasks_by_prefix(database: Database) -> None:
    with Leases(database) as one:
        one.claim("run:1:a")
        one.claim("compile:x")
        assert one.living("run:") == ["run:1:a"]
