"""End the program with a message on stderr and a specific exit code for each reason."""

import os
import sys
from collections.abc import Callable
from typing import NoReturn


def run_and_exit(body: Callable[[], object]) -> NoReturn:
    """Run `body`, whose value is the exit code (None for 0), and exit."""
    try:
        code = body()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        from reducer.cli.reasons import explain  # not needed for `--help`

        sys.exit(explain(error))
    except KeyboardInterrupt:
        from reducer.cli.reasons import interrupted

        sys.exit(interrupted())
    sys.exit(code if isinstance(code, int) else 0)
