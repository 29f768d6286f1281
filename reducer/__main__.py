"""The program: `mlir-reducer`, or `python -m reducer`."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from reducer.cli import main as command_line
    except KeyboardInterrupt:  # pressed at once; the imports take a tenth of a second
        sys.exit(130)
    command_line(prog_name="mlir-reducer")


if __name__ == "__main__":
    main()
