"""One suite that every masking method passes, in all its main variants and on every mix of kinds of columns.

What a method promises is counted here with plain Python on the frame that comes out, never with the product's own checks.
"""

from __future__ import annotations

import copy
import hashlib
import io
import math
import os
import pickle
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

import ontomask as om
from ontomask import errors
from ontomask.kinds import registry
from ontomask.masking.published import PRESETS
from ontomask.operators.aggregation import Centroid

ROOT = Path(__file__).parents[2]

# ---- the methods -------------------------------------------------------------------------------------------------

VARIANTS: dict[str, tuple[type[Any], dict[str, Any]]] = {
    "microaggregation": (om.Microaggregation, {}),
    **{
        f"{partition}-{distance}-{centroid}": (
            om.Microaggregation,
            {"partition": partition, "distance": distance, "centroid": centroid},
        )
        for partition in ("mdav", "adaptive", "adaptive_static")
        for distance in ("mean", "s")
        for centroid in get_args(Centroid)
    },
    "mdav-balanced": (om.Microaggregation, {"partition": "mdav", "distance": "balanced"}),
    "adaptive-balanced": (om.Microaggregation, {"partition": "adaptive", "distance": "balanced"}),
    "adaptive-unrefined": (om.Microaggregation, {"refine": "none"}),
    "mdav-thorough": (om.Microaggregation, {"partition": "mdav", "refine": "thorough", "passes": 2}),
    "adaptive-weighted": (om.Microaggregation, {"partition": "adaptive", "comparison": "weighted"}),
    "mdav-published": (om.Microaggregation, {"partition": "mdav", "distance": "s", "normalize": "published"}),
    **{f"preset-{name}": (om.Microaggregation, dict(settings)) for name, settings in PRESETS.items()},
    "recoding": (om.Recoding, {}),
    "recoding-plain-s": (om.Recoding, {"comparison": "plain", "distance": "s"}),
    "recoding-discernibility": (om.Recoding, {"guide": "discernibility"}),
    "recoding-random": (om.Recoding, {"guide": "random"}),
    "recoding-alphabetical": (om.Recoding, {"guide": "random", "order": "alphabetical"}),
    "resampling": (om.Resampling, {}),
    "resampling-weighted-s": (om.Resampling, {"comparison": "weighted", "distance": "s"}),
    "heer": (om.Resampling, {"variant": "heer"}),
    "heer-samples": (om.Resampling, {"variant": "heer", "samples": 7}),
    "suppression": (om.Suppression, {}),
    "suppression-cells": (om.Suppression, {"cells": True}),
    "suppression-wildcards": (om.Suppression, {"cells": True, "blanks": "wildcard"}),
    "swapping-multivariate": (om.RankSwapping, {}),
    "swapping-dynamic": (om.RankSwapping, {"variant": "dynamic"}),
    "swapping-fixed": (om.RankSwapping, {"variant": "fixed"}),
    "swapping-distributional": (om.RankSwapping, {"variant": "distributional"}),
    "swapping-taxonomy": (om.RankSwapping, {"scope": "taxonomy", "measure": "wu_palmer"}),
    "swapping-ties": (om.RankSwapping, {"ties": "random"}),
    "swapping-fixed-ties": (om.RankSwapping, {"variant": "fixed", "ties": "random"}),
    "swapping-random": (om.RankSwapping, {"variant": "random"}),
    "shuffling": (om.Shuffling, {}),
    "shuffling-published": (om.Shuffling, {"ties": "published", "measure": "weighted_edge"}),
    "imputation": (om.Imputation, {}),
    "imputation-linear": (om.Imputation, {"model": "linear"}),
    "imputation-pmm": (om.Imputation, {"model": "pmm", "donors": 3}),
    "imputation-several": (om.Imputation, {"m": 3}),
    "noise": (om.NoiseAddition, {}),
    "noise-correlated": (om.NoiseAddition, {"share": 0.5, "correlated": True, "nearest": "score"}),
    "noise-unscaled": (om.NoiseAddition, {"share": 2.0, "rescale": False, "measure": "wu_palmer"}),
    "pram": (om.PRAM, {"keep": 0.5}),
    "pram-far": (om.PRAM, {"keep": 0.0, "reach": 1.0, "measure": "path"}),
    "hybrid": (om.Microaggregation, {"replace": "hybrid"}),
    "hybrid-adaptive-s": (om.Microaggregation, {"replace": "hybrid", "partition": "adaptive", "distance": "s"}),
    "profiles": (om.ProfileMicroaggregation, {}),
    "profiles-s": (om.ProfileMicroaggregation, {"distance": "s", "centroid": "marginality"}),
    "generalization": (om.Generalization, {}),
    "generalization-local": (om.Generalization, {"search": "local"}),
    "generalization-best-first": (om.Generalization, {"search": "best_first", "budget": 200}),
}
NAMES = list(VARIANTS)
SWAPPING = {name for name in NAMES if name.startswith("swapping")}
SHUFFLING = {"shuffling", "shuffling-published"}
IMPUTATION = {name for name in NAMES if name.startswith("imputation")}
#: These mask sensitive columns, and leave the quasi-identifiers as they are.
OF_SENSITIVE = SHUFFLING | IMPUTATION
HYBRID = {"hybrid", "hybrid-adaptive-s", "preset-marginality_hybrid", "preset-micro_hybrid"}
NOISE = {name for name in NAMES if name.startswith("noise")}
PRAM = {"pram", "pram-far"}
NOT_K_ANONYMOUS = {"heer", "heer-samples", "suppression-wildcards"} | SWAPPING | OF_SENSITIVE | HYBRID | NOISE | PRAM
#: These aim at what is required.
AIMING = {"generalization", "generalization-local", "generalization-best-first"}
#: These ask for no k.
WITHOUT_K = {"swapping-random"} | OF_SENSITIVE | AIMING | NOISE | PRAM
RANDOM = {"recoding-random", "recoding-alphabetical", "resampling", "resampling-weighted-s"} | NOT_K_ANONYMOUS
RANDOM -= {"suppression-wildcards"}
#: These show values of the data and nothing else.
AS_WRITTEN = {n for n in NAMES if n.startswith("recoding")} | {"suppression"} | SWAPPING | OF_SENSITIVE | HYBRID | PRAM
#: These show values of their own record, or blanks.
BLANKING = {"suppression-cells", "suppression-wildcards"}
#: One of each method for what does not depend on its settings.
MAIN = [
    *("microaggregation", "mdav-mean-semantic", "recoding", "recoding-random", "resampling", "heer", "suppression"),
    "suppression-cells",
    *("swapping-multivariate", "swapping-fixed", "shuffling", "imputation", "imputation-several", "hybrid", "noise"),
    *("pram", "profiles"),
]
PROMISING = [name for name in NAMES if name not in NOT_K_ANONYMOUS]
KEEPING = [name for name in NAMES if name != "suppression"]


def method(name: str, k: int) -> Any:
    cls, settings = VARIANTS[name]
    return cls(**settings) if name in WITHOUT_K else cls(k=k, **settings)


def refused(name: str, k: int, n: int) -> str | None:
    """What is said where there are too few records for a method."""
    if name in SWAPPING | OF_SENSITIVE and n < 3:
        return "to swap|to shuffle|to impute"
    if name in SWAPPING - WITHOUT_K and k >= n:
        return f"each has only {n - 1} others"
    return None


def test_every_method_and_preset_is_here() -> None:
    from ontomask.masking.method import Method

    def below(cls: type[Any]) -> set[type[Any]]:
        return {cls} | {c for sub in cls.__subclasses__() for c in below(sub)}

    ours = {cls for cls in below(Method) if cls.__module__.startswith("ontomask.")}  # tests define some, too
    concrete = {cls for cls in ours if {"mask", "mask_tuples"} & set(vars(cls)) and not cls.__abstractmethods__}
    assert concrete == {cls for cls, _ in VARIANTS.values()}
    for name in PRESETS:
        assert om.Microaggregation.preset(name, k=3) == method(f"preset-{name}", 3)


# ---- the tables --------------------------------------------------------------------------------------------------

#: A dog is a canine and a pet: concepts with several parents, as in real terminologies.
TAXONOMY = om.Taxonomy.from_edges(
    [
        ("dog", "canine"), ("dog", "pet"), ("wolf", "canine"), ("cat", "feline"), ("cat", "pet"), ("lion", "feline"),
        ("canine", "animal"), ("feline", "animal"), ("pet", "animal"), ("oak", "tree"), ("elm", "tree"),
        ("rose", "plant"), ("tree", "plant"), ("animal", "thing"), ("plant", "thing"),
    ],
    name="things",
)  # fmt: skip
GRADES = ["none", "mild", "strong", "worst"]
KINDS = ("nominal", "flat", "ordinal", "numeric", "date")
#: A place is encoded as a nominal column is; its rule is tested by itself.
assert {*KINDS, "place", "identifier"} == {kind.model_fields["kind"].default for kind in registry.KINDS}
#: Dates are compared and averaged as numbers are: not all of the mixes with them.
MIXES = [mix for size in (1, 2, 3, 4, 5) for mix in combinations(KINDS, size) if "date" not in mix or size in (1, 2, 5)]
DOMAIN: dict[str, list[Any]] = {
    "nominal": ["dog", "wolf", "cat", "lion", "oak", "elm", "rose", "plant"],
    "flat": ["red", "green", "blue"],
    "ordinal": GRADES,
    "numeric": list(range(18, 90)),
    "date": [date(2019, 12, 25) + timedelta(days=13 * i) for i in range(72)],
}
DTYPES = {
    "nominal": pl.String,
    "flat": pl.String,
    "ordinal": pl.String,
    "numeric": pl.Int64,
    "date": pl.Date,
    "id": pl.String,
    "secret": pl.Float64,
    "remark": pl.String,
}


def attributes(mix: Iterable[str], missing: str | None = None, secret: str | None = None) -> dict[str, Any]:
    """Identifier first and sensitive in the middle, so that an order that is not kept shows."""
    made: dict[str, Any] = {"id": om.Identifier()}
    for place, kind in enumerate(mix):
        if place == 1:
            made["secret"] = om.Numeric(role="sensitive", missing=secret)
        made[kind] = {
            "nominal": lambda: om.Nominal(taxonomy=TAXONOMY, missing=missing),
            "flat": lambda: om.Flat(missing=missing),
            "ordinal": lambda: om.Ordinal(order=GRADES, missing=missing),
            "numeric": lambda: om.Numeric(missing=missing),
            "date": lambda: om.Date(missing=missing),
        }[kind]()
    made.setdefault("secret", om.Numeric(role="sensitive", missing=secret))
    made["remark"] = om.Flat(role="other")
    return made


def table(
    mix: Sequence[str], n: int = 40, *, missing: bool = False, distinct: int | None = None, seed: int = 1
) -> pl.DataFrame:
    """Records at random; ``distinct`` limits how many combinations of quasi-identifiers there are."""
    rng = random.Random(f"{seed}-{n}-{'-'.join(mix)}")

    def draw() -> tuple[Any, ...]:
        return tuple(None if missing and rng.random() < 0.15 else rng.choice(DOMAIN[kind]) for kind in mix)

    pool = [draw() for _ in range(distinct or n)]
    rows = [pool[i] if distinct is None else rng.choice(pool) for i in range(n)]
    columns: dict[str, list[Any]] = {kind: [row[at] for row in rows] for at, kind in enumerate(mix)}
    columns["id"] = [f"person {i}" for i in range(n)]
    columns["secret"] = [i + 0.5 if i % 7 else None for i in range(n)]  # tells the records apart
    columns["remark"] = [f"remark {i}" for i in range(n)]
    return pl.DataFrame({name: pl.Series(columns[name], dtype=DTYPES[name]) for name in attributes(mix)})


def policy(name: str, k: int, mix: Sequence[str] = KINDS, *, missing: bool = True, **settings: Any) -> om.Policy:
    """Missing values of the sensitive column are a category only where it is looked at."""
    listed = attributes(mix, "category" if missing else None, "category" if name in OF_SENSITIVE else None)
    aim = {"require": [om.KAnonymity(k=k)]} if name in AIMING else {}
    made: om.Policy = om.Policy(attributes=listed, method=method(name, k), **(aim | settings))
    return made


def anonymize(frame: Any, policy: Any, **options: Any) -> om.Result:
    """Chance is fixed, so that a failure can be repeated."""
    return om.anonymize(frame, policy, **({"seed": 5} | options))


def plain(value: Any) -> Any:
    """A cell as a Python value; whatever stands for missing is None."""
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, pd.Timestamp):  # pandas has no dates
        return value.date()
    return value.item() if isinstance(value, np.generic) else value


def rows_of(frame: Any, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """The rows of any frame as plain Python tuples."""
    if isinstance(frame, pa.Table):
        columns = [frame.column(name).to_pylist() for name in names]
    else:
        columns = [frame[name].to_list() for name in names]
    return [tuple(map(plain, row)) for row in zip(*columns, strict=True)]


def classes(frame: Any, mix: Sequence[str]) -> Counter[tuple[Any, ...]]:
    return Counter(rows_of(frame, mix))


def as_kind(frame: pl.DataFrame, kind: str) -> Any:
    if kind == "polars":
        return frame
    if kind == "pyarrow":
        return frame.to_arrow()
    return frame.to_pandas().convert_dtypes(dtype_backend="numpy_nullable")


# ---- on every mix of kinds ---------------------------------------------------------------------------------------


def covers(kind: str, shown: Any, value: Any) -> bool:
    """Is a value still true of what stood there?"""
    if shown in (value, "*") or shown == str(value):
        return True
    if value is None or shown is None:
        return False
    if kind == "nominal":
        return shown in TAXONOMY.subsumers(value)
    if kind == "ordinal":
        first, last = shown.split(" - ")
        return GRADES.index(first) <= GRADES.index(value) <= GRADES.index(last)
    if kind == "numeric":
        ends = re.fullmatch(r"(-?[\d.]+)-(-?[\d.]+)", str(shown))
        return ends is not None and float(ends[1]) <= value <= float(ends[2])
    if kind == "date":
        return str(shown) in (
            f"{value:%Y-%m}",
            f"{value:%Y}-Q{(value.month + 2) // 3}",
            f"{value:%Y}",
            f"{value.year // 10}0s",
        )
    return False


def check(name: str, k: int, mix: Sequence[str], frame: pl.DataFrame, result: om.Result) -> None:
    """Everything that must hold of any result."""
    data = result.data
    promised = name not in NOT_K_ANONYMOUS
    before, after = rows_of(frame, mix), rows_of(data, mix)

    # The rows, and what was not to be touched, still on them.
    kept = list(range(len(frame)))
    if name == "suppression":
        sizes = Counter(before)
        kept = [i for i in kept if sizes[before[i]] >= k]
    assert result.removed.tolist() == sorted(set(range(len(frame))) - set(kept))
    assert result.records.tolist() == kept
    if name in OF_SENSITIVE:
        assert after == before
        for release in result.releases:
            if name in SHUFFLING:
                assert Counter(release["secret"].to_list()) == Counter(frame["secret"].to_list())
            elif name == "imputation-linear":
                known = frame["secret"].drop_nulls()
                assert release["secret"].drop_nulls().is_between(known.min() or 0, known.max() or 0).all()
            else:
                assert set(release["secret"].to_list()) <= set(frame["secret"].to_list())
            assert release.drop("secret").equals(frame.drop("id", "secret"))
    else:
        assert data["secret"].to_list() == frame["secret"][kept].to_list()
    assert data["secret"].dtype == frame["secret"].dtype
    assert data["remark"].to_list() == frame["remark"][kept].to_list()
    assert data.columns == [c for c in frame.columns if c != "id"]

    # k.
    assert len(after) == len(kept)
    if promised:
        assert min(Counter(after).values()) >= k
        assert result.satisfied

    # Values that can be: of the column, but for means and for concepts that subsume.
    for place, kind in enumerate(mix):
        shown, known = {row[place] for row in after}, {row[place] for row in before}
        if name in AIMING:  # intervals, concepts that subsume, and * for all: each covers what it stands for
            for at, i in enumerate(kept):
                assert covers(kind, after[at][place], before[i][place]), (kind, after[at][place], before[i][place])
        elif name in BLANKING:
            assert data[kind].dtype == frame[kind].dtype
            assert all(row[place] in (None, own[place]) for row, own in zip(after, before, strict=True))
        elif kind == "numeric":
            assert data[kind].dtype in (pl.Int64, pl.Float64)
            assert all(v is None or 18 <= v < 90 for v in shown)
            assert (None not in shown) or (None in known)
        elif kind == "date":
            assert data[kind].dtype == pl.Date
            assert all(v is None or min(DOMAIN[kind]) <= v <= max(DOMAIN[kind]) for v in shown)
            assert (None not in shown) or (None in known)
        else:
            assert data[kind].dtype == frame[kind].dtype
            assert shown <= (
                {*TAXONOMY, None} if kind == "nominal" else {*GRADES, None} if kind == "ordinal" else known
            )
            assert (None not in shown) or (None in known)
        if name in AS_WRITTEN:
            assert data[kind].dtype == frame[kind].dtype
            assert shown <= known
        if name in SWAPPING:
            assert Counter(row[place] for row in after) == Counter(row[place] for row in before)
    if name.startswith("recoding") or name == "suppression":
        assert set(after) <= set(before)  # combinations that somebody really has

    # The steward's record agrees with the data.
    became = Counter((before[i], after[at]) for at, i in enumerate(kept))
    became.update((before[i], (None,) * len(mix)) for i in set(range(len(frame))) - set(kept))
    masked = [f"{kind} (masked)" for kind in mix]
    told: Counter[Any] = Counter()
    for count, one, other in zip(
        result.mapping["records"].to_list(),
        rows_of(result.mapping, mix),
        rows_of(result.mapping, masked),
        strict=True,
    ):
        told[one, other] += count
    assert told == became
    assert result.mapping["records"].sum() == len(frame)
    groups = result.groups
    assert groups["records"].sum() == len(kept)
    assert groups["records"].min() >= (k if promised else 1)
    assert (groups["distinct"] <= groups["records"]).all()
    assert (groups["distinct"] >= 1).all()
    sizes_told: Counter[Any] = Counter()
    for row, size in zip(rows_of(groups, mix), groups["records"].to_list(), strict=True):
        sizes_told[row] += size
    assert sizes_told == Counter(after)
    assert groups["group"].to_list() == list(range(len(groups)))
    assert set(result.mapping["group"].drop_nulls()) == set(groups["group"])


@pytest.mark.parametrize("name", NAMES)
def test_every_mix_of_kinds(name: str) -> None:
    for place, mix in enumerate(MIXES):
        for missing in (False, True) if name in MAIN else (place % 2 == 0,):
            distinct = 8 if name == "suppression" else None
            frame = table(mix, 32, missing=missing, distinct=distinct)
            result = anonymize(frame, policy(name, 3, mix, missing=missing))
            check(name, 3, mix, frame, result)


@pytest.mark.parametrize("name", NAMES)
def test_small_tables_of_every_shape(name: str) -> None:
    """n = k, n = k + 1, n = 2k - 1, n = 1, few and many combinations."""
    rng = random.Random(name)
    for trial in range(12):
        k = rng.choice([1, 2, 3, 5])
        n = max(1, rng.choice([k, k + 1, 2 * k - 1, 2 * k, 3 * k - 1, 11]))
        mix = rng.choice(MIXES)
        distinct = 1 if name == "suppression" and n < 2 * k else rng.choice([1, 2, 3, n])
        missing = rng.random() < 0.5
        frame = table(mix, n, missing=missing, distinct=distinct, seed=trial)
        if refused(name, k, n):
            with pytest.raises(errors.DataError, match=refused(name, k, n)):
                anonymize(frame, policy(name, k, mix))
            continue
        if name == "suppression" and max(classes(frame, mix).values()) < k:
            with pytest.raises(errors.DataError, match="nothing would be left"):
                anonymize(frame, policy(name, k, mix))
            continue
        check(name, k, mix, frame, anonymize(frame, policy(name, k, mix, missing=missing), seed=trial))


@pytest.mark.parametrize("name", NAMES)
def test_one_combination_and_columns_that_are_all_equal(name: str) -> None:
    for missing in (False, True):
        frame = table(KINDS, 9, missing=missing, distinct=1)
        result = anonymize(frame, policy(name, 4))
        check(name, 4, KINDS, frame, result)
        assert rows_of(result.data, KINDS) == rows_of(frame, KINDS)
        told = [note for note in map(str, result.notes) if "same value" in note]
        assert len(told) == (2 * len(KINDS) if name in SWAPPING else len(KINDS))
        assert sum("swapping changes nothing" in note for note in told) == (len(KINDS) if name in SWAPPING else 0)
    # One column varies, the others do not.
    frame = table(KINDS, 12).with_columns(flat=pl.lit("red"), ordinal=pl.lit("mild"), nominal=pl.lit("oak"))
    if name != "suppression":
        result = anonymize(frame, policy(name, 4))
        check(name, 4, KINDS, frame, result)
        assert set(rows_of(result.data, ["flat", "ordinal", "nominal"])) == {("red", "mild", "oak")}
    # A column of nothing but missing values.
    frame = table(KINDS, 12, distinct=2).with_columns(
        flat=pl.lit(None, dtype=pl.String),
        ordinal=pl.lit(None, dtype=pl.String),
        nominal=pl.lit(None, dtype=pl.String),
        numeric=pl.lit(None, dtype=pl.Int64),
        date=pl.lit(None, dtype=pl.Date),
    )
    result = anonymize(frame, policy(name, 4))
    check(name, 4, KINDS, frame, result)
    assert set(rows_of(result.data, KINDS)) == {(None,) * len(KINDS)}


@pytest.mark.parametrize("name", [*PROMISING, *sorted(HYBRID)])
def test_k_1_returns_the_data_without_identifiers(name: str) -> None:
    for mix in MIXES if name in MAIN else [*MIXES[:5], MIXES[-1]]:
        frame = table(mix, 20, missing=True)
        result = anonymize(frame, policy(name, 1, mix))
        assert result.data.equals(frame.drop("id"))
        assert result.data.schema == frame.drop("id").schema
        assert len(result.removed) == 0


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITHOUT_K])
def test_k_above_n_is_an_error(name: str) -> None:
    frame = table(KINDS, 6)
    remedy = "Choose k from 1 to 5" if name in SWAPPING else "smaller k"
    for k in (7, 10**12, *([6] if name in SWAPPING else [])):
        with pytest.raises(errors.DataError, match=rf"k is {k:,} and there are 6 records.*{remedy}") as caught:
            anonymize(frame, policy(name, k))
        assert "person" not in str(caught.value)
        with pytest.raises(errors.DataError, match=remedy):
            om.check(frame, policy(name, k))
    # Records that are dropped do not count.
    mix = ("numeric",)
    frame = table(mix, 6).with_columns(numeric=pl.Series([1, 2, 3, None, None, None]))
    dropping = om.Policy(attributes=attributes(mix, "drop_record"), method=method(name, 4))
    with pytest.raises(errors.DataError, match="k is 4 and there are 3 records"):
        anonymize(frame, dropping)


# ---- any frame in, the same kind out -----------------------------------------------------------------------------


def wide(kind: str) -> Any:
    """A frame whose types are not the plain ones, with what could lead back to the records."""
    frame = table(KINDS, 40, missing=True, distinct=8)
    if kind == "polars":
        return frame.with_columns(
            pl.col("flat").cast(pl.Categorical),
            pl.col("ordinal").cast(pl.Enum(GRADES)),
            pl.col("numeric").cast(pl.Int16),
            pl.col("secret").cast(pl.Float32),
        )
    if kind == "pyarrow":
        made = frame.to_arrow()
        at = made.column_names.index("flat")
        made = made.set_column(at, "flat", made.column("flat").cast(pa.string()).dictionary_encode())
        return made.replace_schema_metadata({"source": "the register of persons"})
    made = frame.to_pandas().convert_dtypes(dtype_backend="numpy_nullable")
    made["flat"] = made["flat"].astype("category")
    made["ordinal"] = pd.Categorical(made["ordinal"], categories=GRADES, ordered=True)
    made.attrs["source"] = "the register of persons"
    return made.set_index(pd.Index([f"patient {i}" for i in range(len(made))], name="patient"))


def assert_same(frame: Any, before: Any) -> None:
    if isinstance(frame, pd.DataFrame):
        assert_frame_equal(frame, before, check_exact=True)
        assert frame.attrs == before.attrs
    elif isinstance(frame, pa.Table):
        assert frame.equals(before, check_metadata=True)
    else:
        assert frame.equals(before)
        assert frame.schema == before.schema


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("name", NAMES)
def test_any_frame(name: str, kind: str) -> None:
    frame = wide(kind)
    before = copy.deepcopy(frame) if kind != "pyarrow" else pickle.loads(pickle.dumps(frame))
    result = anonymize(frame, policy(name, 3))
    assert_same(frame, before)
    data = result.data
    assert type(data) is type(frame)
    names = [c for c in table(KINDS).columns if c != "id"]
    assert list(data.column_names if kind == "pyarrow" else data.columns) == names
    kept = result.records.tolist()
    untouched = [*KINDS, "remark"] if name in OF_SENSITIVE else ["secret", "remark"]
    assert rows_of(data, untouched) == [rows_of(frame, untouched)[i] for i in kept]
    for column in ["secret"] if name in SHUFFLING else KINDS if name in SWAPPING else []:
        assert Counter(rows_of(data, [column])) == Counter(rows_of(frame, [column]))
    if name not in NOT_K_ANONYMOUS:
        assert min(classes(data, KINDS).values()) >= 3
    # Types as they were, but for numbers that have become fractions.
    if kind == "pandas":
        assert isinstance(data.index, pd.RangeIndex)
        assert (data.index.start, data.index.step, data.index.name) == (0, 1, None)
        assert not data.attrs
        assert data.dtypes["secret"] == frame.dtypes["secret"]
        assert data.dtypes["nominal"] == frame.dtypes["nominal"]
        assert isinstance(data.dtypes["flat"], pd.CategoricalDtype)
        assert data["ordinal"].cat.ordered or name in AIMING
        assert any("patient" in note for note in map(str, result.notes))
        assert "patient " not in str(result)
    elif kind == "pyarrow":
        assert not data.schema.metadata
        assert [data.schema.field(c).type for c in ("nominal", "flat", "ordinal", "secret", "remark")] == [
            frame.schema.field(c).type for c in ("nominal", "flat", "ordinal", "secret", "remark")
        ]
    else:
        assert data.schema["flat"] == pl.Categorical
        assert isinstance(data.schema["ordinal"], pl.Enum)
        assert [data.schema[c] for c in ("nominal", "secret", "remark")] == [pl.String, pl.Float32, pl.String]
        if name in AS_WRITTEN:
            assert data.schema["numeric"] == pl.Int16
    # A category that nobody has any more would tell that somebody had it.
    shown = {row[0] for row in rows_of(data, ["ordinal"])}
    if kind == "pandas":
        assert {c for c in data["ordinal"].cat.categories if c in set(before["ordinal"].dropna())} <= shown
    elif kind == "polars":
        assert {c for c in data.schema["ordinal"].categories if c in set(before["ordinal"])} <= shown


@pytest.mark.parametrize("name", MAIN)
def test_an_index_is_an_identifier_unless_the_policy_names_it(name: str) -> None:
    mix = ("flat", "numeric")
    frame = table(mix, 20, distinct=4).to_pandas().set_index("numeric", append=False)
    result = anonymize(frame, policy(name, 3, mix))
    assert result.data.columns[0] == "numeric"
    assert isinstance(result.data.index, pd.RangeIndex)
    turned = table(mix, 20, distinct=4).to_pandas().iloc[::-1]
    result = anonymize(turned, policy(name, 3, mix))
    assert any("index" in note and "identifier" in note for note in map(str, result.notes))
    assert list(result.data.index) == list(range(len(result.data)))
    plain_index = anonymize(table(mix, 20, distinct=4).to_pandas(), policy(name, 3, mix))
    assert not any("index" in note for note in map(str, plain_index.notes))


LONG = "a name of many letters, long enough to stand in a buffer of its own: "


def in_categories(frame: pl.DataFrame, kind: str) -> Any:
    """The frame with its texts as categories, each of which is listed somewhere in a column's type."""
    if kind == "polars":
        return frame.with_columns(pl.col(c).cast(pl.Enum(frame[c].unique().drop_nulls())) for c in frame.columns)
    if kind == "pyarrow":
        return pa.table({c: frame[c].to_arrow().cast(pa.string()).dictionary_encode() for c in frame.columns})
    return frame.to_pandas().astype("category")


@pytest.mark.parametrize("categories", [False, True], ids=["text", "categories"])
@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("name", MAIN)
def test_the_release_holds_no_trace_of_what_it_does_not_show(name: str, kind: str, categories: bool) -> None:
    """Neither values that were masked, nor those of removed records, nor identifiers: also not in hidden buffers."""
    n = 24
    frame = pl.DataFrame(
        {
            "id": [f"{LONG}person {i}" for i in range(n)],
            "flat": [f"{LONG}common {i % 2}" for i in range(n - 3)] + [f"{LONG}rare {i}" for i in range(3)],
            "secret": [f"{LONG}secret {i}" for i in range(n)],
            "remark": [f"{LONG}remark {i}" for i in range(n)],
        }
    ).with_columns(remark=pl.when(pl.int_range(n) == 5).then(None).otherwise(pl.col("remark")))
    chosen = om.Policy(
        attributes={
            "id": om.Identifier(),
            "flat": om.Flat(),
            "secret": om.Flat(role="sensitive"),
            "remark": om.Flat(role="other", missing="drop_record"),
        },
        method=method(name, 4),
    )
    given = in_categories(frame, kind) if categories else as_kind(frame, kind)
    data = anonymize(given, chosen).data
    shown = {cell for row in rows_of(data, ["flat", "secret", "remark"]) for cell in row}
    hidden = {cell for column in frame.iter_columns() for cell in column.drop_nulls()} - shown
    assert any("person" in cell for cell in hidden)
    written = {"pickle": pickle.dumps(data)}
    if kind == "polars":
        for writer in ("write_ipc", "write_ipc_stream", "write_parquet"):
            stream = io.BytesIO()
            options = {"compression": "uncompressed"} if writer != "write_parquet" else {}
            getattr(data, writer)(stream, **options)
            written[writer] = stream.getvalue()
    for how, content in written.items():
        assert not [cell for cell in hidden if cell.encode() in content], how


# ---- chance ------------------------------------------------------------------------------------------------------


def content(result: om.Result) -> bytes:
    data: pl.DataFrame = result.data
    return repr((data.schema, data.rows(), result.mapping.rows(), result.groups.rows(), result.notes)).encode()


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_bytes(name: str) -> None:
    frame = table(KINDS, 40, missing=True, distinct=12 if name == "suppression" else None)
    one, two, three = (anonymize(frame, policy(name, 3), seed=seed) for seed in (7, 7, 8))
    assert content(one) == content(two)
    assert (content(one) != content(three)) == (name in RANDOM)
    mixed = policy(name, 3, row_order="shuffled")
    drawn = om.anonymize(frame, mixed)
    again = om.anonymize(frame, mixed, secret=drawn.secret)
    assert content(drawn) == content(again)
    assert content(om.anonymize(frame, mixed)) != content(drawn)


@pytest.mark.parametrize("name", MAIN)
def test_neither_the_kind_of_frame_nor_the_order_of_the_policy_matters(name: str) -> None:
    frame = table(KINDS, 40, missing=True, distinct=12)
    chosen = policy(name, 3)
    names = [*KINDS, "secret", "remark"]
    expected = rows_of(anonymize(frame, chosen).data, names)
    for kind in ("pandas", "pyarrow"):
        assert rows_of(anonymize(as_kind(frame, kind), chosen).data, names) == expected
    turned = chosen.changed(attributes=dict(reversed(chosen.attributes.items())))
    assert rows_of(anonymize(frame, turned).data, names) == expected


@pytest.mark.parametrize("name", MAIN)
def test_several_threads_at_once(name: str) -> None:
    frame, chosen = table(KINDS, 60, missing=True, distinct=20), policy(name, 3)
    expected = content(anonymize(frame, chosen))
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: content(anonymize(frame, chosen)), range(8))) == {expected}


@cache
def fingerprint() -> str:
    """A hash over what all methods make of one table."""
    digest = hashlib.sha256()
    for name in NAMES:
        frame = table(KINDS, 120, missing=True, distinct=20 if name == "suppression" else 90)
        digest.update(content(anonymize(frame, policy(name, 3, row_order="shuffled"))))
    return digest.hexdigest()


def test_same_bytes_in_any_process_with_any_number_of_threads() -> None:
    code = "from tests.contract.test_methods import fingerprint; print(fingerprint())"
    begun = []
    for threads in ("1", "2"):
        environment = os.environ | {
            "NUMBA_NUM_THREADS": threads,
            "POLARS_MAX_THREADS": threads,
            "OMP_NUM_THREADS": threads,
            "PYTHONHASHSEED": threads,
        }
        begun.append(
            subprocess.Popen(
                [sys.executable, "-c", code],
                cwd=ROOT,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
    ended = [process.communicate(timeout=300) for process in begun]
    assert [out.strip() for out, _ in ended] == [fingerprint()] * 2, ended


@pytest.mark.parametrize("name", NAMES)
def test_shuffled_keeps_rows_together_and_changes_their_order(name: str) -> None:
    frame = table(KINDS, 40, missing=True, distinct=8)
    as_it_was = anonymize(frame, policy(name, 3))
    shuffled = anonymize(frame, policy(name, 3, row_order="shuffled"))
    names = as_it_was.data.columns
    one, other = rows_of(as_it_was.data, names), rows_of(shuffled.data, names)
    assert Counter(one) == Counter(other)
    assert one != other
    assert sorted(shuffled.records.tolist()) == as_it_was.records.tolist()
    assert shuffled.removed.tolist() == as_it_was.removed.tolist()
    for place, record in enumerate(shuffled.records.tolist()):
        assert other[place][names.index("remark")] == frame["remark"][record]
    assert any("random order" in text for text in map(str, shuffled.guarantees))
    assert any("original order" in text for text in map(str, as_it_was.guarantees))
    moved = anonymize(frame, policy(name, 3, row_order="shuffled"), seed=6)
    assert rows_of(moved.data, ["remark"]) != rows_of(shuffled.data, ["remark"])


# ---- words -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_guarantees_say_what_holds_and_what_does_not(name: str) -> None:
    frame = table(KINDS, 40, distinct=8)
    result = anonymize(frame, policy(name, 3))
    said = [str(statement) for statement in result.guarantees]
    assert all(len(text) > 20 for text in said)
    if name in OF_SENSITIVE:
        assert any("Quasi-identifiers are not masked" in text for text in said)
    else:
        assert all(kind in " ".join(said) for kind in KINDS)  # what an intruder is assumed to know
        assert any(statement.kind == "assumed" for statement in result.guarantees)
    if name in NOT_K_ANONYMOUS:
        assert any("not k-anonymous" in text for text in said)
        assert not any("3-anonymity" in text for text in said)
    else:
        assert any("is shared by at least 3 records" in text for text in said) or name in AIMING
        assert any("3-anonymity" in text and "Verified on the release itself" in text for text in said)
        assert any("sensitive values" in text for text in said)
    assert all(text in str(result) for text in said)
    assert all(note in str(result) for note in map(str, result.notes))
    assert "NOT SATISFIED" not in repr(result)
    assert "identifiers removed: id" in map(str, result.notes)
    assert not [text for text in (*said, *map(str, result.notes)) if re.search(r"(person|remark) \d", text)]


@pytest.mark.parametrize("name", [name for name in MAIN if name not in NOT_K_ANONYMOUS])
def test_k_1_is_not_sold_as_protection(name: str) -> None:
    said = " ".join(map(str, anonymize(table(KINDS, 12), policy(name, 1)).guarantees))
    assert "at least 1 record" not in said
    assert "1-anonymity" not in said


@pytest.mark.parametrize("name", sorted(NOT_K_ANONYMOUS))
def test_what_promises_no_k_can_still_be_held_to_one(name: str) -> None:
    frame = table(KINDS, 40)
    with pytest.raises(errors.NotSatisfied, match="3-anonymity"):
        anonymize(frame, policy(name, 3, require=[om.KAnonymity(3)]))


# ---- progress ----------------------------------------------------------------------------------------------------


class Enough(Exception):
    """The caller's own reason to stop."""


@pytest.mark.parametrize("name", NAMES)
def test_progress_never_falls_and_can_stop_the_work(name: str) -> None:
    frame = table(KINDS, 40, missing=True, distinct=8)
    before = frame.clone()
    heard: list[tuple[float, str]] = []
    anonymize(frame, policy(name, 3), progress=lambda fraction, said: heard.append((fraction, said)))
    fractions = [fraction for fraction, _ in heard]
    assert fractions == sorted(fractions)
    assert fractions[0] == 0
    assert fractions[-1] == 1
    assert all(type(fraction) is float for fraction in fractions)
    assert all(isinstance(said, str) and said for _, said in heard)
    assert len(heard) >= 5
    for stop in sorted({1, 2, len(heard) // 2, len(heard) - 1}):
        calls = []

        def refuse(fraction: float, said: str) -> bool:
            calls.append(fraction)  # noqa: B023
            return len(calls) < stop  # noqa: B023

        with pytest.raises(errors.Cancelled, match="Nothing was written"):
            anonymize(frame, policy(name, 3), progress=refuse)
        assert len(calls) == stop  # and not once more

        def explode(fraction: float, said: str) -> None:
            calls.append(fraction)  # noqa: B023
            if len(calls) == 2 * stop:  # noqa: B023
                raise Enough

        with pytest.raises(Enough):
            anonymize(frame, policy(name, 3), progress=explode)
    assert_same(frame, before)


def test_any_false_stops() -> None:
    frame, chosen = table(("numeric",), 8), policy("recoding", 2, ("numeric",))
    with pytest.raises(errors.Cancelled):
        anonymize(frame, chosen, progress=lambda fraction, said: np.bool_(False))
    for going_on in (None, True, 0, "", np.bool_(True)):
        anonymize(frame, chosen, progress=lambda fraction, said: going_on)  # noqa: B023
    with pytest.raises(errors.OptionError, match=r"progress\(fraction, message\)"):
        anonymize(frame, chosen, progress="loud")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", KEEPING)
def test_masking_itself_can_be_watched(name: str) -> None:
    """Not only what comes before and after it."""
    heard: list[float] = []
    mix = ("nominal", "numeric")
    anonymize(table(mix, 300), policy(name, 5, mix), progress=lambda fraction, said: heard.append(fraction))
    assert any(0.1 <= fraction < 0.85 for fraction in heard)
