"""Only the requested command is imported."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.fake_compilers import write_script

HEAVY = ("networkx", "tree_sitter", "sqlite3", "jinja2", "asyncio", "packaging", "rich", "numpy")


FAIL = 'if has x.bad; then echo "error: no" >&2; exit 1; fi\n'


def imported(*lines: str, **environment: str) -> set[str]:
    """The modules that the program imports for some command lines together."""
    code = "import sys; sys.argv[0] = 'mlir-reducer'; import atexit\n"
    code += "atexit.register(lambda: print('\\n', *sys.modules, file=sys.stderr))\n"
    code += "from contextlib import suppress; from reducer.cli import main\n"
    code += "for line in sys.argv[1:]:\n with suppress(SystemExit): main(line.split())"
    done = subprocess.run(
        [sys.executable, "-c", code, *lines],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(done.stderr.split())


def test_an_interrupt_at_once_ends_without_a_traceback() -> None:
    code = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'click': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from reducer.__main__ import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "")


def test_help_imports_no_work() -> None:
    commands = (f"{name} --help" for name in ("buckets list", "reduce", "check", "report"))
    names = imported("--help", "-h", *commands, "triage --help")
    assert "click" in names
    assert names.isdisjoint(HEAVY)
    assert not any(name.startswith(("oracles", "reducer.driver", "reducer.ir")) for name in names)


def test_the_tab_key_imports_no_work() -> None:
    names = imported(
        "",
        _MLIR_REDUCER_COMPLETE="bash_complete",
        COMP_WORDS="mlir-reducer\nreduce\n--",
        COMP_CWORD="2",
    )
    assert "reducer.cli.options.reduce" in names
    assert names.isdisjoint(HEAVY) and not any(name.startswith("oracles") for name in names)


def test_a_command_imports_none_of_the_others() -> None:
    names = imported("completion --help")
    assert "reducer.cli.options.completion" in names
    assert names.isdisjoint({"reducer.cli.commands.reduce", "reducer.cli.commands.triage"})


def test_an_interrupt_while_it_loads_imports_nothing_more() -> None:
    """Otherwise, the program goes on for a second, and another Ctrl-C shows a traceback."""
    code = (
        "import sys\n"
        "from reducer.cli.ending import run_and_exit\n"
        "def body(): raise KeyboardInterrupt\n"
        "try: run_and_exit(body)\n"
        "except SystemExit as end: print(end.code, 'oracles' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("130 False\n", "interrupted\nnext: mlir-reducer\n")


def test_a_reduction_imports_only_what_it_uses(tmp_path: Path) -> None:
    """No report, page, triage or cluster, and nothing that compares results."""
    source, fake = tmp_path / "in.mlir", write_script(tmp_path / "fake", FAIL)
    source.write_text('"x.good"() : () -> ()\n"x.bad"() : () -> ()\n')
    reducing = f"reduce {source} -q --no-report -- {fake} {source}"
    names = imported(reducing, f"check {source} -- {fake} {source}")
    assert source.with_name("in.reduced.mlir").is_file()
    unused = ("report", "triage", "cluster", "explain", "miscompile")
    assert not [name for name in names if name.startswith(tuple(f"reducer.{x}" for x in unused))]
    assert names.isdisjoint({"networkx", "jinja2", "rich", "numpy", "importlib.metadata"})
