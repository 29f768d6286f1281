"""The command of a report holds on any machine, whatever asks the compiler."""

from pathlib import Path

from oracles import Command, Limits
from oracles.plugin import Case, Plugin, PluginOracle
from reducer.bundle.gathering import portable_words


class Never:
    """Finds nothing wrong."""

    def judge(self, case: Case) -> str | None:
        return None


def test_an_oracle_of_the_users_own_is_asked_through_our_own_check(tmp_path: Path) -> None:
    """Its command alone would say nothing: what the compiler does is not what is wrong."""
    tool = tmp_path / "toolchains" / "iree-base-compiler-3.13.0" / "bin" / "iree-opt"
    tool.parent.mkdir(parents=True)
    tool.touch()
    command = Command((str(tool), "--cse", "{}"), tmp_path)
    oracle = PluginOracle(
        Plugin("never", "never:1", Never()),
        command,
        tool,
        limits=Limits(),
        shown=lambda name: ["mlir-reducer", "check", name, "--oracle", "never:1"],
    )
    words, files = portable_words(oracle)
    asked = "mlir-reducer check repro.mlir --iree 3.13.0 --oracle never:1 -- iree-opt --cse {}"
    assert " ".join(words) == asked
    assert not files
