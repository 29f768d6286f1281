"""Installation, with the real pip and a package index of one folder.

The wheels in that folder hold a shell script where the compiler would be: what is tested is what
happens around the package, and nothing has to be downloaded.
"""

import subprocess
import sys
import threading
import zipfile
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from oracles.profiles import RELEASES
from reducer.toolchain import (
    PackageSource,
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

INSTALL = "import sys; from reducer.toolchain import install; install(sys.argv[1], progress=print)"


@pytest.fixture(autouse=True)
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index with three compiler releases and one runtime, and an empty cache."""
    folder = tmp_path / "index"
    folder.mkdir()
    for version in ("3.9.0", "3.10.0", "3.11.0rc1"):
        make_wheel(folder, "iree_base_compiler", version, "iree/compiler/_mlir_libs/iree-compile")
    make_wheel(folder, "iree_base_runtime", "3.9.0", "iree/_runtime_libs/iree-run-module")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
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


def test_install_makes_the_tools_available() -> None:
    lines: list[str] = []
    toolchain = install("3.9", progress=lines.append)
    assert find("3.9.0") == toolchain
    assert subprocess.check_output([toolchain.compile], text=True) == "3.9.0\n"
    assert lines[0] == "installing iree-base-compiler 3.9.0"


def test_an_installed_version_needs_no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    first = install("3.9.0")
    monkeypatch.setenv("PIP_FIND_LINKS", "/nonexistent")
    assert install("3.9.0") == first


def test_newest_is_the_newest_release_but_no_candidate() -> None:
    assert newest_release() == "3.10.0"
    assert install("newest").version == "3.10.0"


def test_a_release_candidate_can_be_asked_for() -> None:
    assert install("3.11.0rc1").compile.exists()


def test_lists_what_is_published_oldest_first() -> None:
    assert published() == ["3.9.0", "3.10.0"]
    assert published(source=PackageSource(pre=True)) == ["3.9.0", "3.10.0", "3.11.0rc1"]
    assert installed() == []


@pytest.fixture
def nightlies(index: Path, tmp_path: Path) -> Path:
    """The page of two nightly packages, which the index itself does not have."""
    (index / "iree_base_compiler-3.11.0rc1-py3-none-any.whl").unlink()
    for version in ("3.11.0rc20251102", "3.11.0rc20251110"):
        make_wheel(index, "iree_base_compiler", version, "iree/compiler/_mlir_libs/iree-compile")
    return make_page(index, tmp_path / "site")


def test_nightly_packages_come_from_a_page_of_links(nightlies: Path) -> None:
    source = PackageSource((str(nightlies),), pre=True)
    assert published(source=source) == ["3.9.0", "3.10.0", "3.11.0rc20251102", "3.11.0rc20251110"]
    assert install("newest", source=source).version == "3.11.0rc20251110"
    assert install("newest", source=PackageSource(source.find_links)).version == "3.10.0"


def test_a_page_may_be_on_a_server(nightlies: Path) -> None:
    handler = partial(SimpleHTTPRequestHandler, directory=str(nightlies.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/{nightlies.name}"
        found = install("3.11.0rc20251102", source=PackageSource((address,)))
        server.shutdown()
    assert subprocess.check_output([found.compile], text=True) == "3.11.0rc20251102\n"


def test_a_nightly_version_is_looked_up_where_its_project_lists_them(
    nightlies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--iree 3.11.0rc20251110` needs no further option."""
    here = replace(RELEASES, nightlies=nightlies.as_uri())
    monkeypatch.setattr("reducer.toolchain.source.RELEASES", here)
    lines: list[str] = []
    assert install("3.11.0rc20251110", progress=lines.append).version == "3.11.0rc20251110"
    assert any("among the nightly packages" in line for line in lines)
    with pytest.raises(ToolchainError, match=r"no iree-base-compiler 3.11.0rc20251109"):
        install("3.11.0rc20251109")


def test_of_hundreds_of_versions_the_nearest_are_named(index: Path) -> None:
    for day in range(1, 29):
        version = f"3.12.0rc202601{day:02}"
        make_wheel(index, "iree_base_compiler", version, "iree/compiler/_mlir_libs/iree-compile")
    with pytest.raises(ToolchainError, match=r"nearest of 31 .*: 3.12.0rc20260117, .*0128$"):
        install("3.12.0", source=PackageSource((str(index),)))


def test_runtime_can_be_added_later() -> None:
    assert not install("3.9.0").run_module.exists()
    assert install("3.9.0", runtime=True).run_module.exists()


def test_a_version_that_does_not_exist_names_those_that_do() -> None:
    with pytest.raises(ToolchainError, match=r"no iree-base-compiler 9.9.0 .* 3.9.0, 3.10.0"):
        install("9.9.0")
    assert installed() == []


def test_an_unreachable_index_is_named_as_the_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")
    monkeypatch.setenv("PIP_RETRIES", "0")
    for action in (lambda: install("3.9.0"), newest_release, published):
        with pytest.raises(ToolchainError, match="check the network connection"):
            action()


def test_a_page_that_cannot_be_reached_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_RETRIES", "1")
    source = PackageSource(("http://127.0.0.1:9/pip-release-links.html",), pre=True)
    with pytest.raises(ToolchainError, match=r"could not connect to pip-release-links.html"):
        install("3.9.1", source=source)


def test_a_broken_package_leaves_nothing_behind(index: Path) -> None:
    (index / "iree_base_compiler-3.9.0-py3-none-any.whl").write_bytes(b"not a zip file")
    with pytest.raises(ToolchainError, match=r"pip could not install iree-base-compiler 3.9.0"):
        install("3.9.0")
    assert installed() == []


def test_an_unusable_cache_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "file"))
    with pytest.raises(ToolchainError, match="set MLIR_REDUCER_CACHE"):
        install("3.9.0")


def test_an_installation_that_was_killed_is_started_afresh() -> None:
    folder = package_folder("iree-base-compiler", "3.9.0")
    partial = folder.with_name(f".partial-{folder.name}")
    partial.mkdir(parents=True)
    (partial / "half a file").touch()
    root = install("3.9.0").root
    assert not partial.exists()
    assert not (root / "half a file").exists()


def test_processes_that_install_at_once_install_once() -> None:
    command = [sys.executable, "-c", INSTALL, "3.10.0"]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert sum("installing" in output for output in outputs) == 1


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and the one folder on PATH."""
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def make_program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def make_toolchain(version: str) -> Path:
    root = package_folder("iree-base-compiler", version)
    for tool in ("iree-compile", "iree-opt"):
        make_program(root / "iree" / "compiler" / "_mlir_libs" / tool)
    return root


def test_a_version_overrides_name_and_path(path: Path) -> None:
    root = make_toolchain("3.9.0")
    make_toolchain("3.10.0")
    elsewhere = make_program(path / "iree-compile")
    for name in ("iree-compile", str(elsewhere)):
        assert resolve_executable(name, "3.9.0").is_relative_to(root)


def test_any_program_of_a_version_is_found_and_none_of_another(path: Path) -> None:
    folder = make_toolchain("3.9.0") / "iree" / "compiler" / "_mlir_libs"
    newer = make_toolchain("3.10.0")
    linker = make_program(folder / "iree-link")
    make_program(path / "iree-link")
    make_program(newer / "iree" / "compiler" / "_mlir_libs" / "iree-new")
    make_program(folder / "_mlir.so")
    assert resolve_executable("iree-link", "3.9.0") == linker
    assert resolve_executable("iree-new") == newer / "iree" / "compiler" / "_mlir_libs" / "iree-new"
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
    native = make_program(packages / "iree" / "compiler" / "_mlir_libs" / "iree-compile")
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


LIBRARIES = Path("iree", "compiler", "_mlir_libs", "iree-compile")


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def empty_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


def test_of_an_installed_version() -> None:
    compiler = program(package_folder(COMPILER_PACKAGE, "3.9.0") / LIBRARIES)
    runtime = package_folder(RUNTIME_PACKAGE, "3.9.0") / "iree/_runtime_libs/iree-run-module"
    assert runtime_of(compiler) == program(runtime)


def test_in_the_same_python_installation(tmp_path: Path) -> None:
    compiler = program(tmp_path / "site-packages" / LIBRARIES)
    runtime = program(tmp_path / "site-packages/iree/_runtime_libs/iree-run-module")
    assert runtime_of(compiler) == runtime


def test_in_the_same_build_folder(tmp_path: Path) -> None:
    runtime = program(tmp_path / "build/tools/iree-run-module")
    assert runtime_of(program(tmp_path / "build/tools/iree-compile")) == runtime


def test_on_path_or_nowhere(tmp_path: Path) -> None:
    compiler = program(tmp_path / "elsewhere/iree-compile")
    with pytest.raises(ToolchainError, match=r"install iree-base-runtime .* or use --iree VERSION"):
        runtime_of(compiler)
    runtime = program(tmp_path / "bin/iree-run-module")
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
        ("source", "let a shell run the command: bash -c 'source … {}'"),
        ("X=1", "put env in front: env X=1"),
        ("./no-such-tool", "is not an executable program"),
    ],
)
def test_words_that_a_shell_would_understand(name: str, advice: str) -> None:
    with pytest.raises(ToolchainError) as caught:
        resolve_executable(name)
    assert advice in str(caught.value)
