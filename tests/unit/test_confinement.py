"""Policies of others: what they name lies in their folder, or they are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask import errors
from ontomask.cli import app

TAXONOMY = "child,parent\na,top\nb,top\ntop,\n"
LEVELS = "a;any\nb;any\n"
SEVERITY = """
title: t
institution: i
date: 2024-01-01
source: s
columns:
  x: {{kind: nominal, taxonomy: {taxonomy}}}
sets:
  - name: one
    small_class: 1.1.1
    where: {{x: {{values: [a]}}}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A policy's folder, and a file beside it that is none of its business."""
    (tmp_path / "secret.csv").write_text(TAXONOMY)
    inner = tmp_path / "policy"
    (inner / "below").mkdir(parents=True)
    (inner / "below" / "taxonomy.csv").write_text(TAXONOMY)
    (inner / "below" / "levels.csv").write_text(LEVELS)
    (inner / "below" / "mapping.csv").write_text("value,concept\nc,a\n")
    (inner / "severity.yaml").write_text(SEVERITY.format(taxonomy="below/taxonomy.csv"))
    return inner


def policy(folder: Path, taxonomy: str = "below/taxonomy.csv", more: str = "", end: str = "") -> Path:
    path = folder / "p.yaml"
    path.write_text(f"attributes:\n  x: {{kind: nominal, taxonomy: {taxonomy}{more}}}\n{end}")
    return path


def test_files_in_the_folder_and_names_of_the_catalog_are_fine(folder: Path) -> None:
    assert om.Policy.load(policy(folder), confined=True) == om.Policy.load(policy(folder))
    assert om.Policy.load(policy(folder, "icd9cm"), confined=True)
    assert om.Policy.load(
        policy(folder, "./below/../below/taxonomy.csv", ", mapping: below/mapping.csv"), confined=True
    )
    whole = str((folder / "below" / "taxonomy.csv").resolve())
    assert om.Policy.load(policy(folder, whole), confined=True)
    levels = "method: {name: generalization, hierarchies: {x: {kind: levels, path: below/levels.csv}}}\n"
    assert om.Policy.load(policy(folder, end=levels), confined=True)


@pytest.mark.parametrize("name", ["../secret.csv", "/etc/passwd", "link.csv", "linked/secret.csv", "below/absent.csv"])
def test_files_elsewhere_are_refused(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "link.csv").symlink_to(folder.parent / "secret.csv")
    (folder / "linked").symlink_to(folder.parent)
    for path in (
        policy(folder, name),
        policy(folder, "icd9cm", f", mapping: {name}"),
        policy(folder, "icd9cm", f", measure: context_vector, options: {{vectors: {name}}}"),
        policy(
            folder, end=f"  y: {{kind: place, table: us_zip3, measure: context_vector, options: {{vectors: {name}}}}}\n"
        ),
        policy(folder, end=f"method: {{name: generalization, hierarchies: {{x: {{kind: levels, path: {name}}}}}}}\n"),
        policy(folder, end=f"require: [{{name: severity_diversity, l: 2, severity: {name}}}]\n"),
        policy(folder, end=f"require: [{{name: severity_closeness, t: 0.2, severity: {name}}}]\n"),
    ):
        with pytest.raises(errors.PolicyError, match="in its folder") as caught:
            om.Policy.load(path, confined=True)
        assert caught.value.remedy


def test_what_a_severity_file_names_is_confined_too(folder: Path) -> None:
    end = "  y: {kind: nominal, taxonomy: icd9cm, role: sensitive}\n"
    end += "require: [{name: severity_diversity, l: 2, severity: severity.yaml}]\n"
    assert om.Policy.load(policy(folder, end=end), confined=True)
    (folder / "severity.yaml").write_text(SEVERITY.format(taxonomy="../secret.csv"))
    with pytest.raises(errors.PolicyError, match="severity.yaml: it names '../secret.csv'"):
        om.Policy.load(policy(folder, end=end), confined=True)


def test_a_file_of_the_working_folder_is_not_found_instead(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    assert om.Policy.load(policy(folder, "secret.csv"))  # unconfined it is
    with pytest.raises(errors.PolicyError, match="no such file in its folder"):
        om.Policy.load(policy(folder, "secret.csv"), confined=True)


def test_a_folder_with_links_out_of_it(folder: Path) -> None:
    (folder / "release").mkdir()
    (folder / "release" / "sct2_Concept_x.txt").symlink_to("/etc/passwd")
    with pytest.raises(errors.PolicyError, match="not in its folder"):
        om.Policy.load(policy(folder, "release"), confined=True)


def test_on_the_command_line(folder: Path) -> None:
    data = folder / "t.csv"
    data.write_text("x\na\na\nb\nb\n")
    method = "method: {name: microaggregation, k: 2}\n"
    good, out = policy(folder, end=method), str(folder / "out")
    result = CliRunner().invoke(app, ["run", str(good), str(data), "-o", out, "--no-report", "--confined"])
    assert result.exit_code == 0, result.output
    release = str(folder / "out" / "release" / "release.csv")
    commands = {
        "check": [str(data)],
        "verify": [release],
        "compare": [str(data), "--k", "2", "--workers", "1"],
        "assess": [str(data), release, "--aligned"],
    }
    for name, rest in commands.items():
        done = CliRunner().invoke(app, [name, str(good), *rest, "--confined"])
        assert done.exit_code == 0, (name, done.output, done.exception)
    bad = policy(folder, "../secret.csv", end=method)
    for name, rest in {**commands, "run": [str(data), "-o", out]}.items():
        done = CliRunner().invoke(app, [name, str(bad), *rest, "--confined"])
        assert isinstance(done.exception, errors.PolicyError), name
