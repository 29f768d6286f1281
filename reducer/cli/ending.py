"""How the program ends: a plain message on stderr and an exit code of its own for each reason."""

import os
import sys
from collections.abc import Callable
from typing import NoReturn


def run_and_exit(body: Callable[[], object]) -> NoReturn:
    """Runs `body`, whose value is the exit code (None for 0), and ends the program."""
    try:
        code = body()
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read our output has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        from reducer.cli.reasons import explain  # `--help` can do without

        sys.exit(explain(error))
    except KeyboardInterrupt:
        from reducer.cli.reasons import interrupted

        sys.exit(interrupted())
    sys.exit(code if isinstance(code, int) else 0)
