"""Candidates of different kinds in one comparison: what is masked, twins without meaning, curves, seconds, JSON."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli import app
from ontomask.comparison import runs as comparison_runs
from ontomask.comparison.baselines import LABELS_ONLY, labels_only, no_baseline
from ontomask.comparison.evaluation import Ground, Run
from ontomask.comparison.grid import variations
from ontomask.comparison.outcome import ALPHAS, Comparison
from ontomask.policy.policy import METHODS
from ontomask.report.label_places import place_labels

STAYS = om.demo_data(300, 4)
POLICY = om.demo_policy()
QUASI, SENSITIVE = POLICY.quasi_identifiers, ["charge", "secondary_diagnosis"]
EVERY = [name for name in POLICY.attributes if name in {*QUASI, *SENSITIVE}]
MIXED = om.grid(POLICY, ["microaggregation", "shuffling", "rank_swapping", "imputation", "pram"], [5])
TREE = om.Taxonomy.from_edges(
    [("flu", "lung"), ("cough", "lung"), ("rash", "skin"), ("acne", "skin"), ("lung", "all"), ("skin", "all")]
)


@pytest.fixture(scope="module")
def mixed() -> Comparison:
    return om.compare(STAYS, MIXED, workers=1, seed=1)


def row_of(found: Comparison, name: str) -> dict[str, Any]:
    return found.table.row(by_predicate=pl.col("name") == name, named=True)


# ---- different columns ---------------------------------------------------------------------------------------------


def test_methods_that_mask_different_columns_are_in_one_table(mixed: Comparison) -> None:
    """Once shuffling beside microaggregation was not compared: they mask different columns."""
    assert mixed.table["satisfied"].all()
    assert list(mixed.columns) == EVERY
    assert mixed.table["score"].null_count() == 0
    assert mixed.table["promised"].to_list() == ["5-anonymity", None, None, None, None]
    assert mixed.notes[0].startswith(f"Loss covers every column that a candidate masks: {', '.join(EVERY)}.")


def test_loss_is_of_the_same_columns_for_all(mixed: Comparison) -> None:
    """By frames, column by column, without what the comparison uses."""
    everything = {name: a.changed(role="quasi") for name, a in POLICY.attributes.items() if name in EVERY}
    known = {name: POLICY.attributes[name] for name in QUASI}
    for name, policy in MIXED.items():
        release = om.anonymize(STAYS, policy, seed=1).data
        lost = om.information_loss(STAYS, release, everything, aligned=True)
        row = row_of(mixed, name)
        assert row["loss"] == pytest.approx(lost.information_loss)
        assert row["sse"] == pytest.approx(lost.sse_record)
        assert row["divergence"] == pytest.approx(lost.divergence)
        run = next(run for run in mixed.runs if run.name == name)
        assert run.linkage["semantic"] == pytest.approx(om.record_linkage(STAYS, release, known, aligned=True))
        assert row["disclosure"] == pytest.approx(100 * om.attribute_disclosure(STAYS, release, policy).share)


def test_disclosure_is_the_risk_where_not_only_quasi_identifiers_are_masked(mixed: Comparison) -> None:
    assert mixed.kind == "disclosure"
    assert mixed.chosen
    assert mixed.table["risk"].to_list() == mixed.table["disclosure"].to_list()
    assert any(text.startswith("Risk is attribute disclosure, because") for text in mixed.recommendation)
    assert "an intruder learns" in mixed.recommendation[0]
    swapped = om.compare(STAYS, MIXED, workers=1, seed=1, kind="semantic")
    assert not swapped.chosen
    assert swapped.table["disclosure"].to_list() == mixed.table["disclosure"].to_list()
    # Shuffling leaves the quasi-identifiers alone: linkage finds nearly everyone, and what is found is not theirs.
    shuffled = row_of(swapped, "shuffling")
    assert shuffled["risk"] > 90
    assert shuffled["disclosure"] < 10


def test_methods_of_quasi_identifiers_are_judged_as_before() -> None:
    found = om.compare(STAYS, om.grid(POLICY, ["microaggregation", "recoding"], [5]), workers=1)
    assert (found.kind, found.chosen, list(found.columns)) == ("semantic", False, QUASI)
    assert not any(text.startswith("Loss covers") for text in found.notes)
    assert any(
        text.startswith("Disclosure is the share of the sensitive values (charge, secondary_diagnosis)")
        for text in found.notes
    )


def test_what_is_required_of_all_stays_required() -> None:
    strict = POLICY.changed(require=[om.KAnonymity(k=5)])
    found = om.compare(STAYS, om.grid(strict, ["microaggregation", "shuffling"], [5]), workers=1, seed=1)
    assert found.table["satisfied"].to_list() == [True, False]
    assert found.table["error"][1].startswith("5-anonymity: ")
    assert found.runs[1].failure == "refused"
    # Nobody with a release masks sensitive columns: loss is that of microaggregation by itself.
    assert list(found.columns) == QUASI
    alone = om.compare(STAYS, om.grid(strict, ["microaggregation"], [5]), workers=1)
    assert found.table["loss"][0] == alone.table["loss"][0]
    assert found.kind == alone.kind == "semantic"


def test_a_sensitive_column_that_cannot_be_shuffled_stops_nobody_else() -> None:
    """Missing values are left alone by methods that do not look at them."""
    gaps = STAYS.with_columns(charge=pl.when(pl.int_range(pl.len()) < 9).then(None).otherwise("charge"))
    found = om.compare(gaps, om.grid(POLICY, ["shuffling", "microaggregation"], [5]), workers=1)
    assert found.table["satisfied"].to_list() == [False, True]
    assert "missing value" in found.table["error"][0]
    assert (found.kind, list(found.columns)) == ("semantic", QUASI)
    assert found.table["loss"][1] is not None


def test_shuffling_by_itself_and_without_quasi_identifiers() -> None:
    found = om.compare(STAYS, om.grid(POLICY, ["shuffling"], [5]), workers=1, seed=2)
    assert (found.kind, list(found.columns)) == ("disclosure", SENSITIVE)
    bare = om.Policy(attributes={"pay": om.Numeric(role="sensitive")}, method=om.Shuffling())
    found = om.compare(pl.DataFrame({"pay": [1, 1, 2, 3]}), {"bare": bare}, workers=1)
    assert found.table["disclosure"][0] == pytest.approx(100 * (4 + 1 + 1) / 16)  # a guess, whatever was shuffled
    assert found.runs[0].linkage["semantic"] == 0.25
    assert found.best == "bare"


def test_disclosure_needs_a_sensitive_column() -> None:
    policy = om.Policy(attributes={"age": om.Numeric()})
    with pytest.raises(om.errors.OptionError, match="no column is sensitive"):
        om.compare(pl.DataFrame({"age": [1, 2, 3, 4]}), om.grid(policy, ["recoding"], 2), kind="disclosure")


def test_runs_are_remembered_with_what_they_are_judged_on(tmp_path: Path) -> None:
    one = om.grid(POLICY, ["microaggregation"], [5])
    alone = om.compare(STAYS, one, workers=1, folder=tmp_path)
    beside = om.compare(STAYS, {**one, **om.grid(POLICY, ["shuffling"], 5)}, workers=1, folder=tmp_path)
    assert list(alone.columns) == QUASI
    assert list(beside.columns) == EVERY
    assert alone.table["loss"][0] != beside.table["loss"][0]
    again = om.compare(STAYS, {**one, **om.grid(POLICY, ["shuffling"], 5)}, workers=1, folder=tmp_path)
    assert again.table.equals(beside.table)


def test_several_releases_are_judged_together() -> None:
    """Loss is the mean over the releases, and what is found the most in one of them."""
    made = {"one": om.Imputation(), "three": om.Imputation(m=3)}
    ways = {name: POLICY.changed(method=method) for name, method in made.items()}
    found = om.compare(STAYS, ways, workers=1, seed=6)
    parts = om.anonymize(STAYS, ways["three"], seed=6).releases
    everything = {name: POLICY.attributes[name].changed(role="quasi") for name in SENSITIVE}
    losses = [om.information_loss(STAYS, part, everything, aligned=True) for part in parts]
    shares = [om.attribute_disclosure(STAYS, part, ways["three"]).learned for part in parts]
    row = row_of(found, "three")
    assert row["sse"] == pytest.approx(np.mean([loss.sse_record for loss in losses]))
    worst = {name: max(share[name] for share in shares) for name in SENSITIVE}
    assert row["disclosure"] == pytest.approx(100 * np.mean(list(worst.values())))
    assert found.table["disclosure"][0] <= row["disclosure"]
    assert any(text.startswith("Several releases of the same records: three.") for text in found.notes)


def test_every_union_of_masked_columns_can_be_judged() -> None:
    two = [POLICY.changed(method=om.Recoding(k=5)), POLICY.changed(method=om.Shuffling())]
    unions = Ground.of(POLICY.attributes, two).unions
    assert set(unions) == {tuple(QUASI), tuple(SENSITIVE), tuple(EVERY)}
    assert unions[-1] == tuple(EVERY)


# ---- twins without meaning -----------------------------------------------------------------------------------------


def flat_table(n: int = 60) -> tuple[pl.DataFrame, om.Policy]:
    rng = np.random.default_rng(7)
    values = ["flu", "cough", "rash", "acne"]
    frame = pl.DataFrame(
        {
            "age": 10 * rng.integers(2, 5, n),
            "dx": rng.choice(values, n, p=[0.5, 0.2, 0.2, 0.1]),
            "other": rng.choice(values, n, p=[0.1, 0.2, 0.2, 0.5]),
            "ill": rng.choice(values, n),
        }
    )
    attributes: dict[str, Any] = {
        "age": om.Numeric(),
        "dx": om.Nominal(taxonomy=TREE),
        "other": om.Nominal(taxonomy=TREE),
        "ill": om.Nominal(taxonomy=TREE, role="sensitive"),
    }
    return frame, om.Policy(attributes=attributes)


TWINS: list[Any] = [
    om.Microaggregation(k=4),
    om.Microaggregation.preset("sa_mdav", k=4),
    om.Microaggregation(k=4, replace="hybrid"),
    om.Microaggregation(k=4, centroid="lcs", measure="wu_palmer"),
    om.Recoding(k=4),
    om.Resampling(k=4),
    om.RankSwapping(k=4),
    om.RankSwapping(k=4, variant="dynamic"),
    om.Shuffling(),
    om.Imputation(),
    om.NoiseAddition(),
    om.PRAM(),
    om.Generalization(),
    om.Generalization(search="local"),
]


@pytest.mark.parametrize("method", TWINS, ids=lambda m: f"{m.name} {getattr(m, 'variant', '')}")
def test_a_twin_knows_nothing_of_the_taxonomy(method: Any) -> None:
    """Its release is the same whatever the taxonomy, and that of the same method on columns that are flat."""
    frame, policy = flat_table()
    base = policy.changed(method=method, require=[om.KAnonymity(k=4)] if method.aims else [])
    assert no_baseline(base) is None
    release = om.anonymize(frame, labels_only(base), seed=3).data
    renamed = om.Taxonomy.from_edges([("flu", "x"), ("rash", "x"), ("cough", "flu"), ("acne", "rash")])
    other = base.changed(
        attributes={
            name: om.Nominal(taxonomy=renamed, role=a.role) if isinstance(a, om.Nominal) else a
            for name, a in base.attributes.items()
        }
    )
    assert om.anonymize(frame, labels_only(other), seed=3).data.equals(release)
    made = labels_only(base)
    assert all(not isinstance(made.attributes[name], om.Nominal) for name in made.studied)
    assert made.method.name == method.name  # type: ignore[union-attr]
    assert getattr(made.method, "k", None) == getattr(method, "k", None)


def test_baselines_are_known_by_their_policies_not_by_their_names() -> None:
    frame, policy = flat_table(60)
    own = policy.changed(method=om.Microaggregation.preset("sa_mdav", k=5))
    misleading = policy.changed(method=om.Suppression(k=5))
    found = om.compare(frame, {"ours": own, "theirs": labels_only(own), "ours, labels only": misleading}, workers=1)
    assert found.baselines == {"ours": "theirs"}
    assert any(note.startswith("Compared with labels only") and ": sa_mdav " in note for note in found.notes)
    assert any("baseline: suppression (" in note for note in found.notes)


def test_a_method_brings_its_variations_and_its_baseline() -> None:
    class Halving(om.Suppression):
        def variations(self, require: Any) -> dict[str, Any]:
            return {"half=yes": self, "half=no": self.changed(k=2 * self.k)}

        @property
        def no_baseline(self) -> str | None:
            return "it halves"

    policy = flat_table()[1].changed(method=Halving(k=2))
    assert list(variations(policy)) == ["suppression, half=yes", "suppression, half=no"]
    assert no_baseline(policy) == "it halves"


def test_twins_stand_beside_their_candidates_and_differ() -> None:
    frame, policy = flat_table(300)
    made = om.grid(policy, ["microaggregation", "recoding", "suppression", om.Generalization()], [5], baselines=True)
    assert list(made) == [
        "microaggregation, k=5", "microaggregation, k=5, labels only", "recoding, k=5", "recoding, k=5, labels only",
        "suppression, k=5", "generalization, k=5", "generalization, k=5, labels only",
    ]  # fmt: skip
    found = om.compare(frame, made, workers=1)
    assert found.table["satisfied"].all()
    for name in ("microaggregation", "recoding", "generalization"):
        pair = [row_of(found, f"{name}, k=5{end}")["sse"] for end in ("", LABELS_ONLY)]
        assert pair[0] != pair[1]
    assert (
        r"Without a labels-only baseline: suppression (it only tests whether values are equal, so labels "
        r"only is the same method)." in found.notes
    )
    assert any(
        text.startswith("Compared with labels only, methods that use the meaning of values lose (SSE): ")
        for text in found.notes
    )


def test_twins_are_judged_by_what_values_mean() -> None:
    """By frames: the released labels are read as concepts again."""
    frame, policy = flat_table()
    made = om.grid(policy, ["microaggregation", "resampling", "rank_swapping"], [4], baselines=True)
    found = om.compare(frame, made, workers=1, seed=5)
    for name, twin in made.items():
        release = om.anonymize(frame, twin, seed=5).data
        lost = om.information_loss(frame, release, policy)
        assert row_of(found, name)["sse"] == pytest.approx(lost.sse_record), name
        run = next(run for run in found.runs if run.name == name)
        assert run.linkage["semantic"] == pytest.approx(om.record_linkage(frame, release, policy)), name


def test_a_label_that_is_hidden_means_what_subsumes_all() -> None:
    """By hand: of a generalization without a taxonomy a label is shown, or no value."""
    frame = pl.DataFrame({"dx": ["flu", "cough", "rash", "acne"]})
    policy = om.Policy(attributes={"dx": om.Nominal(taxonomy=TREE, measure="path")})
    made = om.grid(policy, [om.Generalization()], [2], baselines=True)
    found = om.compare(frame, made, workers=1)
    top = row_of(found, "generalization, k=2, labels only")
    # Two links up to "all" of at most four; with meaning only one, to lung or skin.
    assert top["sse"] == pytest.approx(4 * (2 / 4) ** 2)
    assert row_of(found, "generalization, k=2")["sse"] == pytest.approx(4 * (1 / 4) ** 2)
    assert found.runs[1].linkage["matching"] == 0


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        (om.Suppression(k=2), "it only tests whether values are equal"),
        (om.Microaggregation.preset("domingo_ferrer_torra", k=2), "already treats values as labels"),
        (om.RankSwapping(k=2, variant="distributional"), "already treats values as labels"),
        (om.Recoding(k=2, guide="discernibility"), "does not use the meaning of values"),
        (om.Generalization(search="strategy", strategy=[{"dx": 1}]), "levels that labels do not have"),
    ],
)
def test_methods_without_a_twin_say_why(method: Any, expected: str) -> None:
    _, policy = flat_table()
    told = no_baseline(policy.changed(method=method))
    assert told is not None
    assert expected in told


def test_columns_and_models_without_a_twin_say_why() -> None:
    numbers = om.Policy(attributes={"age": om.Numeric()}, method=om.Recoding(k=2))
    assert no_baseline(numbers) == "no column that it works on is nominal"
    _, policy = flat_table()
    looks = policy.changed(method=om.Shuffling(), require=[om.LDiversity(l=2, attribute="ill")])
    assert no_baseline(looks) == "a required model uses the meaning of ill"


def test_every_method_has_a_twin_or_a_reason() -> None:
    _, policy = flat_table()
    for kind in METHODS.values():
        made = policy.changed(method=kind(**({"k": 3} if "k" in kind.model_fields else {})))
        if no_baseline(made) is None:
            assert labels_only(made).method is not None


# ---- scores over alpha -----------------------------------------------------------------------------------------------


def drawn(*figures: tuple[float | None, float]) -> Comparison:
    runs = [
        Run(f"r{i}", "recoding", 2, losses={"loss": loss}, linkage={"semantic": risk / 100})
        for i, (loss, risk) in enumerate(figures)
    ]
    return Comparison(runs, {}, "semantic", 0.5)


def test_the_curve_is_the_score_at_each_alpha(mixed: Comparison) -> None:
    assert list(ALPHAS) == [i / 10 for i in range(11)]
    for row in mixed.curve.iter_rows(named=True):
        again = Comparison(mixed.runs, mixed.policies, mixed.kind, row["alpha"], mixed.columns)
        assert row["score"] == row_of(again, row["name"])["score"]
    told = mixed.to_dict()["curve"]
    assert [point["alpha"] for point in told] == list(ALPHAS)
    for point in told:
        rows = mixed.curve.filter(pl.col("alpha") == point["alpha"])
        assert point["scores"] == dict(zip(rows["name"], rows["score"], strict=True))


def test_ranges_are_exact_and_whole() -> None:
    found = drawn((10, 10), (2, 30), (40, 1))
    assert [name for _, _, name in found.winners] == ["r2", "r0", "r1"]
    # 1 + 39 a = 10; 10 = 30 - 28 a
    assert [end for _, end, _ in found.winners] == pytest.approx([9 / 39, 20 / 28, 1.0])
    for seed in range(300):
        chance = random.Random(seed)
        points = [
            (float(chance.randrange(9)) if chance.random() < 0.9 else None, float(chance.randrange(9)))
            for _ in range(chance.randint(1, 6))
        ]
        compared = drawn(*points)
        ends = [(low, high) for low, high, _ in compared.winners]
        assert ends[0][0] == 0
        assert all(before[1] == after[0] for before, after in pairwise(ends))
        assert ends[-1][1] == (1 if any(loss is not None for loss, _ in points) else 0)
        for low, high, name in compared.winners:
            for alpha in (low, (low + high) / 2, high):
                scores = {r.name: s for r in compared.runs if (s := compared.score(r, alpha)) is not None}
                if alpha > 0 or low == high or len(compared.winners) == 1:  # at 0 one without a loss may be before it
                    assert scores[name] == pytest.approx(min(scores.values()), abs=1e-9)


def test_weights_are_told_as_0_and_1_only_where_they_are() -> None:
    told = drawn((10, 1), (9.99, 9), (9.98, 900)).recommendation
    assert not any("from 1 to 1" in text or "to 1 to" in text for text in told)
    assert any("(alpha from 0.999 to 0.999989), choose r1" in text for text in told)


def test_the_order_of_records_changes_no_digit_of_disclosure() -> None:
    """Once sums followed the order of classes, and with it that of shuffled records."""
    attributes = POLICY.attributes
    release = om.anonymize(STAYS, POLICY.changed(method=om.Microaggregation(k=3))).data
    found = []
    for seed in range(8):
        order = np.random.default_rng(seed).permutation(len(STAYS))
        found.append(om.attribute_disclosure(STAYS, release[order], attributes, records=order.tolist()).share)
    assert len(set(found)) == 1


def test_the_curve_is_drawn(mixed: Comparison, tmp_path: Path) -> None:
    file = mixed.write_curve(tmp_path / "curve.svg")
    text = file.read_text(encoding="utf-8")
    assert text.startswith("<svg")
    assert all(run.name in text for run in mixed.runs)
    assert mixed.curve_svg() == text  # the same bytes each time
    many = drawn(*[(float(i), float(20 - i)) for i in range(20)])
    assert "r0" in many.curve_svg()
    with pytest.raises(om.errors.OptionError, match="the curve is written as SVG"):
        mixed.write_curve(tmp_path / "curve.png")


def test_names_on_the_map_cover_nothing() -> None:
    for seed in range(200):
        chance = random.Random(seed)
        points = [(chance.uniform(0, 460), chance.uniform(0, 300), "k" * chance.randint(1, 30)) for _ in range(25)]
        places = place_labels(points, 460, 300, [chance.random() < 0.5 for _ in points])
        boxes = [place.box(*point) for place, point in zip(places, points, strict=True) if place is not None]
        assert boxes
        for i, (left, top, right, low) in enumerate(boxes):
            assert left >= 0
            assert right <= 460
            assert all(right <= b[0] or b[2] <= left or low <= b[1] or b[3] <= top for b in boxes[:i])


# ---- seconds ---------------------------------------------------------------------------------------------------------


def test_seconds_are_of_masking_and_the_first_time_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison_runs, "_WARM", set())
    masked: list[int] = []
    real = comparison_runs.anonymize

    def counting(frame: Any, *others: Any, **more: Any) -> Any:
        masked.append(len(frame))
        return real(frame, *others, **more)

    monkeypatch.setattr(comparison_runs, "anonymize", counting)
    found = om.compare(STAYS, om.grid(POLICY, ["recoding", "suppression"], [2, 3]), workers=1)
    # A few records once for each method, whatever k, and all of them for each candidate.
    assert masked == [200, 300, 300, 200, 300, 300]
    assert [run.first_seconds > 0 for run in found.runs] == [True, False, True, False]
    for run in found.runs:
        assert 0 < run.seconds <= run.total_seconds
    assert {"seconds", "total_seconds", "first_seconds"} <= set(found.table.columns)


def test_what_goes_wrong_with_a_few_records_goes_wrong_in_the_run() -> None:
    gaps = STAYS.with_columns(age=pl.when(pl.int_range(pl.len()) == 0).then(None).otherwise("age"))
    ways = om.grid(POLICY, ["recoding"], 2) | {
        "dropped": POLICY.changed(
            method=om.Recoding(k=2), attributes={**POLICY.attributes, "age": om.Numeric(missing="drop_record")}
        )
    }
    found = om.compare(gaps, ways, workers=1)
    assert found.table["satisfied"].to_list() == [False, True]
    assert "column 'age': has 1 missing value" in found.table["error"][0]


# ---- the command -----------------------------------------------------------------------------------------------------

#: As docs/comparison.md lists them.
KEYS = ["loss_over", "risk", "alpha", "guess", "runs", "curve", "winners", "best", "notes", "recommendation"]


def test_json_is_what_the_page_says(mixed: Comparison) -> None:
    told = json.loads(json.dumps(mixed.to_dict(), allow_nan=False))
    assert list(told) == KEYS
    assert list(told["guess"]) == SENSITIVE
    for row, run in zip(told["runs"], mixed.runs, strict=True):
        assert list(row) == [*mixed.table.columns, "disclosed"]
        assert row["disclosed"] == {name: pytest.approx(100 * share) for name, share in run.learned.items()}
    page = (Path(__file__).parents[2] / "docs" / "comparison.md").read_text(encoding="utf-8")
    for key in (*KEYS, *told["runs"][0]):
        assert f"`{key}`" in page, key


def test_the_command_compares_all_of_them(tmp_path: Path) -> None:
    STAYS.write_csv(tmp_path / "stays.csv")
    POLICY.changed(method=om.Microaggregation(k=5)).save(tmp_path / "policy.yaml")
    asked = ["compare", str(tmp_path / "policy.yaml"), str(tmp_path / "stays.csv"), "--workers", "1", "--seed", "1"]
    asked += ["--method", "microaggregation", "--method", "shuffling", "--k", "5", "--baselines", "--scores"]
    done = CliRunner().invoke(app, [*asked, "--curve", str(tmp_path / "curve.svg")])
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert "promises" in lines[1]
    assert any(
        line.startswith("  microaggregation, k=5, labels only") and line.endswith("5-anonymity") for line in lines
    )
    assert any(line.startswith("  shuffling ") and line.endswith("nothing") for line in lines)
    assert "Score by the weight of loss (alpha)" in lines
    assert (tmp_path / "curve.svg").is_file()
    # What cannot be written is said at once.
    again = CliRunner().invoke(app, [*asked, "--curve", str(tmp_path / "curve.svg")])
    assert isinstance(again.exception, om.errors.OutputError)
    wrong = CliRunner().invoke(app, [*asked, "--map", str(tmp_path / "map.png")])
    assert isinstance(wrong.exception, om.errors.OptionError)
    told = json.loads(CliRunner().invoke(app, [*asked, "--json"]).output)
    assert [row["name"] for row in told["runs"]] == [
        "microaggregation, k=5", "microaggregation, k=5, labels only", "shuffling", "shuffling, labels only",
    ]  # fmt: skip
