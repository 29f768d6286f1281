"""Runs the commands of a page of the documentation, and compares what they print.

All `sh` blocks of a page are one session of a shell, in a folder that has what the page assumes. A
`text` block shows what the `sh` block before it prints: each of its lines, where `…` stands for
anything and times and sizes of files may be others. The steps of a workflow run as well. Compilers
are replayed (see `replay`).
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml

from reducer.toolchain import Toolchain, install, toolchains_folder
from tests.support import replay

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

_BLOCK = re.compile(r"^( *)```(sh|text|yaml)\n(.*?)^ *```$", re.M | re.S)
_VOLATILE = re.compile(r"\d[\d,.]*(?= ?(?:s|ms|KB|MB|times)\b)")
_MARK = "end of block"


@dataclass(frozen=True)
class Block:
    """Commands of a page, and the lines that it says they print."""

    commands: str
    shown: tuple[str, ...]


def blocks(text: str) -> list[Block]:
    """The commands of a page, in order."""
    found: list[Block] = []
    for indent, language, body in _BLOCK.findall(text):
        body = re.sub(rf"^{indent}", "", body, flags=re.M)
        if language == "sh":
            found.append(Block(body, ()))
        elif language == "yaml":
            found += [Block(f"{{ {step}\n}} || [ $? = 1 ]\n", ()) for step in _steps(body)]
        elif found:
            lines = tuple(line for line in body.splitlines() if line.strip())
            found[-1] = Block(found[-1].commands, found[-1].shown + lines)
    return found


def _steps(workflow: str) -> list[str]:
    """What a workflow of GitHub runs; a step may find something new."""
    jobs = yaml.safe_load(workflow)["jobs"].values()
    return [step["run"] for job in jobs for step in job["steps"] if "run" in step]


def run(
    text: str, home: Path, environment: Mapping[str, str], changes: Mapping[str, str]
) -> list[str]:
    """Run all blocks of a page with some words replaced; return what each printed."""
    parts = [f"{block.commands}\necho; echo '{_MARK}'\n" for block in blocks(text)]
    script = "".join(parts)
    for old, new in changes.items():
        script = script.replace(old, new)
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=home,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    printed = done.stdout.split(f"\n{_MARK}\n")
    failed = len(printed) - 1  # the number of the block that did not come to its end
    assert done.returncode == 0, f"{parts[failed]}\n{printed[failed]}"
    return printed[:-1]


def missing(block: Block, printed: str) -> list[str]:
    """The lines that a page shows and the commands did not print."""
    lines = [" ".join(line.split()) for line in printed.splitlines()]
    return [line for line in block.shown if not any(_pattern(line).fullmatch(one) for one in lines)]


def _pattern(shown: str) -> re.Pattern[str]:
    text = re.escape(_VOLATILE.sub("\N{REPLACEMENT CHARACTER}", " ".join(shown.split())))
    return re.compile(text.replace("…", ".*").replace("\N{REPLACEMENT CHARACTER}", r"[\d.,]+"))


def programs(folder: Path, tools: Toolchain, scripts: Mapping[str, str]) -> Path:
    """A folder for PATH: `mlir-reducer` that replays, the tools of a release, and scripts."""
    folder.mkdir()
    texts = {"mlir-reducer": replay.PROGRAM}
    texts |= {name: f"#!/bin/sh\n{body}" for name, body in scripts.items()}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)
    for tool in (tools.compile, tools.opt, tools.run_module):
        (folder / tool.name).symlink_to(tool)
    return folder


@contextmanager
def cache_of(*versions: str) -> Iterator[Path]:
    """A cache of these releases only, so that no other one is asked; the last has a runtime."""
    for version in versions:
        install(version, runtime=version == versions[-1])
    real = toolchains_folder()
    with tempfile.TemporaryDirectory(prefix=".pages-", dir=real.parent) as place:
        cache = Path(place)
        for version in versions:
            for package in ("compiler", "runtime") if version == versions[-1] else ("compiler",):
                name = f"iree-base-{package}-{version}"
                copied = cache / "toolchains" / name
                shutil.copytree(real / name, copied, symlinks=True, copy_function=os.link)
        if (real.parent / "symbols").is_dir():
            shutil.copytree(real.parent / "symbols", cache / "symbols", copy_function=os.link)
        yield cache
