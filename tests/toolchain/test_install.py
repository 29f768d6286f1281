"""Compiler versions are installed side by side by the real pip, completely or not at all.

The package index is a folder of wheels that hold a shell script where the compiler would be: what
is tested is what happens around the package, and nothing is downloaded. What pip says where it
fails is a table, which the slow tests compare with the real pip. A program is then found by its
name, by its path, or in the version that was asked for.
"""

import os
import subprocess
import sys
import threading
import zipfile
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from oracles.profiles import RELEASES
from reducer.toolchain import (
    PackageSource,
    Toolchain,
    ToolchainError,
    find,
    install,
    installed,
    newest_release,
    published,
    resolve_executable,
    runtime_of,
)
from reducer.toolchain.model import COMPILER_PACKAGE, RUNTIME_PACKAGE, package_folder
from tests.support.nightlies import make_page

LIBRARIES = Path("iree", "compiler", "_mlir_libs")
NOWHERE = "http://127.0.0.1:9/"


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and the one folder on PATH."""
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    return tmp_path / "bin"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index with two compiler releases, two nightly packages, and one runtime."""
    folder = tmp_path / "index"
    folder.mkdir()
    for version in ("3.9.0", "3.10.0", "3.11.0rc20251102", "3.11.0rc20251110"):
        make_wheel(folder, "iree_base_compiler", version, "iree/compiler/_mlir_libs/iree-compile")
    make_wheel(folder, "iree_base_runtime", "3.9.0", "iree/_runtime_libs/iree-run-module")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def make_wheel(folder: Path, package: str, version: str, program: str) -> None:
    name = f"{package}-{version}"
    info = f"{name}.dist-info"
    files = {
        program: f"#!/bin/sh\necho {version}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(folder / f"{name}-py3-none-any.whl", "w") as wheel:
        for path, text in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o100755 << 16
            wheel.writestr(entry, text)
        wheel.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in files))


def test_a_version_is_installed_once_and_the_runtime_added_later(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = package_folder("iree-base-compiler", "3.9.0").with_name(
        ".partial-iree-base-compiler-3.9.0"
    )
    killed.mkdir(parents=True)
    (killed / "half a file").touch()
    lines: list[str] = []
    toolchain = install("3.9", progress=lines.append)
    assert find("3.9.0") == toolchain
    assert subprocess.check_output([toolchain.compile], text=True) == "3.9.0\n"
    assert lines[0] == "installing iree-base-compiler 3.9.0"
    assert lines[-1] == f"installed iree-base-compiler 3.9.0 in {toolchain.root}"
    assert not killed.exists() and not (toolchain.root / "half a file").exists()
    assert not toolchain.run_module.exists()
    assert install("3.9.0", runtime=True).run_module.exists()
    monkeypatch.setenv("PIP_FIND_LINKS", "/nonexistent")
    assert install("3.9.0", runtime=True) == toolchain


def test_those_that_install_at_once_install_once(index: Path) -> None:
    lines: list[str] = []
    found: list[Toolchain] = []

    def one() -> None:
        found.append(install("3.10.0", progress=lines.append))

    threads = [threading.Thread(target=one) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3 and len(set(found)) == 1
    assert sum(line.startswith("installing") for line in lines) == 1
    assert any(line.startswith("waiting for another process") for line in lines)


def test_nightly_packages_come_from_a_page_of_links(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--iree 3.11.0rc20251110` needs no further option."""
    page = make_page(index, tmp_path / "site")
    source = PackageSource((str(page),), pre=True)
    assert published(source=source) == ["3.9.0", "3.10.0", "3.11.0rc20251102", "3.11.0rc20251110"]
    assert newest_release(source=source) == "3.11.0rc20251110"
    assert install("newest", source=PackageSource(source.find_links)).version == "3.10.0"
    here = replace(RELEASES, nightlies=page.as_uri())
    monkeypatch.setattr(import_module("reducer.toolchain.install"), "RELEASES", here)
    lines: list[str] = []
    assert install("3.11.0rc20251110", progress=lines.append).version == "3.11.0rc20251110"
    assert any("among the nightly packages" in line for line in lines)


def not_found(wanted: str, versions: str) -> str:
    package = f"iree-base-compiler=={wanted}"
    return (
        f"ERROR: Could not find a version that satisfies the requirement {package} "
        f"(from versions: {versions})\nERROR: No matching distribution found for {package}\n"
    )


def says(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Make pip fail and say this."""

    def pip(*arguments: str, merge_errors: bool = False) -> "subprocess.Popen[str]":
        where = "" if merge_errors else " >&2"
        return subprocess.Popen(
            ["/bin/sh", "-c", f'printf %s "$1"{where}; exit 1', "", text],
            stdout=subprocess.PIPE,
            stderr=None if merge_errors else subprocess.PIPE,
            text=True,
        )

    monkeypatch.setattr(sys.modules[install.__module__], "_pip", pip)


CONNECTION = "check the network connection and pip's index settings"
RETRYING = """\
WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after \
connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPConnection object at \
0x7f351c9cb710>: Failed to establish a new connection: [Errno 111] Connection refused')': """
BROKEN = "ERROR: Wheel 'iree-base-compiler' located at /a.whl is invalid."
NIGHTLIES = ", ".join(f"3.12.0rc202601{day:02}" for day in range(1, 29))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (not_found("3.9.1", "3.9.0, 3.10.0"), "there is no iree-base-compiler 3.9.1 for this "
         "platform; available versions: 3.9.0, 3.10.0"),
        (not_found("3.9.1", f"3.9.0, {NIGHTLIES}"), "there is no iree-base-compiler 3.9.1 for this "
         "platform; the nearest of 29 available versions: 3.9.0, " + NIGHTLIES[:11 * 18 - 2]),
        (not_found("3.9.1", "none"), f"iree-base-compiler not found: {CONNECTION}, and whether "
         "there are wheels for this platform (there are for Linux and macOS)"),
        (f"{RETRYING}/x/links.html\n" + not_found("3.9.1", "3.9.0"), "pip found no iree-base-"
         f"compiler 3.9.1, but could not connect to links.html: {CONNECTION}"),
        (f"{RETRYING}/\n" + not_found("3.9.1", "3.9.0"), "pip found no iree-base-compiler 3.9.1, "
         f"but could not connect to the package index: {CONNECTION}"),
        (f"Processing /a.whl\n{BROKEN}\n", f"pip could not install iree-base-compiler 3.9.1: "
         f"{BROKEN}"),
        ("1\n2\n3\n4\n", "pip could not install iree-base-compiler 3.9.1: 2 3 4"),
    ],
)  # fmt: skip
def test_why_pip_fails(said: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, said)
    with pytest.raises(ToolchainError) as caught:
        install("3.9.1")
    assert str(caught.value) == told
    assert installed() == []


def test_what_is_published_is_read_from_what_pip_says(monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, not_found("0.0.0.dev0", "3.10.0, 3.9.0, 3.11.0rc1, odd-one"))
    assert published() == ["3.9.0", "3.10.0"]
    assert published(source=PackageSource(pre=True)) == ["3.9.0", "3.10.0", "3.11.0rc1"]
    says(monkeypatch, not_found("0.0.0.dev0", "3.11.0rc1"))
    assert published() == ["3.11.0rc1"], "there is nothing else"
    says(monkeypatch, not_found("0.0.0.dev0", "none"))
    for action in (published, newest_release):
        with pytest.raises(ToolchainError, match="check the network connection"):
            action()


def test_only_candidates_are_looked_up_among_nightly_packages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    says(monkeypatch, not_found("3.11.0", "3.9.0"))
    source = PackageSource((RELEASES.nightlies,))
    for version, more, looks in (
        ("3.11.0rc1", {}, 1),
        ("3.11.0", {}, 0),
        ("3.11.0rc1", {"source": source}, 0),
    ):
        lines: list[str] = []
        with pytest.raises(ToolchainError, match="there is no"):
            install(version, progress=lines.append, **more)
        assert sum("among the nightly packages" in line for line in lines) == looks


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "source", "told"),
    [
        ({}, PackageSource(), r"no iree-base-compiler 3.9.1 .* 3.9.0, 3.10.0"),
        ({"PIP_NO_INDEX": None, "PIP_FIND_LINKS": None, "PIP_INDEX_URL": NOWHERE,
          "PIP_RETRIES": "0"}, PackageSource(), "check the network connection"),
        ({"PIP_RETRIES": "1"}, PackageSource((f"{NOWHERE}links.html",), pre=True),
         "could not connect to links.html"),
    ],
)  # fmt: skip
def test_the_real_pip_fails_like_that(
    settings: dict[str, str | None],
    source: PackageSource,
    told: str,
    index: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in settings.items():
        monkeypatch.delenv(name, raising=False) if value is None else monkeypatch.setenv(
            name, value
        )
    with pytest.raises(ToolchainError, match=told):
        install("3.9.1", source=source)
    (index / "iree_base_compiler-3.9.0-py3-none-any.whl").write_bytes(b"not a zip file")
    with pytest.raises(ToolchainError):
        install("3.9.0")
    assert installed() == []


def test_an_unusable_cache_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "file"))
    with pytest.raises(ToolchainError, match="set MLIR_REDUCER_CACHE"):
        install("3.9.0")


def make_program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def make_toolchain(version: str) -> Path:
    root = package_folder("iree-base-compiler", version)
    for tool in ("iree-compile", "iree-opt"):
        make_program(root / LIBRARIES / tool)
    return root


def test_a_version_overrides_name_and_path(path: Path) -> None:
    root = make_toolchain("3.9.0")
    make_toolchain("3.10.0")
    elsewhere = make_program(path / "iree-compile")
    for name in ("iree-compile", str(elsewhere)):
        assert resolve_executable(name, "3.9.0").is_relative_to(root)


def test_any_program_of_a_version_is_found_and_none_of_another(path: Path) -> None:
    folder = make_toolchain("3.9.0") / LIBRARIES
    newer = make_toolchain("3.10.0")
    linker = make_program(folder / "iree-link")
    make_program(path / "iree-link")
    make_program(newer / LIBRARIES / "iree-new")
    make_program(folder / "_mlir.so")
    assert resolve_executable("iree-link", "3.9.0") == linker
    assert resolve_executable("iree-new") == newer / LIBRARIES / "iree-new"
    tools = "iree-compile, iree-link, iree-opt"
    for name in ("iree-new", "_mlir.so"):
        with pytest.raises(
            ToolchainError, match=f"neither a tool of 3.9.0, which has {tools}, nor"
        ):
            resolve_executable(name, "3.9.0")


def test_a_version_says_nothing_about_other_programs(path: Path) -> None:
    make_toolchain("3.9.0")
    script = make_program(path / "oracle.sh")
    assert resolve_executable("oracle.sh", "3.9.0") == script


def test_a_program_on_path_comes_before_installed_versions(path: Path) -> None:
    make_toolchain("3.9.0")
    program = make_program(path / "iree-opt")
    assert resolve_executable("iree-opt") == program


def test_without_one_on_path_the_newest_installed_version_serves() -> None:
    make_toolchain("3.9.0")
    newest = make_toolchain("3.10.0")
    assert resolve_executable("iree-opt").is_relative_to(newest)


def test_an_entry_point_stands_for_the_native_program_behind_it(path: Path) -> None:
    entry = make_program(path / "iree-compile")
    packages = path.parent / "lib" / "python3.11" / "site-packages"
    native = make_program(packages / LIBRARIES / "iree-compile")
    assert resolve_executable("iree-compile") == native
    assert resolve_executable(str(entry)) == native


def test_a_path_is_taken_as_it_is_and_made_absolute(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = make_program(path / "my-compiler")
    monkeypatch.chdir(path.parent)
    assert resolve_executable("bin/my-compiler") == program


def test_a_missing_compiler_says_how_to_get_one() -> None:
    with pytest.raises(ToolchainError, match="mlir-reducer toolchain install"):
        resolve_executable("iree-compile")


def test_a_variable_in_front_of_the_command_needs_env() -> None:
    with pytest.raises(ToolchainError, match="put env in front: env FOO=1"):
        resolve_executable("FOO=1")


@pytest.mark.parametrize("name", ["no-such-program", "./no-such-program", ""])
def test_a_missing_program_is_named(name: str) -> None:
    with pytest.raises(ToolchainError, match=f"'{name}'"):
        resolve_executable(name)


def test_the_runtime_is_that_of_the_compiler(tmp_path: Path) -> None:
    """Of the same version, in the same Python installation or build folder, or on PATH."""
    cached = package_folder(COMPILER_PACKAGE, "3.9.0") / LIBRARIES / "iree-compile"
    for compiler, runtime in (
        (cached, package_folder(RUNTIME_PACKAGE, "3.9.0") / "iree/_runtime_libs/iree-run-module"),
        (tmp_path / "packages" / LIBRARIES / "iree-compile",
         tmp_path / "packages/iree/_runtime_libs/iree-run-module"),
        (tmp_path / "build/tools/iree-compile", tmp_path / "build/tools/iree-run-module"),
    ):  # fmt: skip
        make_program(runtime)
        assert runtime_of(make_program(compiler)) == runtime
    compiler = make_program(tmp_path / "elsewhere/iree-compile")
    with pytest.raises(ToolchainError, match=r"install iree-base-runtime .* or use --iree VERSION"):
        runtime_of(compiler)
    runtime = make_program(tmp_path / "bin/iree-run-module")
    assert runtime_of(compiler) == runtime


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("iree-compile --flag=1", "leave out the quotes around it"),
        (f"iree-compile --long={300 * 'x'}", "leave out the quotes around it"),
        ("t {} | u", "put bash -c in front of it, with {} in place of the input"),
        ("ulimit -v 9; t", "put bash -c in front of it"),
        ("cd x && t", "'cd' is a word of the shell; change the folder before"),
        ("(t --x; u)", "put bash -c in front of it"),
        ("(t --x", "leave out the quotes around it, and '('"),
        ("t --x=a(b)", "leave out the quotes around it, and quote each word with brackets"),
        ("(t", "leave out '(', and what closes it"),
        ("{", "leave out '{', and what closes it"),
        ("cd", "change the folder before mlir-reducer starts"),
        ("source", "let a shell run it: bash -c 'source … {}'"),
        ("X=1", "put env in front: env X=1"),
        ("./no-such-tool", "is not an executable program"),
        ("iree-complie", "'iree-complie' is not on PATH; did you mean iree-compile?"),
        ("myopt-22", "did you mean my-opt-22?"),
        ("$HERE/my-otp-22", "is not an executable program; did you mean $HERE/my-opt-22?"),
        ("no-such-thing", "'no-such-thing' is not on PATH; give its path"),
        ("dangling", "'dangling' is a link to '$HERE/gone', which does not exist"),
        ("$HERE/dangling", "is a link to '$HERE/gone', which does not exist"),
        ("text", "'text' is not executable; run: chmod +x $HERE/text"),
        ("script", "'script' needs '/no/such/python' to start, which does not exist"),
        ("by-env", "'by-env' needs 'no-such-python' to start, which does not exist"),
        ("native", "'native' needs '/no/such/ld-linux.so.9' to start, which does not exist"),
    ],
)
def test_a_program_that_cannot_start_is_told_why(
    name: str, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a word of a shell, misspelled, or needs a file that is not there."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    (tmp_path / "dangling").symlink_to(tmp_path / "gone")
    for file, content in (
        ("my-opt-22", b"#!/bin/sh\n"),
        ("text", b"text"),
        ("script", b"#! /no/such/python -u\n"),
        ("by-env", b"#!/usr/bin/env -S X=1 no-such-python\n"),
        ("native", b"\x7fELF" + 60 * b"\1" + b"\0/no/such/ld-linux.so.9\0"),
    ):
        (tmp_path / file).write_bytes(content)
        (tmp_path / file).chmod(0o644 if file == "text" else 0o755)
    with pytest.raises(ToolchainError) as caught:
        resolve_executable(name.replace("$HERE", str(tmp_path)))
    assert advice.replace("$HERE", str(tmp_path)) in str(caught.value)
