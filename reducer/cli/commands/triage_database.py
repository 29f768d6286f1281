"""Where the database of a triage is, and how the other commands find it."""

from pathlib import Path

from reducer.errors import UsageError


def find_database(start: Path) -> Path:
    """The database of a folder: its own, that of a folder around it, or the only one below.

    Raises:
        UsageError: there is none, or several folders below have one.
    """
    from reducer.triage.database import FILE, FOLDER, default_database  # imports what stores

    start = start.absolute()
    around = [default_database(folder) for folder in (start, *start.parents)]
    databases = [path for path in around if path.is_file()][:1]
    databases = databases or sorted(start.glob(f"*/{FOLDER}/{FILE}"))
    if len(databases) == 1:
        return (
            databases[0].relative_to(Path.cwd())
            if databases[0].is_relative_to(Path.cwd())
            else databases[0]
        )
    if not databases:
        raise UsageError("no triage database here; give one with --db or run `mlir-reducer triage`")
    names = ", ".join(str(path.relative_to(start)) for path in databases)
    raise UsageError(f"several triage databases are below this folder; choose with --db: {names}")


def listing(database: Path) -> list[str]:
    """The command that lists a database where the user stands."""
    words = ["mlir-reducer", "buckets", "list"]
    try:
        found = find_database(Path.cwd()).samefile(database)
    except (UsageError, OSError):
        found = False
    return words if found else [*words, "--db", str(database)]
