"""How much memory there is: that of the machine, or of the container that we are in."""

import os
from pathlib import Path

import pytest

from oracles.machine import (
    machine_memory,
    memory_limit,
    memory_of_all_runs,
    out_of_memory_kills,
)

PHYSICAL = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def machine(root: Path, files: dict[str, str]) -> Path:
    """A file system with these files."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"proc/self/cgroup": "0::/\n"},
        {"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"},
        {
            "proc/self/cgroup": "4:memory:/\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        },
    ],
)
def test_without_a_limit_it_is_the_machines(files: dict[str, str], tmp_path: Path) -> None:
    assert machine_memory(machine(tmp_path, files)) == PHYSICAL


@pytest.mark.parametrize(
    "files",
    [
        {"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "64000000\n"},
        {  # a group around ours is stricter
            "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/memory.max": "64000000\n",
            "sys/fs/cgroup/a/b/memory.max": "max\n",
        },
        {  # a container is told the path of the host, and sees its own group at the top
            "proc/self/cgroup": "2:cpu:/x\n4:memory:/docker/77\n0::/docker/77\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "64000000\n",
        },
    ],
)
def test_a_container_has_less(files: dict[str, str], tmp_path: Path) -> None:
    root = machine(tmp_path, files)
    assert machine_memory(root) == 64_000_000
    assert memory_limit(root) == 32_000_000
    assert memory_of_all_runs(root) == 56_000_000


def test_kills_of_our_own_group_count_rather_than_those_of_the_machine(tmp_path: Path) -> None:
    root = machine(tmp_path, {"proc/vmstat": "pgfault 12\noom_kill 5\n"})
    assert out_of_memory_kills(root) == 5
    machine(root, {"proc/self/cgroup": "4:memory:/\n"})
    machine(root, {"sys/fs/cgroup/memory/memory.oom_control": "under_oom 0\noom_kill 3\n"})
    assert out_of_memory_kills(root) == 3
    machine(root, {"proc/self/cgroup": "0::/a\n"})
    machine(root, {"sys/fs/cgroup/a/memory.events": "max 7\noom 2\noom_kill 1\n"})
    assert out_of_memory_kills(root) == 1


def test_it_may_not_be_told(tmp_path: Path) -> None:
    assert out_of_memory_kills(tmp_path) is None
