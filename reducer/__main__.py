"""`python -m reducer` is `mlir-reducer`."""

from reducer.cli import main

if __name__ == "__main__":
    main(prog_name="mlir-reducer")
