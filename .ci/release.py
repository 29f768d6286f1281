"""Builds what a release uploads, and checks it: `make release`. Nothing is uploaded.

    python .ci/release.py                  build and check the last commit, into dist/
    python .ci/release.py --version 0.2.0  only make that the version, and write its entry

The files are those of the commit and the times are its time, so whoever builds the commit with the
same hatchling gets the same bytes (https://reproducible-builds.org/docs/source-date-epoch/).
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Sequence
from email import message_from_bytes
from pathlib import Path
from typing import Any
from zipfile import ZipFile

ROOT = Path(__file__).parents[1]
VERSION_FILE = "reducer/__init__.py"
_VERSION = re.compile(r'^__version__ = "(.*)"$', re.M)
_UNRELEASED = "## Unreleased\n"
_NOT_CARRIED = ":!corpus"  # megabytes that no build reads
_FAILING = "#!/bin/sh\ngrep -q bug $1 || exit 0\necho $1:1:1: error: broken >&2\nexit 1\n"


def main() -> None:
    """Carry out the command line.

    Raises:
        SystemExit: a check has failed; says which.
        subprocess.CalledProcessError: a tool has, and has said why.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--version", help="the version to write, with its entry in CHANGELOG.md")
    version = parser.parse_args().version
    if _git("status", "--porcelain"):
        sys.exit("there are changes that are not committed; a release is made of a commit")
    if version is not None and version != current_version(ROOT):
        write_entry(ROOT, version, _git("log", "-1", "--format=%cs"))
        print(f"CHANGELOG.md and {VERSION_FILE} say {version}; commit them and run this again")
        return
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    with tempfile.TemporaryDirectory() as place:
        first, second = (build(ROOT, Path(place, name), mask) for name, mask in _PLACES)
        different = [path.name for path in first if path.read_bytes() != _twin(path, second)]
        if different or len(first) != len(second):
            sys.exit(f"two builds differ: {', '.join(different)}")
        shutil.copytree(first[0].parent, dist)
    files = sorted(dist.iterdir())
    check_contents(ROOT, files)
    _run([sys.executable, "-m", "twine", "check", "--strict", *map(str, files)])
    (wheel,) = dist.glob("*.whl")
    _run([str(Path(sys.executable).with_name("check-wheel-contents")), str(wheel)])
    tried = [name for name in supported_pythons(ROOT) if try_wheel(wheel, name)]
    for path in files:
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")
    print(f"the same bytes twice, and the wheel works in an empty environment of {tried}")
    for what in left_to_do(ROOT):
        print(f"before the upload: {what}")


_PLACES = ("a", 0o022), ("b/longer", 0o077)


def current_version(root: Path) -> str:
    """The version, which is written in one place."""
    found = _VERSION.findall((root / VERSION_FILE).read_text(encoding="utf-8"))
    (version,) = found
    return str(version)


def write_entry(root: Path, version: str, day: str) -> None:
    """Make `version` the current one, and what is unreleased its entry in the changelog.

    Raises:
        SystemExit: nothing is unreleased, or the version has an entry.
    """
    changelog, source = root / "CHANGELOG.md", root / VERSION_FILE
    text = changelog.read_text(encoding="utf-8")
    before, _, after = text.partition(_UNRELEASED)
    if not after.split("\n## ")[0].strip():
        sys.exit("CHANGELOG.md has nothing under Unreleased")
    if re.search(rf"^## {re.escape(version)}\b", text, re.M):
        sys.exit(f"CHANGELOG.md has an entry for {version}")
    entry = f"{before}{_UNRELEASED}\n## {version} - {day}\n{after}"
    code = _VERSION.sub(f'__version__ = "{version}"', source.read_text(encoding="utf-8"))
    changelog.write_text(entry, encoding="utf-8")
    source.write_text(code, encoding="utf-8")


def build(root: Path, place: Path, mask: int) -> list[Path]:
    """Build sdist, and the wheel from that, in a new folder from the files of the last commit."""
    sources, out = place / "sources", place / "out"
    sources.mkdir(parents=True)
    archive = place / "sources.tar"
    _git("archive", "-o", str(archive), "HEAD", ".", _NOT_CARRIED, root=root)
    epoch = _git("log", "-1", "--format=%ct", root=root)
    options: dict[str, Any] = {"env": {**os.environ, "SOURCE_DATE_EPOCH": epoch}, "umask": mask}
    _run(["tar", "-xmf", str(archive), "-C", str(sources)], **options)
    out.mkdir()
    hatchling = [sys.executable, "-m", "hatchling", "build", "-d", str(out)]
    _run([*hatchling, "-t", "sdist"], cwd=sources, **options)
    (sdist,) = out.iterdir()
    _run(["tar", "-xmf", str(sdist), "-C", str(place)], **options)
    unpacked = place / sdist.name.removesuffix(".tar.gz")
    _run([*hatchling, "-t", "wheel"], cwd=unpacked, **options)
    return sorted(out.iterdir())


def _twin(path: Path, others: Sequence[Path]) -> bytes:
    return next((other.read_bytes() for other in others if other.name == path.name), b"")


def check_contents(root: Path, files: Sequence[Path]) -> None:
    """Check that the files hold what is committed, all of the packages, and the license of that.

    Raises:
        SystemExit: something else is in them, or something is missing.
    """
    known = set(_git("ls-files", root=root).splitlines())
    packages = {name for name in known if name.startswith(("reducer/", "oracles/"))}
    license_text = (root / "LICENSE").read_bytes()
    for path in files:
        held = _held(path)
        about = next(held.pop(name) for name in list(held) if name in ("PKG-INFO", "METADATA"))
        licenses = [held[name] for name in held if name.endswith("LICENSE")]
        strange = {name for name in held if name not in {*known, *_OF_WHEELS}}
        if strange or not packages <= set(held):
            sys.exit(f"{path.name} differs from the commit: {sorted(strange ^ packages - {*held})}")
        if any(re.search(rb"SPDX-License-Identifier|Copyright \(c\)", held[name]) for name in held):
            sys.exit(f"{path.name} holds a file with a license of its own")
        fields = message_from_bytes(about)
        if licenses != [license_text] or not fields["License-Expression"]:
            sys.exit(f"{path.name} lacks the license")
        links = re.findall(r"\]\(([^)]*)\)", str(fields.get_payload()))
        relative = [link for link in links if not link.startswith(("https://", "#"))]
        if fields["Version"] != current_version(root) or relative:
            sys.exit(f"{path.name}: {fields['Version']}, with links that lead nowhere: {relative}")


_OF_WHEELS = "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"


def _held(path: Path) -> dict[str, bytes]:
    """The files in an archive; those of the folder that only says what it is have its names."""
    if path.suffix == ".whl":
        with ZipFile(path) as wheel:
            held = {name: wheel.read(name) for name in wheel.namelist()}
        return {re.sub(r"^[^/]*\.dist-info/", "", name): data for name, data in held.items()}
    with tarfile.open(path) as sdist:
        members = [member for member in sdist if member.isfile()]
        read = ((member.name, sdist.extractfile(member)) for member in members)
        return {name.partition("/")[2]: data.read() for name, data in read if data is not None}


def supported_pythons(root: Path) -> list[str]:
    """The versions of Python that the package names, such as 3.12."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    last = (classifier.rpartition(" :: ")[2] for classifier in project["classifiers"])
    return [name for name in last if re.fullmatch(r"3\.\d+", name)]


def try_wheel(wheel: Path, version: str) -> bool:
    """Install a wheel into an empty environment and reduce a program; False without that Python."""
    python = next(filter(_starts, _interpreters(version)), None)
    if python is None:
        print(f"Python {version} is not here, so nothing is tried with it")
        return False
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _run([python, "-m", "venv", str(folder / "venv")])
        scripts = folder / "venv" / "bin"
        _run(
            [str(scripts / "pip"), "install", "--quiet", "--disable-pip-version-check", str(wheel)]
        )
        _run([str(scripts / "pip"), "check"])
        (folder / "compiler").write_text(_FAILING, encoding="utf-8")
        (folder / "compiler").chmod(0o755)
        (folder / "model.mlir").write_text('"a.b"() : () -> ()\n"a.bug"() : () -> ()\n')
        command = ["reduce", "model.mlir", "--quiet", "--", "./compiler", "model.mlir"]
        _run([str(scripts / "mlir-reducer"), *command], cwd=folder)
        if '"a.b"' in (folder / "model.reduced.mlir").read_text(encoding="utf-8"):
            sys.exit(f"with Python {version}, the wheel does not reduce a program")
    return True


def _interpreters(version: str) -> list[str]:
    """Where a Python may be: in PATH, and beside the interpreters of pyenv."""
    home = os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")
    others = sorted(Path(home, "versions").glob(f"{version}.*/bin/python"))
    return [f"python{version}", *map(str, others)]


def _starts(python: str) -> bool:
    try:
        return subprocess.run([python, "-c", ""], capture_output=True).returncode == 0
    except OSError:
        return False


def left_to_do(root: Path) -> list[str]:
    """What only people can decide, and the page of the package lacks."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if "Source" in project.get("urls", {}):
        return []
    return [
        "pyproject.toml has no Source in [project.urls], so the page of the package has no image, "
        "and its links to files are plain text"
    ]


def _git(*words: str, root: Path = ROOT) -> str:
    result = subprocess.run(["git", *words], cwd=root, check=True, stdout=subprocess.PIPE)
    return result.stdout.decode().rstrip("\n")


def _run(words: Sequence[str], **options: Any) -> None:
    subprocess.run(words, check=True, **options)


if __name__ == "__main__":
    main()
