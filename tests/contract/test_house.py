"""The laws of the house, as checks instead of memories."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ontomask as om
from ontomask.policy.policy import METHODS
from tools import make_map

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "src" / "ontomask").rglob("*.py"))

#: Lines of a module, as CONTRIBUTING.md promises them.
LONGEST = int(re.findall(r"A module has at most (\d+)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))[0])


def tracked() -> list[Path]:
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / line for line in done.stdout.splitlines()]


@pytest.mark.parametrize("module", MODULES, ids=lambda p: p.stem)
def test_a_module_says_what_it_is_and_fits_on_a_few_screens(module: Path) -> None:
    text = module.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), "a module begins with a sentence on what it is"
    assert text.count("\n") <= LONGEST
    assert module.stem not in ("utils", "helpers", "misc", "common")


#: Packages that ask parts of a policy; and modules of them that ask objects of users and of other packages.
ASKING = (
    "policy release report comparison assessment privacy masking profiling severity hierarchies kinds operators engines"
)
FOREIGN = ("report/page.py", "comparison/runs.py", "operators/record_distance.py", "operators/references.py")


@pytest.mark.parametrize("module", MODULES, ids=lambda p: p.stem)
def test_what_callers_ask_is_declared(module: Path) -> None:
    """Not ``getattr(method, "k", None)``: a base class has it, and a new method overrides it."""
    name = module.relative_to(ROOT / "src" / "ontomask").as_posix()
    asked = [
        ast.unparse(node)
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr")
        if isinstance(node.args[1], ast.Constant)
    ]
    assert not asked or name.split("/")[0] not in ASKING.split() or name in FOREIGN


def test_importing_loads_nothing_heavy() -> None:
    code = "import sys; import ontomask; print(sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for heavy in (
        "numpy",
        "scipy",
        "polars",
        "rapidfuzz",
        "snowballstemmer",
        "pyoxigraph",
        "numba",
        "pydantic",
        "narwhals",
        "yaml",
        "typer",
        "rich",
        "altair",
        "vl_convert",
        "jinja2",
    ):
        assert f"'{heavy}'" not in loaded


def test_public_names_exist_and_are_documented() -> None:
    assert set(om.__all__) <= set(dir(om))
    for name in om.__all__:
        value = getattr(om, name)
        if callable(value):
            assert value.__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        om.nonsense  # noqa: B018


def test_every_error_derives_from_one() -> None:
    for name in om.errors.__all__:
        assert issubclass(getattr(om.errors, name), Warning if name.endswith("Warning") else om.errors.OntomaskError)


@pytest.mark.parametrize("measure", sorted(om.list_measures()))
def test_every_measure_has_a_page(measure: str) -> None:
    page = (ROOT / "docs" / "measures" / f"{measure}.md").read_text(encoding="utf-8")
    chosen = om.get_measure(measure)
    assert page.startswith(f"# {measure}: ")
    for heading in ("| range |", "| metric |", "| options |", "| paper |", ">>> "):
        assert heading in page
    assert all(f"`{option}=" in page for option in chosen.options)
    metric = re.search(r"\| metric \| ([\w ]+)", page)
    assert metric is not None
    assert metric[1].strip().startswith({"always": "always", "on trees": "on trees", "no": "no"}[chosen.metric])
    assert f"[`{measure}`]({measure}.md)" in (ROOT / "docs" / "measures" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(METHODS))
def test_every_method_has_a_page(name: str) -> None:
    method = METHODS[name]
    called = re.sub(r"(?<=[a-z])[A-Z]", lambda found: " " + found[0].lower(), method.__name__)
    page = (ROOT / "docs" / "methods" / f"{name}.md").read_text(encoding="utf-8")
    for heading in (f"# {called}: ", "| promise |", "| paper |", "| cost |", ">>> "):
        assert heading in page
    settings = [setting for setting in method.model_fields if setting not in ("name", "k", "replace")]
    shared = (ROOT / "docs" / "methods" / "README.md").read_text(encoding="utf-8")
    linked = (ROOT / "docs" / "methods" / "microaggregation.md").read_text(encoding="utf-8")
    assert all(f"`{setting}" in page + shared + linked for setting in settings)
    assert f"[`{method.__name__}`]({name}.md)" in shared
    assert f"](docs/methods/{name}.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.search(rf"\b{name}\b", (ROOT / "src" / "ontomask" / "cli" / "init.py").read_text(encoding="utf-8"))


def test_every_format_is_in_the_docs_and_the_help() -> None:
    from ontomask.taxonomy.readers import FORMATS

    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    told = (ROOT / "src" / "ontomask" / "cli" / "taxonomy_options.py").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in page for name in FORMATS)
    assert all(re.search(rf"\b{name}\b", told) for name in FORMATS), "the help of --format lists every format"


def test_links_in_the_docs_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_nothing_of_this_machine_is_committed() -> None:
    # Hosts of package registries and paths of machines; spelled so that this file does not name them itself.
    forbidden = re.compile(
        "|".join(["pypi" + r"\.org", "pythonhosted" + r"\.org", "/wo" + "rk/", "/ro" + "ot/", "deb" + r"ian\.org"])
    )
    for path in tracked():
        if path.suffix in (".xz", ".png", ".webp") or not path.is_file():
            continue
        found = forbidden.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{path.relative_to(ROOT)}: {found}"


def test_every_experiment_can_be_imported() -> None:
    """They are run by hand and seldom; a name that moved must be noticed before."""
    import importlib

    for file in sorted((ROOT / "experiments").glob("*.py")):
        if file.stem != "__main__":
            importlib.import_module(f"experiments.{file.stem}")


def test_the_map_of_the_sources_names_every_part() -> None:
    """Once it was: packages that came later were not on it. ``python tools/make_map.py`` writes it."""
    block = make_map.BLOCK.search(make_map.PAGE.read_text(encoding="utf-8"))
    assert block is not None
    named = {name.removesuffix("/") for name in re.findall(r"^  (\S+)", block[0], re.MULTILINE)}
    there = {path.name for path in (*make_map.packages(), *make_map.modules())} | {"__init__.py"}
    assert named == there, "run python tools/make_map.py"
