"""What was random in a release cannot be repeated or undone by whoever has the release, the policy and this program."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from ontomask.kernels.swapping import swap_along
from ontomask.masking.randomness import EXPLICIT_SEED, Secret
from ontomask.masking.rank_swapping import _any_with_any, ranked, ranking_keys
from ontomask.operators.record_distance import RecordDistance
from ontomask.policy.policy import METHODS
from ontomask.policy.prepared import prepare
from ontomask.progress import silent

VARIANTS = ("multivariate", "dynamic", "fixed", "distributional", "random")
N = 60
CHANCE = np.random.default_rng(8)
#: Distinct values, so that a record that has its own value again was restored.
FRAME = pl.DataFrame({"age": CHANCE.random(N), "pay": CHANCE.random(N)})
QUASI = {"age": om.Numeric(), "pay": om.Numeric()}
SECRET = {"age": om.Numeric(), "pay": om.Numeric(role="sensitive")}


def swapping(variant: str, ties: str = "together") -> om.RankSwapping:
    made: om.RankSwapping = om.RankSwapping(variant=variant, **({} if variant == "random" else {"k": 10, "ties": ties}))
    return made


#: Every variant with both ways to rank equals.
TIED = [
    (variant, ties) for variant in VARIANTS for ties in ("together", "random") if (variant, ties) != ("random",) * 2
]
DRAWING: dict[str, Any] = {f"swapping {variant}, {ties}": swapping(variant, ties) for variant, ties in TIED} | {
    "hybrid": om.Microaggregation(k=10, replace="hybrid"),
    "shuffling": om.Shuffling(),
    "imputation": om.Imputation(),
    "imputation by donors": om.Imputation(model="pmm"),
    "noise": om.NoiseAddition(),
    "noise, correlated": om.NoiseAddition(share=0.01, correlated=True),
    "pram": om.PRAM(keep=0.2),
    "resampling": om.Resampling(k=5),
    "heer": om.Resampling(k=5, variant="heer"),
    "recoding": om.Recoding(k=5, guide="random"),
}
STILL: dict[str, Any] = {
    "microaggregation": om.Microaggregation(k=5),
    "hybrid of one": om.Microaggregation(k=1, replace="hybrid"),
    "recoding": om.Recoding(k=5),
    "recoding to the rarest": om.Recoding(k=5, guide="discernibility"),
    "recoding of one": om.Recoding(k=1, guide="random"),
    "suppression": om.Suppression(k=2),
    "suppression of cells": om.Suppression(k=2, cells=True),
    "profiles": om.ProfileMicroaggregation(k=5),
    "generalization": om.Generalization(),
}


def policy(method: Any, **settings: Any) -> om.Policy:
    attributes = SECRET if isinstance(method, (om.Shuffling, om.Imputation)) else QUASI
    if isinstance(method, om.Generalization):
        settings = {"require": [om.KAnonymity(k=3)]} | settings
    made: om.Policy = om.Policy(attributes=attributes, method=method, **settings)
    return made


def restored(frame: pl.DataFrame) -> float:
    """The share of records that have their own pay again; with distinct values that is no accident."""
    return float((frame["pay"].to_numpy() == FRAME["pay"].to_numpy()).mean())


# ---- which methods draw -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DRAWING)
def test_methods_that_draw(name: str) -> None:
    one, two = (om.anonymize(FRAME, policy(DRAWING[name])) for _ in range(2))
    assert DRAWING[name].draws
    assert not one.data.equals(two.data)
    assert om.anonymize(FRAME, policy(DRAWING[name]), secret=one.secret).data.equals(one.data)


@pytest.mark.parametrize("name", STILL)
def test_methods_that_draw_nothing(name: str) -> None:
    frame = pl.concat([FRAME, FRAME])  # suppression needs records that agree
    one, two = (om.anonymize(frame, policy(STILL[name])) for _ in range(2))
    assert not STILL[name].draws
    assert one.data.equals(two.data)


def test_every_method_is_among_them() -> None:
    assert {method.name for method in (*DRAWING.values(), *STILL.values())} == set(METHODS)


# ---- undoing it -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DRAWING)
def test_a_run_on_the_release_restores_nothing(name: str) -> None:
    """Not with the policy alone, and not with an explicit seed or the very secret: the data are part of the key."""
    chosen = policy(DRAWING[name])
    for given in ({}, {"seed": 7}):
        release = om.anonymize(FRAME, chosen, **given)
        before = restored(release.data)
        for again in ({}, {"secret": release.secret}):
            back = om.anonymize(release.data, chosen, **again).data
            assert restored(back) <= before + 0.25, "some come back by chance, as one of 10 candidates"
            assert restored(back) < 0.5


#: With as many distinct values of one column, swapping by the same draws was its own inverse in every variant.
MANY = pl.DataFrame({"pay": CHANCE.random(2000)})


@pytest.mark.parametrize(("variant", "ties"), TIED)
def test_swapping_by_the_same_draws_is_its_own_inverse_and_they_cannot_be_had(variant: str, ties: str) -> None:
    chosen: om.Policy = om.Policy(attributes={"pay": om.Numeric()}, method=swapping(variant, ties))
    method, values = chosen.method, MANY["pay"]
    assert method is not None

    def by_old_seed(frame: pl.DataFrame) -> pl.DataFrame:
        sources = method.mask(prepare(frame, chosen).table, np.random.default_rng(2024), silent).sources
        assert sources is not None
        return frame.select(frame["pay"].gather(sources[0]))

    assert (by_old_seed(MANY)["pay"] == values).mean() < 0.05
    assert by_old_seed(by_old_seed(MANY)).equals(MANY), "the attack works where draws can be repeated"
    for given in ({}, {"seed": 2024}):
        release = om.anonymize(MANY, chosen, **given)
        tried = [
            by_old_seed(release.data),
            om.anonymize(release.data, chosen).data,
            om.anonymize(release.data, chosen, seed=2024).data,
            om.anonymize(release.data, chosen, secret=release.secret).data,
        ]
        for back in tried:
            assert (back["pay"] == values).mean() < 0.2, "about one in ten by chance: k is 10"


def generators(seed: int) -> list[np.random.Generator]:
    """Whatever somebody may try with a small seed."""
    secret = Secret.of_seed(seed)
    return [np.random.default_rng(seed), secret.generator("masking"), secret.generator("row order")]


def swapped_back(release: pl.DataFrame, chosen: om.Policy) -> Callable[[np.random.Generator], float]:
    """How much of one column a generator restores, by the loops of the methods themselves: fast enough for many."""
    table = prepare(release, chosen).table
    metric, codes = RecordDistance.of(table).metrics[0], table.codes_of(0)
    keys, masked, original = ranking_keys(metric), release["pay"].to_numpy(), FRAME["pay"].to_numpy()
    method = chosen.method
    assert isinstance(method, om.RankSwapping)

    def share(chance: np.random.Generator) -> float:
        source = np.arange(len(masked))
        if method.variant == "random":
            source, _ = _any_with_any(len(masked), chance)
        else:
            swap_along(ranked(codes, keys, method.ties, chance), 10, chance, source, np.zeros_like(source))
        return float((masked[source] == original).mean())

    return share


@pytest.mark.parametrize(("variant", "ties"), [("fixed", "together"), ("fixed", "random"), ("random", "together")])
@pytest.mark.parametrize("given", [{}, {"seed": 4711}])
def test_small_seeds_do_not_restore_swapped_values(variant: str, ties: str, given: dict[str, Any]) -> None:
    chosen: om.Policy = om.Policy(attributes={"pay": om.Numeric()}, method=swapping(variant, ties))
    one = FRAME.select("pay")
    assert chosen.method is not None
    old = chosen.method.mask(prepare(one, chosen).table, np.random.default_rng(4711), silent).sources
    assert old is not None
    found = swapped_back(one.select(one["pay"].gather(old[0])), chosen)
    assert found(np.random.default_rng(4711)) == 1.0, "the attack works against a seed that is reached"
    share = swapped_back(om.anonymize(one, chosen, **given).data, chosen)
    assert max(share(chance) for seed in range(5001) for chance in generators(seed)) < 0.5


def noise_taken_off(release: pl.DataFrame, share: float) -> Callable[[np.random.Generator], float]:
    """How well a generator restores one column from which noise can be taken off if it is known: a correlation."""
    masked, original = release["pay"].to_numpy(), MANY["pay"].to_numpy()
    deviation = masked.std()  # rescaled noise keeps it

    def fit(chance: np.random.Generator) -> float:
        noise = chance.standard_normal(len(masked))
        back = (masked - masked.mean()) * np.sqrt(1 + share) - np.sqrt(share) * deviation * noise
        return float(np.corrcoef(back, original)[0, 1])

    return fit


@pytest.mark.parametrize("given", [{}, {"seed": 4711}])
def test_small_seeds_do_not_take_noise_off(given: dict[str, Any]) -> None:
    method = om.NoiseAddition(share=0.5, limits="free")
    chosen: om.Policy = om.Policy(attributes={"pay": om.Numeric()}, method=method)
    table = prepare(MANY, chosen).table
    old = method.mask(table, np.random.default_rng(4711), silent)
    reached = noise_taken_off(pl.DataFrame({"pay": old.centres[0][old.group_of]}), 0.5)
    assert reached(np.random.default_rng(4711)) > 0.999, "the attack works against a seed that is reached"
    fit = noise_taken_off(om.anonymize(MANY, chosen, **given).data, 0.5)
    chance = 1 / np.sqrt(1 + 2 * 0.5 / 1.5)  # what wrong noise on top leaves of the correlation at best
    assert max(fit(tried) for seed in range(2001) for tried in generators(seed)) < chance + 0.1


@pytest.mark.parametrize("given", [{}, {"seed": 4711}])
def test_small_seeds_do_not_tell_which_values_pram_kept(given: dict[str, Any]) -> None:
    """Whoever can draw again knows which values are the original ones: those whose number is below the probability."""
    frame = pl.DataFrame({"town": CHANCE.choice(list("abcdefgh"), 2000)})
    method = om.PRAM(keep=0.5)
    chosen: om.Policy = om.Policy(attributes={"town": om.Flat()}, method=method)
    old = method.mask(prepare(frame, chosen).table, np.random.default_rng(4711), silent)
    values = prepare(frame, chosen).table.columns[0].values

    def right(kept: np.ndarray[Any, Any], chance: np.random.Generator) -> float:
        return float(((chance.random(2000) < 0.5) == kept).mean())

    shown = values.gather(old.centres[0][old.group_of])
    assert right((shown == frame["town"]).to_numpy(), np.random.default_rng(4711)) == 1.0, (
        "it works where it is reached"
    )
    kept = (om.anonymize(frame, chosen, **given).data["town"] == frame["town"]).to_numpy()
    assert max(right(kept, tried) for seed in range(2001) for tried in generators(seed)) < 0.6


@pytest.mark.parametrize("given", [{}, {"seed": 4711}])
def test_small_seeds_do_not_restore_the_order_of_records(given: dict[str, Any]) -> None:
    """Neither drawn first, as with methods that draw nothing, nor from the key of a release that is known."""
    frame = pl.DataFrame({"age": np.repeat(np.arange(20), 10), "place": np.arange(200)})
    chosen = om.Policy(
        attributes={"age": om.Numeric(), "place": om.Numeric(role="other")},
        method=om.Microaggregation(k=5),
        row_order="shuffled",
    )
    result = om.anonymize(frame, chosen, **given)
    order = result.data["place"].to_numpy()
    assert (order != np.arange(200)).mean() > 0.9
    best = 0.0
    for seed in range(5001):
        for chance in generators(seed):
            best = max(best, float((chance.permutation(200) == order).mean()))
    assert best < 0.1
    again = om.anonymize(result.data, chosen, **given).records  # with all that the recipient has
    assert (again == order).mean() < 0.1


def test_one_secret_does_not_order_two_releases_alike() -> None:
    frame = pl.DataFrame({"age": np.arange(200), "place": np.arange(200)})
    attributes = {"age": om.Numeric(), "place": om.Numeric(role="other")}
    methods = [om.Microaggregation(k=5), om.Microaggregation(k=6), om.RankSwapping(k=5), om.RankSwapping(k=6)]
    orders = [
        om.anonymize(frame, om.Policy(attributes=attributes, method=method, row_order="shuffled"), seed=1).records
        for method in methods
    ]
    for i, one in enumerate(orders):
        for other in orders[:i]:
            assert (one == other).mean() < 0.1


# ---- repeating it ----------------------------------------------------------------------------------------------------


def command(*arguments: str, cwd: Path, code: int = 0) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "ontomask", *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


def spellings(secret: bytes) -> list[bytes]:
    return [
        secret,
        secret.hex().encode(),
        secret.hex().upper().encode(),
        base64.b64encode(secret).rstrip(b"="),
        base64.urlsafe_b64encode(secret).rstrip(b"="),
        *(str(int.from_bytes(secret, order)).encode() for order in ("big", "little")),  # type: ignore[arg-type]
    ]


def secret_of(folder: Path) -> bytes:
    return bytes.fromhex((folder / "confidential" / "secret.txt").read_text().splitlines()[1])


def test_the_command_line_repeats_a_run_and_shows_no_secret(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "in.csv")
    policy(swapping("fixed"), row_order="shuffled").save(tmp_path / "policy.yaml")
    printed = "".join(command("run", "policy.yaml", "in.csv", "-o", "one", cwd=tmp_path))
    kept = "one/confidential/secret.txt"
    told = command("run", "policy.yaml", "in.csv", "-o", "two", "--json", "--secret", kept, cwd=tmp_path)
    said = json.loads(told[0])
    assert said["explicit_seed"] is False
    assert "seed" not in said
    assert "explicit seed" not in printed + "".join(told)
    one, two = (tmp_path / name for name in ("one", "two"))
    for name in ("release/release.csv", "release/report.html", "release/guarantees.txt", "confidential/records.csv"):
        assert (one / name).read_bytes() == (two / name).read_bytes()
    assert secret_of(one) == secret_of(two)
    lines = (tmp_path / kept).read_text().splitlines()
    assert len(lines) == 2
    assert "Never publish it" in lines[0]
    for spelled in spellings(secret_of(one)):
        assert spelled not in (printed + "".join(told)).encode()
        for path in (*one.rglob("*"), *two.rglob("*"), tmp_path / "policy.yaml"):
            if path.is_file() and path.name != "secret.txt":
                assert spelled not in path.read_bytes(), path.name
    policy_again = (one / "confidential" / "policy.yaml").read_text()
    assert "seed" not in policy_again
    three = om.anonymize(tmp_path / "in.csv", one / "confidential" / "policy.yaml").save(tmp_path / "three")
    assert (three / "release" / "release.csv").read_bytes() != (one / "release" / "release.csv").read_bytes()
    _, err = command("run", "policy.yaml", "in.csv", "-o", "x", "--secret", kept, "--seed", "1", cwd=tmp_path, code=2)
    assert err == "ontomask: both a seed and a secret are given. Give only one: each fixes all random choices.\n"
    assert not (tmp_path / "x").exists()


def test_in_python(tmp_path: Path) -> None:
    chosen = policy(swapping("multivariate"), row_order="shuffled")
    one, other = om.anonymize(FRAME, chosen), om.anonymize(FRAME, chosen)
    assert one.seed is None
    assert not one.reproducible
    assert EXPLICIT_SEED not in [*one.guarantees, *one.notes]
    assert not one.data.equals(other.data)
    kept = one.save(tmp_path / "one") / "confidential" / "secret.txt"
    for secret in (kept, str(kept), secret_of(tmp_path / "one"), one.secret):
        again = om.anonymize(FRAME, chosen, secret=secret)
        assert again.data.equals(one.data)
        assert again.records.tolist() == one.records.tolist()
    assert om.anonymize(FRAME.to_pandas(), chosen, secret=kept).data["age"].tolist() == one.data["age"].to_list()
    content = secret_of(tmp_path / "one")
    for shown in (repr(one), str(one), repr(one.secret), str(one.secret), f"{one.secret}", repr(vars(one))):
        assert not [spelled for spelled in spellings(content) if spelled in shown.encode()]
        assert repr(content)[2:-1] not in shown


# ---- explicit seeds ----------------------------------------------------------------------------------------------------


MARKED = [(name, {}) for name in DRAWING] + [("microaggregation", {"row_order": "shuffled"})]


@pytest.mark.parametrize(("name", "settings"), MARKED)
def test_an_explicit_seed_is_marked_wherever_something_was_drawn(
    name: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    from ontomask.report.page import render
    from ontomask.report.summary import summarize

    method = STILL[name] if settings else DRAWING[name]
    result = om.anonymize(FRAME, policy(method, **settings), seed=7)
    assert (result.seed, result.reproducible) == (7, True)
    assert EXPLICIT_SEED in result.guarantees
    assert EXPLICIT_SEED in result.notes
    for edition in ("public", "internal"):
        content = summarize(result, edition)  # type: ignore[arg-type]
        assert {"level": "care", "text": EXPLICIT_SEED.text} in content["warnings"]
        assert {"kind": "warning", "text": EXPLICIT_SEED.text} in content["guarantees"]
        assert len([warning for warning in content["warnings"] if warning["text"] == EXPLICIT_SEED.text]) == 1
        assert "Made with an explicit seed" in render(result, edition)  # type: ignore[arg-type]
    folder = result.save(tmp_path / "result")
    assert "Made with an explicit seed" in (folder / "release" / "guarantees.txt").read_text()
    manifest = json.loads((folder / "confidential" / "manifest.json").read_text())
    assert manifest["explicit_seed"] is True
    assert manifest["files"]["confidential/secret.txt"] is None, "the hash of a small seed tells the seed"
    # Its secret file keeps the mark.
    again = om.anonymize(FRAME, result.policy, secret=folder / "confidential" / "secret.txt")
    assert again.data.equals(result.data)
    assert (again.seed, again.reproducible) == (7, True)


@pytest.mark.parametrize("name", STILL)
def test_where_nothing_is_drawn_there_is_nothing_to_mark(name: str) -> None:
    result = om.anonymize(pl.concat([FRAME, FRAME]), policy(STILL[name]), seed=7)
    assert (result.seed, result.reproducible) == (7, False)
    assert EXPLICIT_SEED not in [*result.guarantees, *result.notes]


def test_a_comparison_with_a_seed(tmp_path: Path) -> None:
    ways = om.grid(om.Policy(attributes=QUASI), ["rank_swapping", "resampling"], [5])

    def losses(folder: Path | None = None, **options: Any) -> list[float]:
        return om.compare(FRAME, ways, workers=1, folder=folder, **options).table["loss"].to_list()

    assert losses(seed=1) == losses(seed=1)
    assert losses(seed=1) != losses(seed=2)
    assert losses() != losses()
    remembered = losses(tmp_path / "runs", seed=1)
    assert losses(tmp_path / "runs", seed=1) == remembered == losses(seed=1)
    assert losses(tmp_path / "runs", seed=2) == losses(seed=2), "a run with another seed is another run"
    for path in (tmp_path / "runs").iterdir():
        assert not {"seed", "secret"} & set(json.loads(path.read_text()))


# ---- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"seed": -1}, "seed=-1. Give a whole number from 0 up."),
        ({"seed": 1.5}, "seed=1.5"),
        ({"seed": "7"}, "seed='7'"),
        ({"seed": True}, "seed=True"),
        ({"secret": b"short"}, "expected 32 random bytes, got 5"),
        ({"secret": bytes(32)}, "these follow a pattern"),
        ({"secret": (2024).to_bytes(32, "big")}, "these follow a pattern"),
        ({"secret": 2024}, "expected the path of a secret file or 32 bytes, got int"),
        ({"secret": "nowhere.txt"}, "nowhere.txt: there is no such secret file"),
        ({"seed": 1, "secret": bytes(range(32))}, "both a seed and a secret are given"),
    ],
)
def test_seeds_and_secrets_that_are_none(options: dict[str, Any], expected: str) -> None:
    with pytest.raises(errors.OntomaskError) as caught:
        om.anonymize(FRAME, policy(swapping("fixed")), **options)
    assert expected in str(caught.value)
    if isinstance(options.get("secret"), bytes):
        assert repr(options["secret"]) not in str(caught.value)


WRONG_FILES: dict[str, Callable[[], bytes]] = {
    "empty": lambda: b"",
    "comment only": lambda: b"# The secret\n",
    "short": lambda: b"abcdef\n",
    "no hex": lambda: b"g" * 64,
    "two": lambda: (bytes(range(32)).hex() + "\n").encode() * 2,
    "zeros": lambda: b"0" * 64,
    "binary": lambda: bytes(range(128, 200)),
    "a policy": lambda: b"attributes:\n  age: {kind: numeric}\n",
    "a long file": lambda: b"a" * 10_000,
}


@pytest.mark.parametrize("what", WRONG_FILES)
def test_files_that_hold_no_secret(tmp_path: Path, what: str) -> None:
    file = tmp_path / "secret.txt"
    file.write_bytes(WRONG_FILES[what]())
    with pytest.raises(
        errors.OntomaskError, match=r"secret\.txt: (there is no secret in it|expected 32 random)"
    ) as caught:
        om.anonymize(FRAME, policy(swapping("fixed")), secret=file)
    assert not any(word in str(caught.value) for word in ("abcdef", "ggg", "000", "kind"))


def test_purposes_have_streams_of_their_own() -> None:
    secret = Secret.fresh()
    drawn = {
        tuple(chance.integers(0, 2**63, 4).tolist())
        for chance in (
            secret.generator("masking"),
            secret.generator("row order"),
            secret.generator("masking", [(1, [b"a"]), (2, [b"bc"])]),
            secret.generator("masking", [(2, [b"ab"]), (1, [b"c"])]),
            Secret.fresh().generator("masking"),
        )
    }
    assert len(drawn) == 5
    assert isinstance(secret.generator("masking").bit_generator, np.random.Philox)
