"""The command that files a report, read by a shell."""

import subprocess
from pathlib import Path

import pytest

from oracles import Kind, Signature
from reducer.report.facts import CompilerInfo
from reducer.report.title import issue_command, title
from tests.report.facts import facts
from tests.support.fake_compilers import write_script


@pytest.mark.parametrize("message", ["plain", "$(touch owned) `touch owned`", "a'\"b|c", "-h"])
def test_gh_gets_the_title_and_the_file(message: str, tmp_path: Path) -> None:
    write_script(tmp_path / "gh", 'printf "%s\\n" "$@" > told\n')
    hostile = facts(signature=Signature(Kind.OTHER_ERROR, message), messages=(message,))
    line = issue_command(hostile, "my report/report.md")
    subprocess.run(["sh", "-c", f"PATH={tmp_path}:$PATH; {line}"], cwd=tmp_path, check=True)
    told = (tmp_path / "told").read_text().splitlines()
    assert told == [
        "issue", "create", "--repo", "iree-org/iree", "--title", title(hostile),
        "--body-file", "my report/report.md",
    ]  # fmt: skip
    assert not (tmp_path / "owned").exists()


def test_where_bugs_are_filed_comes_from_the_profile() -> None:
    upstream = facts(compiler=CompilerInfo("mlir-opt-22"))
    assert "--repo llvm/llvm-project " in issue_command(upstream, "report.md")
    unknown = facts(compiler=CompilerInfo("toy-tool"))
    assert "--repo OWNER/REPO " in issue_command(unknown, "report.md")
