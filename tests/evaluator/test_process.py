"""The evaluator's own process, which is started for each call."""

import subprocess
import sys


def test_it_loads_nothing_of_the_oracles() -> None:
    """That would double the time that it takes to start."""
    program = (
        "import sys, reducer.evaluator.__main__\n"
        "print(*(name for name in sys.modules if name.partition('.')[0] == 'oracles'))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "\n", done.stderr
