"""What stewards bring along and choose: taxonomies, severity definitions, candidates of a comparison, corrections."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

import ontomask as om
from tests.browser.steward import Steward
from tests.browser.test_app import EVIL, project_of

pytestmark = pytest.mark.browser

SEVERITY = """
title: Special values of a department
institution: A hospital
date: 2024-05-31
source: Ethics committee
columns:
  disease: {kind: flat}
sets:
  - name: malignant neoplasms
    small_class: 2.1.1
    where: {disease: {values: [cancer]}}
"""


def policy_of(steward: Steward) -> om.Policy:
    return om.Policy.load(project_of(steward) / "policy.yaml")


def step(steward: Steward, name: str) -> None:
    steward.visit(f"/p/{project_of(steward).name}/{name}")


def test_a_taxonomy_of_ones_own_whose_labels_are_text(steward: Steward, tmp_path: Path) -> None:
    taxonomy, data = tmp_path / "jobs <i>.csv", tmp_path / "people.csv"
    with taxonomy.open("w", encoding="utf-8", newline="") as opened:
        rows = [
            ["child", "parent", "label"],
            ["all", "", EVIL],
            ["care", "all", "<b>care</b>"],
            ["build", "all", "building"],
        ]
        rows += [["nurse", "care", "nurse"], ["doctor", "care", "doctor"], ["mason", "build", "mason"]]
        csv.writer(opened).writerows(rows)
    lines = [f"{30 + place % 20},{('nurse', 'doctor', 'mason', 'nusre')[place % 4]}" for place in range(80)]
    data.write_text("age,job\n" + "\n".join(lines) + "\n", encoding="utf-8")
    steward.begin(data)
    step(steward, "meaning")
    steward.click("Use a taxonomy of my own")
    steward.upload(taxonomy)
    steward.sees("1 value without a concept")
    steward.browser.wait_until(f"document.querySelector('.tree').innerText.includes({json.dumps(EVIL)})")
    steward.click("nusre means nurse nurse")
    steward.sees("There is nothing to repair here")
    assert policy_of(steward).attributes["job"].mapping == {"nusre": "nurse"}  # type: ignore[union-attr]
    steward.browser.wait_until(
        "[...document.querySelectorAll('[role=treeitem]')].some(e => e.innerText.includes('care'))"
    )
    steward.browser.evaluate(
        "[...document.querySelectorAll('[role=treeitem]')].find(e => e.innerText.includes('care')).focus()"
    )
    steward.browser.press("ArrowRight", 39)
    steward.browser.wait_until("document.querySelector('.tree').innerText.includes('doctor')")
    assert steward.browser.evaluate("document.querySelectorAll('.tree b, .tree img').length") == 0
    assert steward.browser.evaluate("document.title") != "owned"


def test_a_point_of_the_map_is_chosen(steward: Steward) -> None:
    steward.go("#demo")
    steward.sees("Every column")
    step(steward, "method")
    steward.click("What is tried")
    steward.click("[data-name=try-generalization]")
    steward.write("ks", "5, 8")
    steward.browser.evaluate("new Promise(done => setTimeout(done, 300))")
    steward.click("#compare")
    steward.sees("on the frontier", 120)
    points = steward.browser.evaluate(
        "[...document.querySelectorAll('.map-point')].map(e => e.getAttribute('aria-label'))"
    )
    assert len(points) == 4
    wanted = next(label for label in points if label.startswith("recoding, k=8"))
    steward.click(wanted)
    steward.sees("recoding, k=8 is in the policy now.")
    chosen = policy_of(steward)
    assert (chosen.method.name, chosen.method.k) == ("recoding", 8)  # type: ignore[union-attr]
    steward.browser.wait_until("document.querySelector('article.chosen h3')?.textContent === 'Recoding'")
    steward.browser.wait_until("document.querySelector('[data-name=k]').value === '8'")


def test_more_is_required(steward: Steward, tmp_path: Path) -> None:
    data = tmp_path / "cases.csv"
    lines = [f"{20 + place % 50},{('flu', 'cancer', 'asthma')[place % 3]},{place % 7}" for place in range(120)]
    data.write_text("age,disease,visits\n" + "\n".join(lines) + "\n", encoding="utf-8")
    steward.begin(data)
    step(steward, "roles")
    steward.role("disease", "sensitive")
    steward.sees("sensitive")
    step(steward, "method")
    steward.click("Require more")
    steward.choose("model", "l_diversity")
    steward.browser.wait_until("!!document.querySelector('[data-name=setting-l]')")
    steward.write("setting-l", "2")
    steward.choose("setting-attribute", "disease")
    steward.browser.evaluate("new Promise(done => setTimeout(done, 300))")
    steward.click("#require")
    steward.browser.wait_until("document.querySelector('.bar').innerText.includes('2-diversity')")
    assert [model.name for model in policy_of(steward).require] == ["k_anonymity", "l_diversity"]
    steward.click("Require more")
    steward.choose("model", "severity_diversity")
    steward.browser.wait_until("document.body.innerText.includes('Choose a severity definition')")
    severity = tmp_path / "severity.yaml"
    severity.write_text(SEVERITY, encoding="utf-8")
    steward.upload(severity, "[aria-label=Requirements] input[type=file]")
    steward.sees("Severity definition\n")
    steward.write("setting-l", "1")
    steward.browser.evaluate("new Promise(done => setTimeout(done, 300))")
    steward.click("#require")
    steward.sees("severity")
    steward.sees("O-1-diversity: not checked yet", 15)
    assert [model.name for model in policy_of(steward).require][2] == "severity_diversity"


def test_what_was_detected_is_corrected(steward: Steward, tmp_path: Path) -> None:
    data = tmp_path / "codes.csv"
    lines = [f"{20 + place % 50},{1_000 + place % 9},{'NA' if place % 5 == 0 else 'x'}" for place in range(60)]
    data.write_text("age,code,group\n" + "\n".join(lines) + "\n", encoding="utf-8")
    steward.begin(data)
    steward.click("Read code as text")
    steward.sees("read as detected")
    steward.click("Something is not right? Correct it")
    steward.write("missing", "NA")
    steward.browser.evaluate("new Promise(done => setTimeout(done, 500))")
    steward.click("#again")
    steward.sees("“NA”")
    steward.sees("Every column")
    rows = steward.browser.evaluate("[...document.querySelectorAll('main .plain tbody tr')].map(r => r.innerText)")
    assert next(row for row in rows if row.startswith("code")).split("\t")[1].strip().startswith("text")
    assert next(row for row in rows if row.startswith("group")).split("\t")[3].strip() == "12"


@pytest.mark.slow
def test_a_taxonomy_of_350_000_concepts_opens(steward: Steward, tmp_path: Path) -> None:
    rng = random.Random(1)
    taxonomy, data = tmp_path / "large.csv", tmp_path / "few.csv"
    with taxonomy.open("w", encoding="utf-8") as opened:
        opened.write("child,parent\nroot,\n")
        opened.writelines(
            f"c{place},{'root' if place < 2_000 else f'c{rng.randrange(place // 2)}'}\n" for place in range(350_000)
        )
    data.write_text(
        "age,code\n" + "\n".join(f"{place % 60},c{place * 997 % 350_000}" for place in range(300)) + "\n",
        encoding="utf-8",
    )
    steward.begin(data)
    step(steward, "roles")
    steward.role("code", "quasi")
    step(steward, "meaning")
    steward.click("Use a taxonomy of my own")
    steward.upload(taxonomy)
    steward.sees("There is nothing to repair here", 180)
    steward.browser.wait_until("document.querySelectorAll('[role=treeitem]').length > 200")
    assert "1,800 more" in steward.text(".tree")
    steward.browser.evaluate("[...document.querySelectorAll('[role=treeitem]')][1].focus()")
    steward.browser.press("ArrowRight", 39)
    steward.browser.wait_until("!!document.querySelector('[role=treeitem][aria-level=\"3\"]')", 5)
