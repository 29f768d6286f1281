"""What people see of the package before they have installed it, and of its tests."""

import ast
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def hook() -> ModuleType:
    pytest.importorskip("hatchling")
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_the_package_has_no_link_that_leads_nowhere(hook: ModuleType) -> None:
    from hatchling.metadata.core import ProjectMetadata
    from hatchling.plugin.manager import PluginManager

    page = ProjectMetadata(str(ROOT), PluginManager()).core.readme
    assert page.startswith("# mlir-reducer\n")
    targets = re.findall(r"\]\(([^)]*)\)", page)
    assert all(target.startswith("https://") for target in targets), targets
    assert "[docs/" not in page


def test_links_are_absolute_where_the_repository_has_an_address(hook: ModuleType) -> None:
    text = "![a view](docs/a.svg) and [docs](docs/b.md#c), [IREE](https://iree.dev), [up](#use)"
    assert hook.package_page(text, "https://example.org/r/") == (
        "![a view](https://example.org/r/raw/main/docs/a.svg) and "
        "[docs](https://example.org/r/blob/main/docs/b.md#c), [IREE](https://iree.dev), [up](#use)"
    )
    assert hook.package_page(text, None) == " and docs, [IREE](https://iree.dev), [up](#use)"


def test_the_readme_is_a_page() -> None:
    """It says what this is, what it gives, how to install it and the main job, and no more."""
    assert len(README.splitlines()) <= 120
    titles = re.findall(r"^## (.*)$", README, re.M)
    assert titles[:3] == ["Install", "Use", "How it works"]
    for command in ("make reduce", "make test", "pipx install", "pip install"):
        assert command in README


def test_every_page_is_linked_from_another() -> None:
    pages = {path: path.read_text(encoding="utf-8") for path in ROOT.glob("docs/*.md")}
    linked = "".join([README, *pages.values()])
    assert not [path.name for path in pages if f"{path.name}" not in linked]


def test_the_first_file_of_each_folder_of_tests_says_what_the_folder_promises() -> None:
    """In a first line and a paragraph; where the file has a subject of its own, that comes last."""
    folders = {path.parent for path in ROOT.glob("tests/*/**/test_*.py")}
    first = sorted(min(folder.glob("test_*.py")) for folder in folders)
    said = {path: ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) for path in first}
    assert first and not [path for path, text in said.items() if "\n\n" not in (text or "")]
