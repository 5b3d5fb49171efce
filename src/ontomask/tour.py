"""The tour that ``make demo`` runs: values find their place in a taxonomy, get distances, and a small table is masked.

python -m ontomask.tour [folder]
"""

from __future__ import annotations

import csv
import io
import sys
import time
from html import escape
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

import ontomask as om

#: A column as it comes from a ward: codes with and without dots, a lost zero, words, a slip.
COLUMN = [
    "250.00", "25000", "250.00", "162.9", "1629", "174.9", "8.45", "Cholera", "typhoid fevers", "Acute appendicitis",
    "540.9", "410.71", "Pneumonia, organism unspecified", "diabetis mellitus", "E850.0", "V27.0",
]  # fmt: skip
COMPARED = {
    "162.9": "lung cancer",
    "174.9": "breast cancer",
    "250.00": "diabetes, type II",
    "250.01": "diabetes, type I",
    "410.71": "heart attack",
    "540.9": "appendicitis",
}
MEASURES = ("logsc", "wu_palmer", "lin", "equality")


def main(folder: Path) -> None:
    started = time.perf_counter()
    taxonomy = om.load_taxonomy("icd9cm")
    say("1. A taxonomy: values have a place", str(taxonomy))
    say("   One code, from the root down", taxonomy.path("250.00"))
    say("   A branch of it", taxonomy.tree("249-259", depth=1, width=6))

    matching = om.match(COLUMN, taxonomy)
    say("2. Matching: the values of a column find their concepts, and you are told how", str(matching))

    codes = list(COMPARED)
    tables = {measure: om.distance_matrix(taxonomy, codes, measure) for measure in MEASURES}
    say("3. Distance: any two values are so far apart (logsc; 0 same, 1 nothing in common)", grid(tables["logsc"]))
    cancers, diabetes = (float(tables["logsc"][i, i + 1]) for i in (0, 2))
    say(
        "   What that says",
        f"The two kinds of diabetes ({diabetes:.2f}) are nearer to each other than the two cancers ({cancers:.2f}), and\n"
        f"both are nearer than a cancer and an appendicitis ({tables['logsc'][0, 5]:.2f}). A tool without semantics sees\n"
        "six labels, each as far from every other.",
    )

    results = mask(ward())
    say(
        "4. Masking: 400 made-up patients, k = 5 (the first time on a machine the loops are compiled)",
        compared(results),
    )
    result = results["microaggregation"]
    say("   Five of them before and after", before_and_after(result))
    say("   What is promised", "\n".join(result.guarantees))

    files = write(folder, taxonomy, matching, tables)
    result.save(folder / "masked", overwrite=True)
    files.append(("masked/", "release/ to hand out, confidential/ to keep: the mapping leads back to people"))
    say("5. Results", "\n".join(f"{name:<16} {what}" for name, what in files))
    print(f"\nAll in {folder.resolve()}, in {time.perf_counter() - started:.1f} s.")
    print("Next: the five-minute tour in README.md, the methods in docs/methods/, your own file:")
    print(f"  {Path(sys.executable)} -c \"import ontomask as om; print(om.read_table('your-table.csv'))\"")


def say(title: str, text: str) -> None:
    print(f"\n{title}\n" + "\n".join(f"   {line}" for line in text.split("\n")))


def ward(n: int = 400, seed: int = 11) -> pl.DataFrame:
    """Patients that never lived: older ones have more cancers, most have something common."""
    rng = np.random.default_rng(seed)
    codes = [
        "250.00",
        "250.01",
        "250.40",
        "162.9",
        "174.9",
        "153.9",
        "410.71",
        "410.91",
        "540.9",
        "540.0",
        "486",
        "008.45",
    ]
    age = np.clip(rng.normal(58, 18, n), 1, 97).round().astype(int)
    tail = np.array([9, 5, 1, 4, 4, 3, 8, 5, 6, 2, 9, 1], dtype=float)
    chance = tail * np.where(np.isin(np.arange(12), (3, 4, 5)), 1 + (age[:, None] > 60), 1)
    chosen = [rng.choice(12, p=row / row.sum()) for row in chance]
    return pl.DataFrame(
        {
            "patient": [f"P{i:04}" for i in range(n)],
            "age": age,
            "sex": rng.choice(["f", "m"], n),
            "diagnosis": [codes[i] for i in chosen],
            "charge": rng.lognormal(8.5, 0.6, n).round(),
        }
    )


def mask(frame: pl.DataFrame) -> dict[str, om.Result]:
    attributes = {
        "patient": om.Identifier(),
        "age": om.Numeric(decimals=0),
        "sex": om.Flat(),
        "diagnosis": om.Nominal(taxonomy="icd9cm"),
        "charge": om.Numeric(role="sensitive"),
    }
    methods = {
        "microaggregation": om.Microaggregation(k=5),
        "the same without semantics": om.Microaggregation.preset("domingo_ferrer_torra", k=5),
        "recoding": om.Recoding(k=5),
    }
    return {
        name: om.anonymize(frame, om.Policy(attributes=attributes, method=method, seed=1, row_order="shuffled"))
        for name, method in methods.items()
    }


def compared(results: dict[str, om.Result]) -> str:
    lines = [
        f"{'method':<28} {'records':>7} {'smallest class':>15} {'loss L':>8} {'diagnoses off by':>17} {'linked':>8}"
    ]
    for name, result in results.items():
        loss = result.loss(measure="logsc")
        smallest = next(f.worst for f in result.verification if isinstance(f.model, om.KAnonymity))
        lines.append(
            f"{name:<28} {len(result.data):>7} {smallest:>15.0f} {loss.information_loss:>7.1f}% "
            f"{loss.rmse['diagnosis']:>17.2f} {result.linkage():>8.1%}"
        )
    return "\n".join(lines)


def before_and_after(result: om.Result, rows: int = 5) -> str:
    shown = result.mapping.sort("age", "diagnosis").gather_every(max(1, len(result.mapping) // rows)).head(rows)
    lines = []
    for row in shown.iter_rows(named=True):
        one, other = (tuple(row[f"{c}{m}"] for c in ("age", "sex", "diagnosis")) for m in ("", " (masked)"))
        lines.append(f"{one[0]:>3} {one[1]} {one[2]:<7} -> {other[0]:>3} {other[1]} {other[2]}")
    return "\n".join(lines)


def grid(table: NDArray[np.float64]) -> str:
    width = max(map(len, COMPARED.values()))
    head = " " * (width + 8) + " ".join(f"{code:>7}" for code in COMPARED)
    rows = [
        f"{code:>7} {name:<{width}}" + " ".join(f"{d:>7.2f}" for d in row)
        for (code, name), row in zip(COMPARED.items(), table, strict=True)
    ]
    return "\n".join([head, *rows])


def write(
    folder: Path, taxonomy: om.Taxonomy, matching: om.Matching, tables: dict[str, NDArray[np.float64]]
) -> list[tuple[str, str]]:
    """The results as files a spreadsheet and a browser open."""
    folder.mkdir(parents=True, exist_ok=True)
    matching.table.write_csv(folder / "matching.csv")
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["measure", "code", *COMPARED])
    for measure, table in tables.items():
        writer.writerows([measure, code, *np.round(row, 6)] for code, row in zip(COMPARED, table, strict=True))
    (folder / "distances.csv").write_text(text.getvalue(), encoding="utf-8", newline="")
    (folder / "tour.html").write_text(page(taxonomy, matching, tables), encoding="utf-8")
    return [
        ("matching.csv", "every value with its concept, how it was found, and how often it occurs"),
        ("distances.csv", f"the six diagnoses by {len(tables)} measures"),
        ("tour.html", "the same for the eye: the taxonomy to unfold, the matching, the distances as a map"),
    ]


def page(taxonomy: om.Taxonomy, matching: om.Matching, tables: dict[str, NDArray[np.float64]]) -> str:
    maps = "".join(
        f"<figure><figcaption>{escape(name)}</figcaption>{shaded(table)}</figure>" for name, table in tables.items()
    )
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>ontomask: a tour</title>
<style>
body {{ font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; color: #1c2733 }}
table {{ border-collapse: collapse; margin: .5rem 0 }} td, th {{ padding: .15rem .5rem; text-align: left; font-weight: 400 }}
th {{ color: #5a6b7b }} figure {{ display: inline-block; margin: 0 2rem 1rem 0; vertical-align: top }}
figcaption {{ font-weight: 600 }} .map td {{ text-align: right; font-variant-numeric: tabular-nums; min-width: 2.6rem }}
</style>
<h1>Values by meaning</h1>
<h2>The taxonomy</h2>{taxonomy._repr_html_()}
<h2>The values of a column, placed</h2>{matching._repr_html_()}
<h2>How far apart they are</h2>
<p>Darker is nearer. <em>equality</em> is what a tool without semantics sees.</p>{maps}
</html>
"""


def shaded(table: NDArray[np.float64]) -> str:
    head = "<tr><th></th>" + "".join(f"<th>{code}</th>" for code in COMPARED) + "</tr>"
    rows = "".join(
        f"<tr><th>{code} {escape(name)}</th>"
        + "".join(
            f'<td style="background:rgba(20,110,140,{1 - d:.2f});color:{"#fff" if d < 0.45 else "#1c2733"}">{d:.2f}</td>'
            for d in row
        )
        + "</tr>"
        for (code, name), row in zip(COMPARED.items(), table, strict=True)
    )
    return f'<table class="map">{head}{rows}</table>'


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/demo"))
