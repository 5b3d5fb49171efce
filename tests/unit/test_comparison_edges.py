"""Comparisons at their edges: nothing to draw, nothing to learn, no measure of loss, names of any kind, k = 1."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from ontomask.cli.compare import _levels
from ontomask.comparison.evaluation import Ground, Run
from ontomask.comparison.outcome import Comparison

FRAME = pl.DataFrame({"age": [30, 31, 33, 52, 54, 58, 59, 60], "ill": ["a", "b", "a", "b", "c", "c", "a", "b"]})
POLICY = om.Policy(attributes={"age": om.Numeric(), "ill": om.Flat(role="sensitive")})


def test_where_no_candidate_has_figures_there_is_nothing_to_draw(tmp_path: Path) -> None:
    strict = POLICY.changed(require=[om.KAnonymity(k=5)])
    found = om.compare(FRAME, om.grid(strict, ["microaggregation"], [2, 3]), workers=1)
    assert not found.drawable
    for write in (found.write_map, found.write_curve):
        with pytest.raises(errors.OptionError, match="nothing to draw"):
            write(tmp_path / "chart.svg")
    assert not list(tmp_path.iterdir())


def test_disclosure_needs_a_value_to_learn() -> None:
    frame = FRAME.with_columns(ill=pl.lit(None, dtype=pl.String))
    ways = om.grid(POLICY, ["microaggregation", "recoding"], [2])
    with pytest.raises(errors.OptionError, match="no sensitive column has a value"):
        om.compare(frame, ways, workers=1, kind="disclosure")
    assert om.compare(frame, ways, workers=1).best is not None


@pytest.mark.parametrize(("alpha", "said"), [(0, "its loss is undefined"), (0.5, "no release has a score")])
def test_a_loss_without_a_measure(alpha: float, said: str) -> None:
    """A column of one value that is shown as a broader concept: it lost what it never had."""
    frame = pl.DataFrame({"diagnosis": ["428.0"] * 6})
    ways = {
        f"level {level}": om.Policy(
            attributes={"diagnosis": om.Nominal(taxonomy="icd9cm")},
            method=om.Generalization(search="strategy", strategy=[{"diagnosis": level}]),
            require=[om.KAnonymity(k=2)],
        )
        for level in (1, 2)
    }
    found = om.compare(frame, ways, workers=1, alpha=alpha)
    assert [run.loss for run in found.runs] == [None, None]
    assert said in found.recommendation[0]
    assert "satisfies what is required of it" not in found.recommendation[0]
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("search", ["full_domain", "local", "best_first"])
def test_a_generalization_that_aims_at_nothing_masks_nothing(search: Any) -> None:
    ways = om.grid(POLICY, [om.Generalization(search=search)], [1, 2])
    found = om.compare(FRAME, ways, workers=1, alpha=1)
    assert [run.failure for run in found.runs] == ["unmasked", None]
    assert "nothing is masked" in found.recommendation[-1]


def test_a_generalization_that_aims_at_another_model_is_one_with_k_1() -> None:
    diverse = POLICY.changed(require=[om.LDiversity(l=2, attribute="ill")])
    found = om.compare(FRAME, om.grid(diverse, ["generalization"], [1]), workers=1)
    assert [run.failure for run in found.runs] == [None]


def test_charts_hold_names_of_any_kind() -> None:
    names = ["<b>&\"x'\x07</svg>", "two\nlines\u202e", "]]>", "file\udcff", "", "x" * 300, "<script>alert(1)</script>"]
    ways = {name: POLICY.changed(method=om.Microaggregation(k=2 + i % 3)) for i, name in enumerate(names)}
    found = om.compare(FRAME, ways, workers=1)
    for drawn in (found.map_svg(), found.curve_svg()):
        ElementTree.fromstring(drawn)
        assert "<script" not in drawn
    assert found.table["name"].to_list()[3] == "file?"


@pytest.mark.parametrize("given", [None, 5, "policy.yaml", POLICY])
def test_what_is_no_list_of_policies(given: Any) -> None:
    with pytest.raises(
        errors.OptionError, match="not a list of them|nothing to compare|expected several policies, got one"
    ):
        om.compare(FRAME, given, workers=1)


@pytest.mark.parametrize("text", ["9" * 5000, "2-" + "9" * 5000, "2-100000000", "1" * 16])
def test_levels_beyond_all_measure(text: str) -> None:
    with pytest.raises(errors.OptionError, match=r"too large|more than 10,000 candidates"):
        _levels(text)


def test_loss_is_of_the_columns_that_releases_mask_where_there_are_many_sets() -> None:
    frame = pl.DataFrame({"a": [*range(8)] * 4, "b": list("xyxyxyzz") * 4, "c": [3, 1, 2, 5, 4, 7, 6, 9] * 4})
    frame = frame.with_columns(s=pl.Series(["u", None] * 16))
    policy = om.Policy(
        attributes={"a": om.Numeric(), "b": om.Flat(), "c": om.Numeric(), "s": om.Flat(role="sensitive")}
    )
    methods: dict[str, Any] = {
        "all": om.Microaggregation(k=2),
        "b": om.PRAM(columns=["b"]),
        "a": om.NoiseAddition(columns=["a"]),
        "c": om.NoiseAddition(columns=["c"]),
        "shuffled": om.Shuffling(),
    }
    ways = {name: policy.changed(method=method) for name, method in methods.items()}
    found = om.compare(frame, ways, workers=1, seed=1)
    assert [run.failure for run in found.runs] == [None] * 4 + ["invalid"]
    assert tuple(found.columns) == ("a", "b", "c")
    without = om.compare(frame, {name: way for name, way in ways.items() if name != "shuffled"}, workers=1, seed=1)
    assert [run.loss for run in found.runs[:4]] == [run.loss for run in without.runs]
    assert Ground.of(policy.attributes, list(ways.values())).unions[-1] == ("a", "b", "c", "s")


def test_what_is_remembered_depends_on_what_sensitive_values_mean(tmp_path: Path) -> None:
    """A column that some take for labels and others for concepts is judged by its meaning: synonyms are one value."""
    taxonomy = om.Taxonomy.from_edges([("a", "r"), ("b", "r"), ("c", "r")], synonyms={"a": ["b2"]})
    frame = FRAME.with_columns(ill=pl.Series(["a", "b2", "a", "b2", "c", "c", "a", "b2"]))
    plain = POLICY.changed(method=om.Microaggregation(k=2))
    meant = plain.changed(attributes={"age": om.Numeric(), "ill": om.Nominal(taxonomy=taxonomy, role="sensitive")})
    om.compare(frame, {"plain": plain}, workers=1, seed=1, folder=tmp_path / "runs")
    both = {"plain": plain, "meant": meant}
    fresh = om.compare(frame, both, workers=1, seed=1)
    again = om.compare(frame, both, workers=1, seed=1, folder=tmp_path / "runs")
    assert [run.learned for run in again.runs] == [run.learned for run in fresh.runs]


@pytest.mark.parametrize("on", [5, {}, None])
def test_what_was_remembered_and_makes_no_sense_is_done_again(tmp_path: Path, on: Any) -> None:
    ways = om.grid(POLICY, ["microaggregation"], [2])
    fresh = om.compare(FRAME, ways, workers=1, seed=1, folder=tmp_path / "runs")
    [file] = (tmp_path / "runs").iterdir()
    file.write_text(json.dumps(json.loads(file.read_text()) | {"on": on}))
    again = om.compare(FRAME, ways, workers=1, seed=1, folder=tmp_path / "runs")
    assert again.runs[0].loss == fresh.runs[0].loss


@pytest.mark.parametrize(
    ("figures", "alpha", "best", "said"),
    [
        ([(0, 10), (0, 5)], 1, "r1", "It has the lowest score, whatever the weights of loss and risk."),
        ([(50, 12.5), (40, 12.5)], 0, "r1", "It has the lowest score, whatever the weights of loss and risk."),
        ([(50, 12.5), (50, 12.5)], 0, "r0", "It has the lowest score, whatever the weights of loss and risk."),
        ([(0, 10), (0, 5), (5, 0)], 1, "r1", "If risk counts more (alpha from 0 to 0.5), choose r2."),
        ([(10, 20), (20, 10)], 0.5, "r0", "If risk counts more (alpha from 0 to 0.5), choose r1."),
        ([(None, 1), (5, 1)], 0, "r1", "It has the lowest score, whatever the weights of loss and risk."),
        ([(None, 1), (5, 2)], 0, "r0", "If loss counts more (alpha from 0 to 1), choose r1."),
    ],
)
def test_of_equal_scores_none_is_chosen_that_is_worse(
    figures: list[tuple[float | None, float]], alpha: float, best: str, said: str
) -> None:
    """Once a candidate was recommended at alpha 0 or 1 that loses more at the same risk, "whatever the weights"."""
    runs = [
        Run(f"r{i}", "recoding", 2, losses={"loss": loss}, linkage={"semantic": risk / 100}, smallest=2, promised_k=2)
        for i, (loss, risk) in enumerate(figures)
    ]
    found = Comparison(runs, {}, "semantic", alpha)
    assert found.best == best
    assert found.recommendation[1] == said


@pytest.mark.slow
def test_a_script_that_cannot_start_processes_is_told_so(tmp_path: Path) -> None:
    """Once it waited for ever, where the data were larger than what a process reads before it begins."""
    script = tmp_path / "script.py"
    script.write_text(
        "import ontomask as om\n"
        "from ontomask.comparison import runs\n"
        "runs.SOON = -1.0\n"
        "om.compare(om.demo_data(3000), om.grid(om.demo_policy(), ['suppression'], k=[2, 4, 6]), workers=2)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "no process can be started" in done.stderr.splitlines()[-1]


def test_policies_that_leave_out_different_records_are_not_compared() -> None:
    """What a record without a value would have lost, one of them does not know."""
    frame = pl.DataFrame({"age": [None, 1, 2, 3, 4, 5, 60, 70] * 3})
    policies = {
        missing: om.Policy(attributes={"age": om.Numeric(missing=missing)}, method=om.Microaggregation(k=2))
        for missing in ("category", "drop_record")
    }
    found = om.compare(frame, policies, workers=1)
    assert [run.failure for run in found.runs] == [None, "incomparable"]
    assert "records without a value in 'age' are left out in one and stay in the other" in str(found.runs[1].error)
