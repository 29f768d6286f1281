"""Packages with oracles, put where an installer would."""

from pathlib import Path

from oracles.plugin import GROUP


def install(folder: Path, module: str, source: str, entry_points: dict[str, str]) -> None:
    """Put a package with entry points into a folder, as an installer does."""
    folder.mkdir(exist_ok=True)
    (folder / f"{module}.py").write_text(source)
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    lines = [f"{name} = {value}\n" for name, value in entry_points.items()]
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{''.join(lines)}")
