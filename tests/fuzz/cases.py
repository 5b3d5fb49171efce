"""Random tables with hostile values, random policies, random file formats: everything follows from the number of a case."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import polars as pl

import ontomask as om

Value = Any
#: Texts that files, spreadsheets and readers like to change, join or split.
TEXTS = (
    "HIV", "HIV ", "hiv", "NA", "", " ", "n/a", "unknown", "\u00e9", "e\u0301", "=1+1", "+3", "-", "@x", 'a"b', "a,b", "a;b",
    "line\nbreak", "a\tb", "1", "01", "1.0", "1e3", "TRUE", "None", "nan", "null", "2020-01-01", "\u00df", "\ufb01", "a\u200bb",
    "a b", "a\u00a0b", "'quoted", "#N/A", "0", "-0.0", "x" * 300,
)  # fmt: skip
#: Of these, the ones that say nothing or look like something else.
UNSAID = ("unknown", "none", "nan", "null", "true")
PLAIN = ("red", "green", "blue", "grey", "black", "white", "brown", "violet")
SCALE = ("low", "a bit", "half", "much", "very", "all")
NUMBERS: tuple[tuple[float, ...], ...] = (
    (0, 1, 2, 3),
    (3, 1, 4, 1, 5, 9, 2, 6),
    (-2, -1, 0, 1, 2),
    (2**52, 2**52 + 1, 2**52 - 1, 7),
    (20, 30, 41, 52, 63, 99, 1_000_000),
)
FRACTIONS: tuple[tuple[float, ...], ...] = (
    (0.0, -0.0, 1.0, -1.0),
    (0.1, 0.1 + 2**-55, 0.30000000000000004, 0.3),
    (1 / 3, 2 / 3, 1e-300, 12345.678901234567),
    (1.5, 2.25, 3.125, 1000.0625),
    (123456789.123456789, 123456789.12345678, 123456789.1),
)
FORMATS: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("release.csv", {}, 50),
    ("release.csv", {"delimiter": ";", "decimal": ","}, 8),
    ("release.csv", {"encoding": "utf-8-sig"}, 4),
    ("release.csv.gz", {}, 3),
    ("release.tsv", {}, 5),
    ("release.parquet", {}, 12),
    ("release.xlsx", {}, 8),
    ("release.sav", {}, 4),
    ("release.dta", {}, 4),
    ("release.xpt", {}, 2),
)


@dataclass
class Column:
    """One column of a case: its values, the attribute that describes it, and for nominal ones who is whose parent."""

    name: str
    kind: str
    values: list[Value]
    attribute: Any
    dtype: Any
    parents: dict[str, str] = field(default_factory=dict)
    concept_of: dict[str, str] = field(default_factory=dict)


@dataclass
class Promise:
    """What a release must show: the kind of promise, its number, the sensitive column it speaks of.

    ``grave``: of promises on severity, the values with the severity numbers 1 (if m = 1, else 0) and 2.
    """

    kind: str
    number: float
    column: str | None = None
    grave: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))


@dataclass
class Case:
    """A table, a policy, the file to write, and what the release then promises."""

    number: int
    columns: dict[str, Column]
    policy: om.Policy
    file: str
    options: dict[str, Any]
    library: str
    promises: list[Promise]
    tokens: list[str]

    @property
    def polars(self) -> pl.DataFrame:
        return pl.DataFrame({name: pl.Series(c.values, dtype=c.dtype) for name, c in self.columns.items()})

    @property
    def frame(self) -> Any:
        """The table as the library of this case holds it."""
        if self.library == "pandas":
            return self.polars.to_pandas()
        return self.polars.to_arrow() if self.library == "pyarrow" else self.polars

    def with_role(self, *roles: str) -> list[str]:
        return [name for name, column in self.columns.items() if column.attribute.role in roles]


def make_case(number: int) -> Case:
    """The case of a number, the same on every machine."""
    chance = random.Random(f"ontomask fuzz {number}")
    n = chance.choice((3, 5, 8, 10, 13, 17, 20, 25, 30, 40, 60))
    hostile = chance.random() < 0.6
    columns: dict[str, Column] = {}
    for i in range(chance.choice((1, 2, 2, 3, 3, 4))):
        columns[f"q{i}"] = _column(chance, f"q{i}", chance.choice(tuple(MAKERS)), "quasi", n, hostile)
    for i in range(chance.choice((0, 1, 1, 2))):
        columns[f"s{i}"] = _column(
            chance, f"s{i}", chance.choice(("flat", "nominal", "whole", "fraction")), "sensitive", n, hostile
        )
    if chance.random() < 0.3:
        columns["rest"] = _column(chance, "rest", "flat", "other", n, hostile)
    tokens: list[str] = []
    if chance.random() < 0.5:
        tokens = [f"PATIENT-{number}-{i:03d}-{chance.randrange(10**6):06d}" for i in range(n)]
        columns["who"] = Column("who", "identifier", tokens, om.Identifier(), pl.String)
    names = list(columns)
    chance.shuffle(names)
    columns = {name: columns[name] for name in names}
    method, k = _method(chance, n, columns)
    promises = [Promise("k", k)] if k > 1 else []
    require = _require(chance, n, columns, promises, method, k)
    require += _severe(random.Random(f"severity {number}"), columns, promises, method)
    attributes = {name: column.attribute for name, column in columns.items()}
    policy = om.Policy(
        attributes=attributes, method=method, require=require, row_order=chance.choice(("kept", "shuffled"))
    )
    file, options, _ = chance.choices(FORMATS, [weight for *_, weight in FORMATS])[0]
    library = chance.choices(("polars", "pandas", "pyarrow"), (6, 3, 1))[0]
    return Case(number, columns, policy, file, options, library, promises, tokens)


# ---- columns ---------------------------------------------------------------------------------------------------------


def _column(chance: random.Random, name: str, kind: str, role: str, n: int, hostile: bool) -> Column:
    made = MAKERS[kind](chance, name, role, n, hostile)
    if chance.random() < 0.25:
        share = chance.choice((0.05, 0.2, 0.5))
        made.values = [None if chance.random() < share else value for value in made.values]
        missing = chance.choice(("category", "category", "drop_record")) if role == "quasi" else None
        made.attribute = made.attribute.changed(missing=missing)
    return made


def _drawn(chance: random.Random, among: list[Value], n: int) -> list[Value]:
    """Values, some frequent and some rare; the first one always occurs."""
    weights = [0.1 + chance.random() ** 2 for _ in among]
    return chance.choices(among, weights, k=n)


def _flat(chance: random.Random, name: str, role: str, n: int, hostile: bool) -> Column:
    pool = TEXTS if hostile else PLAIN
    among = chance.sample(pool, min(len(pool), chance.choice((2, 3, 4, 6))))
    dtype: Any = pl.String
    if chance.random() < 0.2:
        dtype = chance.choice((pl.Categorical, pl.Enum(list(pool))))
    return Column(name, "flat", _drawn(chance, among, n), om.Flat(role=role), dtype)


def _truth(chance: random.Random, name: str, role: str, n: int, hostile: bool) -> Column:
    return Column(name, "flat", _drawn(chance, [True, False], n), om.Flat(role=role), pl.Boolean)


def _ordinal(chance: random.Random, name: str, role: str, n: int, hostile: bool) -> Column:
    values = _drawn(chance, chance.sample(SCALE, 4), n)
    return Column(name, "ordinal", values, om.Ordinal(order=list(SCALE), role=role), pl.String)


def _day(chance: random.Random, name: str, role: str, n: int, hostile: bool) -> Column:
    start = date(1931, 5, 17)
    values = [start + timedelta(days=chance.randrange(30_000)) for _ in range(n)]
    return Column(name, "ordinal", values, om.Ordinal(role=role), pl.Date)


def _whole(chance: random.Random, name: str, role: str, n: int, hostile: bool) -> Column:
    among = list(chance.choice(NUMBERS))
    values = _drawn(chance, among, n) if chance.random() < 0.7 else [chance.randrange(100) for _ in range(n)]
    return Column(name, "numeric", values, om.Numeric(role=role), pl.Int64)


def _fraction(chance: random.Random, name: str, role: str, n: int, hostile: bool) -> Column:
    among = list(chance.choice(FRACTIONS))
    values = _drawn(chance, among, n) if chance.random() < 0.6 else [chance.gauss(50, 20) for _ in range(n)]
    return Column(name, "numeric", values, om.Numeric(role=role), pl.Float64)


def _nominal(chance: random.Random, name: str, role: str, n: int, hostile: bool) -> Column:
    size = chance.choice((5, 8, 12, 20))
    parents = {f"c{i}": f"c{chance.randrange(max(0, i - 6), i)}" for i in range(1, size)}
    labels = {f"c{i}": f"concept {i}" for i in range(size)}
    taxonomy = om.Taxonomy.from_edges(list(parents.items()), labels=labels, name="random tree")
    among = chance.sample(sorted(labels), min(size, chance.choice((2, 3, 5, 8))))
    values = _drawn(chance, among, n)
    if hostile:
        values = [chance.choice((v, v, labels[v], labels[v].upper())) for v in values]
    concept_of = {text: code for code in labels for text in (code, labels[code], labels[code].upper())}
    attribute = om.Nominal(taxonomy=taxonomy, role=role, measure=chance.choice(("logsc", "wu_palmer", "path")))
    return Column(name, "nominal", values, attribute, pl.String, parents, concept_of)


MAKERS: dict[str, Callable[..., Column]] = {
    "flat": _flat,
    "truth": _truth,
    "ordinal": _ordinal,
    "day": _day,
    "whole": _whole,
    "fraction": _fraction,
    "nominal": _nominal,
}


# ---- policies --------------------------------------------------------------------------------------------------------


def _method(chance: random.Random, n: int, columns: dict[str, Column]) -> tuple[Any, int]:
    """A method, and the k that it promises (1: none)."""
    k = min(chance.choice((2, 2, 3, 4, 5, max(2, n // 3))), n - 1)
    choice = chance.randrange(14)
    if choice < 4:
        centroid = chance.choice(("semantic", "marginality", "mode", "lcs"))
        partition = chance.choice(("auto", "auto", "mdav", "adaptive"))
        refine = chance.choice(("none", "descent", "descent", "thorough"))
        settings = {"refine": refine} | ({"passes": 3} if refine == "thorough" else {})
        return om.Microaggregation(k=k, partition=partition, centroid=centroid, **settings), k
    if choice == 4:
        return om.Microaggregation.preset(chance.choice(("marginality_hybrid", "micro_hybrid")), k=k), 1
    if choice == 5:
        return om.Recoding(k=k, guide=chance.choice(("semantic", "discernibility", "random"))), k
    if choice == 6:
        return om.Resampling(k=k), k
    if choice == 7:
        return om.Suppression(k=k), k
    if choice == 8:
        variant = chance.choice(("multivariate", "dynamic", "fixed", "distributional", "random"))
        if variant == "random":
            return om.RankSwapping(variant="random"), 1
        return om.RankSwapping(k=k, variant=variant, ties=chance.choice(("together", "random"))), 1
    if choice == 9 and any(column.attribute.role == "sensitive" for column in columns.values()):
        return _of_sensitive(chance), 1
    if choice >= 12:
        return _perturbation(chance, columns), 1
    search = chance.choice(("full_domain", "full_domain", "local", "best_first"))
    limit = chance.choice((0.0, 0.05, 0.3)) if search == "full_domain" else 0.0
    budget = chance.choice((20, 100, 500)) if search == "best_first" else None
    return om.Generalization(search=search, suppression_limit=limit, budget=budget), 1


def _perturbation(chance: random.Random, columns: dict[str, Column]) -> Any:
    """Noise or PRAM, of the quasi-identifiers or of any columns."""
    named = None
    if chance.random() < 0.4:
        free = [name for name, column in columns.items() if column.attribute.role in ("quasi", "sensitive", "other")]
        named = chance.sample(free, chance.randrange(1, len(free) + 1))
        if any(None in columns[name].values and columns[name].attribute.missing is None for name in named):
            named = None  # missing values of a masked column need a rule
    if chance.random() < 0.5:
        return om.PRAM(keep=chance.choice((0.0, 0.5, 0.8)), reach=chance.choice((0.05, 0.1, 1.0)), columns=named)
    return om.NoiseAddition(
        share=chance.choice((0.01, 0.1, 1.0)),
        correlated=chance.random() < 0.5,
        rescale=chance.random() < 0.7,
        limits=chance.choice(("kept", "kept", "free")),
        nearest=chance.choice(("meaning", "score")),
        columns=named,
    )


def _of_sensitive(chance: random.Random) -> Any:
    """A method that masks sensitive columns."""
    model = chance.choice(("normal", "linear", "pmm"))
    return chance.choice(
        (om.Shuffling(), om.Imputation(model=model), om.Imputation(model=model, m=chance.choice((2, 3))))
    )


def _require(
    chance: random.Random, n: int, columns: dict[str, Column], promises: list[Promise], method: Any, k: int
) -> list[Any]:
    """Models, each of them a promise if there is a release at all."""
    require: list[Any] = []
    if k > 1 and chance.random() < 0.5:
        require.append(om.KAnonymity(k=k))
    elif k == 1 and (method.name == "generalization" or chance.random() < 0.15):
        asked = min(chance.choice((2, 3, max(2, n // 4))), n)
        require.append(om.KAnonymity(k=asked))
        promises.append(Promise("k", asked))
    sensitive = [name for name, column in columns.items() if column.attribute.role == "sensitive"]
    if (
        method.name in ("rank_swapping", "shuffling", "imputation", "noise_addition", "pram")
        or getattr(method, "replace", "") == "hybrid"
    ):
        return require  # a model of classes would refuse nearly all of their releases
    if sensitive and chance.random() < 0.4:
        name = chance.choice(sensitive)
        if chance.random() < 0.7:
            require.append(om.LDiversity(l=2, attribute=name))
            promises.append(Promise("distinct", 2, name))
        else:
            require.append(om.LDiversity(l=1.5, attribute=name, variant="entropy"))
            promises.append(Promise("entropy", 1.5, name))
    if sensitive and chance.random() < 0.1:
        name = chance.choice(sensitive)
        t = chance.choice((0.3, 0.6))
        require.append(om.TCloseness(t=t, attribute=name))
        promises.append(Promise("closeness", t, name))
    return require


def _severe(chance: random.Random, columns: dict[str, Column], promises: list[Promise], method: Any) -> list[Any]:
    """A model on severity numbers, over one flat sensitive column; drawn apart, so that all else of a case stays."""
    aims = method.name == "generalization" or (method.name == "microaggregation" and method.replace == "centroid")
    texts = {
        name: sorted({value for value in column.values if isinstance(value, str) and value.strip().isalpha()})
        for name, column in columns.items()
        if column.kind == "flat" and column.attribute.role == "sensitive"
    }
    known = {name: [v for v in values if len(v) > 2 and v.lower() not in UNSAID] for name, values in texts.items()}
    able = {name: values for name, values in known.items() if len({v.strip().lower() for v in values}) > 1}
    if not aims or not able or chance.random() < 0.2:
        return []
    name = chance.choice(sorted(able))
    first, *others = chance.sample(able[name], len(able[name]))
    second = next(v for v in others if v.strip().lower() != first.strip().lower())
    sets = [
        {"name": label, "small_class": small, "where": {name: {"values": [value]}}}
        for label, small, value in (("some", "2.1.1", first), ("most", "1.2.1", second))
    ]
    head = {"title": "random", "institution": "fuzz", "date": "2024-01-01", "columns": {name: {"kind": "flat"}}}
    severity = om.Severity({**head, "sets": sets})
    if chance.random() < 0.5:
        promises.append(Promise("severity closeness", 0.3, name, ([first], [second])))
        return [om.SeverityCloseness(t=0.3, severity=severity, columns=[name])]
    promises.append(Promise("severity", 1, name, ([first], [second])))
    return [om.SeverityDiversity(l=1, severity=severity, columns=[name], downward=True)]
