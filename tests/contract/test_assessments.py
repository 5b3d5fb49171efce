"""One suite that the assessment of every method passes, on every mix of kinds of columns.

``result.assessment`` looks at the run, ``om.assess`` at two frames or files. Both must tell the same: what texts such as
'20-39', 'none - mild' or '*' stand for, the hierarchies of the policy say.
What is shown is counted here in plain Python (tests/oracle/plain_assessment.py).
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from ontomask.assessment import linkage as linking
from ontomask.assessment.linkage import KINDS as LINKAGES
from tests.contract.test_methods import (
    AIMING,
    GRADES,
    KINDS,
    MIXES,
    OF_SENSITIVE,
    TAXONOMY,
    VARIANTS,
    attributes,
    method,
    rows_of,
    table,
)
from tests.oracle import plain_assessment as twin
from tests.oracle.plain import Plain

#: One of each method, in the variants that make other values.
NAMES = [
    *("recoding", "suppression", "resampling", "heer"),
    *("mdav-mean-semantic", "microaggregation", "mdav-s-mode", "hybrid", "hybrid-adaptive-s"),
    *("swapping-multivariate", "swapping-fixed", "shuffling", "imputation", "imputation-linear", "imputation-several"),
    *("noise", "noise-correlated", "pram", "profiles"),
    *("generalization", "generalization-suppressing", "generalization-local", "generalization-best-first"),
    "generalization-strategy",
]
GENERALIZING = {name for name in NAMES if name.startswith("generalization")}
#: Mixes that a method is run on: each kind alone, three pairs in which each kind is, all four.
SOME = [*MIXES[:5], ("nominal", "flat"), ("nominal", "numeric"), ("flat", "ordinal"), MIXES[-1]]


def make(name: str, k: int, mix: Sequence[str]) -> Any:
    if name == "generalization-suppressing":
        return om.Generalization(suppression_limit=0.3)
    if name == "generalization-strategy":
        return om.Generalization(search="strategy", strategy=[dict.fromkeys(mix, level) for level in (1, 2, 9)])
    return method(name, k)


def policy(name: str, mix: Sequence[str], missing: str | None, k: int = 3, **settings: Any) -> om.Policy:
    secret = ("category" if name in OF_SENSITIVE else None) if missing != "drop_record" else "drop_record"
    aim = {"require": [om.KAnonymity(k=k)]} if name in AIMING | GENERALIZING else {}
    return om.Policy(attributes=attributes(mix, missing, secret), method=make(name, k, mix), **(aim | settings))


@cache
def run(
    name: str, mix: tuple[str, ...], missing: str | None, order: str = "kept", *, leaves: bool = False
) -> tuple[pl.DataFrame, om.Result]:
    """``leaves``: no value of the nominal column is above another."""
    frame = table(mix, 24, missing=missing is not None, distinct=7 if name == "suppression" else None)
    if leaves and "nominal" in mix:
        frame = frame.with_columns(pl.col("nominal").replace("plant", "rose"))
    chosen = policy(name, mix, missing, **({"row_order": order} if order != "kept" else {}))
    return frame, om.anonymize(frame, chosen, seed=5)


def columns(name: str, mix: Sequence[str]) -> list[str]:
    """What the method works on, and the assessment compares, in the order of the frame."""
    return [c for c in attributes(mix) if c in mix or (c == "secret" and name in OF_SENSITIVE)]


@pytest.fixture(autouse=True)
def inside_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels do not look whether a place exists: one that does not would overwrite memory and end the process.

    So it is looked here, and a test fails instead.
    """
    kernel = linking.linkage_range

    def checked(space: Any, blocks: Any, point: Any, points: Any, *rest: Any) -> None:
        for c in range(len(space.codes)):
            values = int(space.home_at[c + 1] - space.home_at[c])
            places = height(space, c) if space.table_at[c] >= 0 else values
            assert int(space.codes[c].max(initial=0)) < values, "a record has a value that has no place"
            assert int(points.rows[:, c].max(initial=0)) < places, "a record is compared by a value that has no place"
        kernel(space, blocks, point, points, *rest)

    monkeypatch.setattr(linking, "linkage_range", checked)


def height(space: Any, c: int) -> int:
    """How many rows the table of a coded attribute has."""
    ends = [*(int(at) for at in space.table_at[c + 1 :] if at >= 0), len(space.tables)]
    return (ends[0] - int(space.table_at[c])) // int(space.home_at[c + 1] - space.home_at[c])


def test_every_method_is_here() -> None:
    assert {type(make(name, 3, ("flat",))) for name in NAMES} == {cls for cls, _ in VARIANTS.values()}


def without(tree: Any, wrong: list[str], path: str = "") -> None:
    """Look through a dictionary for numbers that are not finite."""
    if isinstance(tree, dict):
        for key, part in tree.items():
            without(part, wrong, f"{path}.{key}")
    elif isinstance(tree, list):
        for place, part in enumerate(tree):
            without(part, wrong, f"{path}[{place}]")
    elif not (tree is None or isinstance(tree, (str, bool, int)) or (isinstance(tree, float) and math.isfinite(tree))):
        wrong.append(f"{path}: {tree!r}")


# ---- it runs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [None, "category", "drop_record"])
@pytest.mark.parametrize("name", NAMES)
def test_every_mix_of_kinds(name: str, missing: str | None) -> None:
    for mix in SOME if missing != "drop_record" else SOME[:5] + SOME[-1:]:
        frame, result = run(name, mix, missing)
        found = result.assessment
        assert result.assessment is found, "worked out once"
        compared = columns(name, mix)
        assert list(found.columns) == compared
        assert found.risk_before.columns == found.risk_after.columns == list(mix)

        told = found.to_dict()
        wrong: list[str] = []
        without(told, wrong)
        assert not wrong
        assert json.loads(found.to_json()) == told
        assert told["readings"] == found.readings
        assert len(told["figures"]) == len(found.figures)
        for text in found.readings:
            assert not re.search(r"\b(nan|inf|None)\b", text), text
            assert text[-1] in ".)"
            assert "  " not in text
        assert str(found).startswith(found.readings[0])
        keys = [(row["figure"], row["attribute"], row["with"]) for row in told["figures"]]
        assert len(set(keys)) == len(keys)

        # Shares are shares, and what compares the same things agrees.
        loss = found.loss
        shares = [*found.linkage.values(), loss.semantic_loss, *loss.relative.values(), *loss.changed.values()]
        assert all(0 <= share <= 1 for share in shares)
        assert loss.divergence >= 0
        assert loss.records == len(frame)
        assert loss.removed == len(frame) - len(result.data) == len(result.removed)
        assert found.clustering is not None
        assert (found.ncp is not None) == (name in GENERALIZING)
        assert found.ncp == result.ncp

        # The classes, counted on the frames themselves.
        dropped = {
            i for i, row in enumerate(rows_of(frame, [*mix, "secret"])) if missing == "drop_record" and None in row
        }
        assert found.clustering.available == len(frame) - len(dropped)
        before = [row for i, row in enumerate(rows_of(frame, mix)) if i not in dropped]
        after = rows_of(result.data, mix)
        for risk, rows in ((found.risk_before, before), (found.risk_after, after)):
            assert risk.sizes.rows() == twin.class_sizes(rows)
            assert risk.unique == twin.below(rows, 2)
            assert risk.marketer == risk.prosecutor == pytest.approx(float(twin.prosecutor(rows)[1]))


# ---- what is shown is what is judged -------------------------------------------------------------------------------------


def shown_differently(name: str, mix: Sequence[str]) -> bool:
    """Are values shown as texts that stand for several?"""
    return name in GENERALIZING and bool({"numeric", "ordinal", "date"} & set(mix))


def judged_as_shown(name: str, mix: tuple[str, ...], missing: str | None) -> None:
    frame, result = run(name, mix, missing)
    found, compared = result.assessment, columns(name, mix)
    everything, after = rows_of(frame, compared), rows_of(result.data, compared)
    as_text = name in GENERALIZING  # a generalized column is one of texts, also where a number stands for itself
    if as_text:
        everything, after = (
            [tuple(None if v is None else str(v) for v in row) for row in rows] for rows in (everything, after)
        )
    outside = rows_of(frame, [*mix, "secret"])
    dropped = [i for i, row in enumerate(outside) if missing == "drop_record" and None in row]
    before = [row for i, row in enumerate(everything) if i not in dropped]
    were, removed = [everything[i] for i in result.records], len(result.removed)
    loss = found.loss
    for at, column in enumerate(compared):
        pair = [row[at] for row in were], [row[at] for row in after]
        assert loss.changed[column] == pytest.approx(float(twin.changed(*pair, removed))), (mix, column)
    assert loss.discernibility == twin.discernibility(after, removed), mix
    assert loss.discernibility_before == twin.discernibility(before)
    assert loss.divergence == pytest.approx(twin.divergence(before, after, len(dropped))), mix
    equal = [i for i, (one, other) in enumerate(zip(were, after, strict=True)) if one == other]
    released, known = Counter(after), Counter(before)
    exact = math.fsum(1 / released[after[i]] for i in equal) / len(frame)
    back = math.fsum(1 / known[after[i]] for i in equal) / len(frame)
    assert found.linkage["matching"] == pytest.approx(exact), mix
    assert found.linkage["masked_matching"] == pytest.approx(back), mix


@pytest.mark.parametrize("missing", [None, "category", "drop_record"])
@pytest.mark.parametrize("name", NAMES)
def test_equality_is_that_of_the_values_shown(name: str, missing: str | None) -> None:
    """Changed values, exact matches, divergence and discernibility speak of the release, not of how it was made."""
    for mix in SOME if missing != "drop_record" else SOME[:4] + SOME[-1:]:
        if not shown_differently(name, mix) and not (name in GENERALIZING and missing == "category"):
            judged_as_shown(name, mix, missing)


@pytest.mark.parametrize("kind", ["numeric", "ordinal", "date"])
@pytest.mark.parametrize("name", sorted(GENERALIZING))
def test_a_generalized_number_is_another_value(name: str, kind: str) -> None:
    """Once it was: '0-63' stands for 32 where records are compared, and then counts as an unchanged 32."""
    judged_as_shown(name, (kind,), None)


@pytest.mark.parametrize("name", sorted(GENERALIZING))
def test_generalized_numbers_beside_other_kinds(name: str) -> None:
    """Once it was: the same, in company."""
    for mix in SOME:
        if shown_differently(name, mix):
            judged_as_shown(name, mix, None)


@pytest.mark.parametrize("name", sorted(GENERALIZING))
def test_what_stands_for_missing_values_too_is_another_value(name: str) -> None:
    """Once it was: the same with missing values: '*' stands for them as well."""
    for mix in (("nominal",), ("flat",), ("nominal", "flat")):
        judged_as_shown(name, mix, "category")


# ---- two ways to the same figures ---------------------------------------------------------------------------------------


def same_figures(one: Any, other: Any) -> None:
    first, second = one.to_dict(), other.to_dict()
    figures = [{(r["figure"], r["attribute"], r["with"]): r for r in told.pop("figures")} for told in (first, second)]
    assert figures[0].keys() == figures[1].keys()
    for key, row in figures[0].items():
        for part in ("original", "masked", "value"):
            value, expected = row[part], figures[1][key][part]
            same = (
                value == expected
                if value is None or expected is None
                else math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-12)
            )
            assert same, (key, part, value, expected)
    for told in (first, second):
        for row in told["score"]:
            row.update({name: round(value, 6) for name, value in row.items() if value is not None})
    assert first == second


@pytest.mark.parametrize("missing", [None, "category"])
@pytest.mark.parametrize("name", NAMES)
def test_a_release_judged_as_a_frame_is_judged_as_the_run(name: str, missing: str | None) -> None:
    for mix in [*MIXES[:4], MIXES[5], MIXES[-1]]:
        frame, result = run(name, mix, missing)
        again = om.assess(frame, result.releases, result.policy, records=result.records)
        same_figures(result.assessment, again)


@pytest.mark.parametrize("name", NAMES)
def test_records_in_random_order(name: str) -> None:
    frame, result = run(name, KINDS, "category", "shuffled")
    same_figures(result.assessment, om.assess(frame, result.releases, result.policy, records=result.records))
    _, in_order = run(name, KINDS, "category")
    assert Counter(in_order.assessment.linkage) == Counter(result.assessment.linkage)
    assert in_order.assessment.loss == result.assessment.loss


@pytest.mark.parametrize("name", NAMES)
def test_dropped_records_judged_as_a_frame(name: str) -> None:
    """Once it was: who stood out before counts dropped records in ``om.assess`` and not in ``result.assessment``."""
    for mix in (("numeric",), KINDS):
        frame, result = run(name, mix, "drop_record")
        assert len(result.removed)
        same_figures(result.assessment, om.assess(frame, result.releases, result.policy, records=result.records))


@pytest.mark.parametrize("name", sorted(GENERALIZING))
@pytest.mark.parametrize("missing", [None, "category"])
def test_a_generalized_file_is_judged_as_the_run(name: str, missing: str | None, tmp_path: Path) -> None:
    """Once intervals of numbers were refused: 'holds text where numbers should be'."""
    frame, result = run(name, KINDS, missing)
    for suffix in ("csv", "parquet"):
        path = result.write(tmp_path / f"release.{suffix}")
        same_figures(result.assessment, om.assess(frame, path, result.policy, records=result.records))


def test_intervals_without_hierarchies() -> None:
    """Attributes alone do not say what an interval stands for: the error says what does."""
    frame, result = run("generalization", ("numeric",), None)
    with pytest.raises(errors.DataError, match=r"column 'numeric': holds numbers .* give the policy that was used"):
        om.assess(frame, result.data, {"numeric": om.Numeric()}, records=result.records)


def test_a_release_of_something_else_under_the_policy_of_a_generalization() -> None:
    frame, result = run("generalization", ("flat",), None)
    other = frame.select("flat").with_columns(flat=pl.lit("new"))
    found = om.assess(frame, other, result.policy)
    assert found.loss.changed == {"flat": 1.0}


# ---- NCP ---------------------------------------------------------------------------------------------------------------


@cache
def plain_taxonomy() -> Plain:
    return Plain({c: list(TAXONOMY.parents(c)) for c in TAXONOMY})


@pytest.mark.parametrize("missing", [None, "category", "drop_record"])
@pytest.mark.parametrize("name", sorted(GENERALIZING))
def test_the_certainty_penalty_is_that_of_the_cells_shown(name: str, missing: str | None) -> None:
    for mix in SOME[:6] + SOME[-1:]:
        frame, result = run(name, mix, missing, leaves=True)
        before, after = rows_of(frame, mix), rows_of(result.data, mix)
        known = {
            kind: frame[kind].gather(kept_of(frame, mix, missing)).drop_nulls().to_list()
            for kind in ("numeric", "date")
            if kind in mix
        }
        domain = {
            "nominal": plain_taxonomy(),
            "ordinal": GRADES,
            "flat": None,
            **{kind: (min(values), max(values)) for kind, values in known.items() if values},
        }
        cells = [
            twin.certainty_penalty(kind, after[at][c], before[i][c], domain=domain[kind])
            for at, i in enumerate(result.records)
            for c, kind in enumerate(mix)
        ]
        everywhere = len(frame) * len(mix)
        expected = (sum(cells) + len(result.removed) * len(mix)) / everywhere
        assert result.ncp == pytest.approx(float(expected)), mix
        assert 0 <= expected <= 1


def kept_of(frame: pl.DataFrame, mix: Sequence[str], missing: str | None) -> list[int]:
    """The records that the policy does not drop."""
    rows = rows_of(frame, [*mix, "secret"])
    return [i for i, row in enumerate(rows) if missing != "drop_record" or None not in row]


def test_one_release_has_one_penalty() -> None:
    """Once 'plant' that was 'plant' cost a third in ``full_domain`` and nothing in ``local``."""
    edges = [("oak", "plant"), ("elm", "plant"), ("dog", "animal"), ("cat", "animal")]
    taxonomy = om.Taxonomy.from_edges([*edges, ("plant", "thing"), ("animal", "thing")])
    frame = pl.DataFrame({"x": ["plant"] * 3 + ["dog", "cat"]})
    results = [
        om.anonymize(
            frame,
            om.Policy(
                attributes={"x": om.Nominal(taxonomy=taxonomy)},
                method=om.Generalization(search=search),
                require=[om.KAnonymity(k=2)],
            ),
            seed=1,
        )
        for search in ("full_domain", "local", "best_first")
    ]
    for other in results[1:]:
        assert results[0].data.equals(other.data)
        assert results[0].ncp == pytest.approx(other.ncp)


def test_no_penalty_where_nothing_is_generalized() -> None:
    frame = table(KINDS, 24, distinct=4)
    for name in sorted(GENERALIZING - {"generalization-strategy"}):
        result = om.anonymize(frame, policy(name, KINDS, None, k=1), seed=5)
        assert result.ncp == result.assessment.ncp == 0.0
        assert result.assessment.loss.information_loss == 0.0


# ---- masked == original --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [None, "category"])
def test_what_is_not_masked_has_lost_nothing_and_hides_nobody(missing: str | None) -> None:
    for mix in MIXES:
        frame = table(mix, 20, missing=missing is not None)
        listed = {name: a for name, a in attributes(mix, missing).items() if name in mix}
        found = om.assess(frame, frame, listed, samples=3)
        rows = rows_of(frame, mix)
        loss = found.loss
        for values in (loss.sse, loss.rmse, loss.relative, loss.sum_wsd, loss.changed):
            assert values == dict.fromkeys(mix, 0.0)
        assert (
            loss.sse_record == loss.information_loss == loss.record_loss == loss.semantic_loss == loss.divergence == 0
        )
        assert loss.discernibility == loss.discernibility_before == twin.discernibility(rows)
        alone = sum(1 / rows.count(row) for row in rows) / len(rows)
        assert all(share == pytest.approx(alone) for share in found.linkage.values())
        assert list(found.linkage) == list(LINKAGES)
        assert found.risk_before.figures == found.risk_after.figures
        assert [found.score(a) for a in (0, 0.5, 1)] == pytest.approx([100 * alone, 50 * alone, 0])
        assert found.clustering is not None
        assert found.clustering.distance == 0
        kept = found.preservation
        assert set(kept.statistics["delta"]) == {0.0}
        assert missing or set(kept.statistics["delta_samples"]) == {0.0}
        assert set(kept.means["drift"]) == {0.0}
        assert set(kept.dependence["difference"]) == {0.0}
        assert "No value changed: nothing was lost, and nothing was masked." in found.readings
