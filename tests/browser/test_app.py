"""The app in a real browser, as a steward uses it: from a file to a release, and what can go wrong on the way."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

import ontomask as om
from ontomask.app.projects import Project
from tests.browser.steward import Server, Steward

pytestmark = pytest.mark.browser

#: The issue asks for at most so many from the first page to the finished report.
MOST_ACTIONS = 40
EVIL = "<img src=x onerror=\"document.title='owned'\">"


def project_of(steward: Steward) -> Path:
    """The folder of the project that is shown."""
    return steward.server.folder / str(steward.browser.evaluate("location.pathname.split('/')[2]"))


def rows_of(file: Path) -> list[list[str]]:
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.reader(opened))


@pytest.fixture(scope="session")
def discharges(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some stays as a file with semicolons."""
    file = tmp_path_factory.mktemp("files") / "discharges.csv"
    om.demo_data(400, seed=4).write_csv(file, separator=";")
    return file


def test_the_demo_from_the_first_page_to_the_report(steward: Steward, downloads: Path, tmp_path: Path) -> None:
    steward.go("#demo")
    steward.sees("Every column")
    steward.go("#next")
    steward.sees("What could each column give away?")
    steward.role("race", "other")
    steward.sees("6 quasi-identifier")
    steward.go("#next")
    steward.sees("There is nothing to repair here")
    steward.go("#next")
    steward.sees("Which columns do it?")
    steward.go("#next")
    steward.run()
    assert "Satisfied" in steward.text()
    release = steward.fetch("#release", downloads)
    report = steward.fetch("#report", downloads)
    internal = steward.fetch("#internal-report", downloads)
    policy = steward.fetch("#policy-file", downloads)
    assert steward.actions <= MOST_ACTIONS
    table = pl.read_csv(release, infer_schema=False)
    assert table.height == 2_000
    assert (
        table.group_by(["age", "sex", "length_of_stay", "diagnosis", "secondary_diagnosis", "procedure"])
        .len()["len"]
        .min()
        >= 5
    )  # type: ignore[operator]
    assert "SATISFIED" in report.read_text(encoding="utf-8")
    assert internal.read_text(encoding="utf-8") != report.read_text(encoding="utf-8")

    # The command line does the same with the policy and the secret of the run: the same bytes.
    folder = project_of(steward)
    secret = next(folder.glob("runs/*/result/confidential/secret.txt"))
    command = [
        sys.executable,
        "-m",
        "ontomask",
        "run",
        str(policy),
        str(folder / "data.csv"),
        "-o",
        str(tmp_path / "again"),
    ]
    subprocess.run([*command, "--secret", str(secret), "--no-report", "--quiet"], check=True)
    assert (tmp_path / "again" / "release" / "release.csv").read_bytes() == release.read_bytes()


def test_a_file_by_another_method(steward: Steward, downloads: Path, discharges: Path) -> None:
    steward.begin(discharges)
    assert "semicolon ;" in steward.text()
    for step in ("roles", "meaning", "risk"):
        steward.go("#next")
        assert steward.browser.evaluate("location.pathname").endswith(step)
    steward.sees("Find my own record")
    steward.write("find-sex", "female")
    steward.click("#find")
    steward.sees("records share this combination of sex")
    steward.go("#next")
    steward.click("[data-name=method-generalization]")
    steward.sees("✓ chosen")
    steward.browser.wait_until("document.querySelector('article.chosen h3')?.textContent === 'Generalization'")
    steward.run()
    steward.click("[data-name=order][value=changed]")
    steward.browser.wait_until("document.querySelectorAll('mark').length > 5")
    rows = rows_of(steward.fetch("#release", downloads))
    assert len(rows) > 1


def test_values_that_do_not_match_are_repaired(steward: Steward, tmp_path: Path) -> None:
    codes = ["250.00", "486", "428.0", "diabetis mellitus", "Diabetis  mellitus", "holiday", "hartt failur"]
    file = tmp_path / "coded.csv"
    lines = [f"{20 + place % 40},{codes[place % len(codes)]}" for place in range(140)]
    file.write_text("age,diagnosis\n" + "\n".join(lines) + "\n", encoding="utf-8")
    steward.begin(file)
    steward.visit(f"/p/{project_of(steward).name}/meaning")
    steward.browser.wait_until("!!document.querySelector('select[data-name=column]')")
    steward.choose("taxonomy", "icd9cm")
    steward.sees("4 values without a concept")
    text = steward.text()
    assert "% alike" in text
    steward.click("All 2 spellings")
    steward.sees("2 values without a concept")
    steward.browser.evaluate("document.querySelector('[aria-label=\"Value holiday\"] input').focus()")
    steward.browser.call("Input.insertText", text="fever unspecified")
    steward.sees("780.60")
    steward.click("holiday means 780.60 Fever, unspecified")
    steward.sees("1 value without a concept")
    steward.click("Leave hartt failur for now")
    steward.sees("1 value left for now")
    steward.browser.call("Page.reload")  # what was left stays so
    time.sleep(0.5)
    steward.ready()
    steward.sees("1 value left for now")
    assert "hartt failur means" not in steward.text()
    steward.click("#take-up")
    steward.browser.wait_until("!!document.querySelector('[aria-label=\"Value hartt failur\"]')")
    mapping = om.Policy.load(project_of(steward) / "policy.yaml").attributes["diagnosis"].mapping  # type: ignore[union-attr]
    assert mapping["diabetis mellitus"] == mapping["Diabetis  mellitus"] != ""
    assert mapping["holiday"] == "780.60"


def test_the_policy_is_edited_both_ways(steward: Steward, discharges: Path) -> None:
    steward.begin(discharges)
    steward.visit(f"/p/{project_of(steward).name}/method")
    policy = project_of(steward) / "policy.yaml"
    before = policy.read_text(encoding="utf-8")
    steward.click("#policy")
    steward.browser.wait_until("document.querySelector('[data-name=policy-text]')?.value.includes('attributes')")
    steward.write("policy-text", "attributes: {age: {kind: numbr}}")
    steward.sees("Nothing was changed.")
    assert policy.read_text(encoding="utf-8") == before
    steward.write("policy-text", before.replace("k: 5", "k: 7"))
    steward.sees("Saved and in use.")
    steward.click("Close")
    steward.browser.wait_until("!document.querySelector('dialog[open]')")
    steward.browser.wait_until("document.querySelector('[data-name=k]').value === '7'")
    steward.write("k", "6")
    steward.sees("6-anonymity")
    steward.click("#policy")
    steward.browser.wait_until("document.querySelector('[data-name=policy-text]')?.value.includes('k: 6')")
    # Another tab, or a program, changes the policy: this page shows it, and does not write the old one back.
    newer = policy.read_text(encoding="utf-8").replace("k: 6", "k: 8")
    Project(project_of(steward), 0).set_policy_text(newer)
    steward.browser.wait_until("document.querySelector('[data-name=policy-text]')?.value.includes('k: 8')")
    steward.browser.wait_until("document.querySelector('[data-name=k]').value === '8'")
    assert policy.read_text(encoding="utf-8") == newer


def test_a_failing_release_needs_a_reason(steward: Steward, downloads: Path, discharges: Path) -> None:
    steward.begin(discharges)
    steward.visit(f"/p/{project_of(steward).name}/method")
    steward.click("[data-name=method-rank_swapping]")
    steward.browser.wait_until("document.querySelector('article.chosen h3')?.textContent === 'Rank swapping'")
    steward.run()
    steward.sees("Not satisfied")
    assert not steward.browser.evaluate("!!document.querySelector('#release')")
    steward.click("#record")
    steward.sees("not a sentence")
    steward.write("reason", "The board agreed to share this with one partner.")
    steward.click("#record")
    steward.sees("Recorded reason: The board agreed")
    assert len(rows_of(steward.fetch("#release", downloads))) == 401


def test_what_the_data_say_is_text(steward: Steward, tmp_path: Path) -> None:
    file = tmp_path / "a&b <b>bold<b> '\" :x.csv"
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow([EVIL, ":code", "{{ 7 * 7 }}", "age"])
        for place in range(60):
            writer.writerow(
                [
                    "<script>document.title='owned'</script>",
                    f":alert({place % 3})",
                    EVIL if place % 2 else "b",
                    20 + place % 9,
                ]
            )
    steward.begin(file)
    shown = steward.text()
    assert EVIL in shown
    assert "<b>bold<b>" in shown
    for step in ("roles", "meaning", "risk", "method"):
        steward.visit(f"/p/{project_of(steward).name}/{step}")
        steward.browser.wait_until("document.querySelectorAll('main h1').length === 1")
        assert (
            steward.browser.evaluate(
                "document.querySelectorAll('main img:not(.chart), main script, main b > b').length"
            )
            == 0
        )
        assert steward.browser.evaluate("document.title") != "owned"
    steward.visit(f"/p/{project_of(steward).name}/roles")
    assert EVIL in steward.text()
    assert "{{ 7 * 7 }}" in steward.text()
    steward.visit("/")
    assert "<b>bold<b>" in steward.text()
    assert steward.browser.evaluate("document.title") != "owned"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "empty"),
        ("picture.xlsx", b"\x89PNG\r\n\x1a\n" + bytes(200), "Excel"),
        ("program.exe", b"MZ" + bytes(100), "format"),
    ],
)
def test_a_wrong_file_gets_one_message(
    steward: Steward, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    steward.expected = ["Failed to load resource"]  # the refusal of the upload
    steward.go("#new")
    steward.upload(file)
    steward.browser.wait_until("!!document.querySelector('main .error, main .notice.bad')")
    told = steward.browser.evaluate("document.querySelector('main .error, main .notice.bad').innerText")
    assert message.lower() in told.lower()
    assert str(steward.server.folder) not in told


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough records for a run that takes a while."""
    file = tmp_path_factory.mktemp("files") / "many.csv"
    om.demo_data(6_000, seed=1).write_csv(file)
    return file


def test_a_run_is_cancelled_and_a_reload_finds_it_again(steward: Steward, many: Path) -> None:
    steward.begin(many)
    steward.visit(f"/p/{project_of(steward).name}/method")
    steward.click("#run")
    steward.sees("Making the release")
    steward.browser.call("Page.reload")
    time.sleep(0.5)
    steward.ready()
    steward.sees("Making the release")
    assert steward.browser.evaluate("!!document.querySelector('progress')")
    steward.click("#cancel")
    steward.sees("The last job was cancelled")
    assert steward.browser.evaluate("!!document.querySelector('#run')")
    assert not list(project_of(steward).glob("runs/*/result"))


def test_what_failed_is_tried_again(steward: Steward, discharges: Path) -> None:
    steward.begin(discharges)
    folder = project_of(steward)
    steward.visit(f"/p/{folder.name}/risk")
    steward.sees("Which columns do it?")
    (job,) = [file for file in folder.glob("runs/*/job.json") if json.loads(file.read_text())["kind"] == "risk"]
    failed = json.loads(job.read_text()) | {"state": "failed", "error": "There was no memory. Try later."}
    job.write_text(json.dumps(failed))
    steward.visit(f"/p/{folder.name}/roles")
    steward.visit(f"/p/{folder.name}/risk")
    steward.sees("There was no memory. Try later.")
    assert "Which columns do it?" not in steward.text()
    steward.click("Try again")
    steward.sees("Which columns do it?")
    assert "There was no memory" not in steward.text()


def test_of_many_columns_a_page_shows_a_part(steward: Steward, tmp_path: Path) -> None:
    file = tmp_path / "wide.csv"
    rows = [",".join(str((place * 7 + at * at) % (3 + at % 5)) for at in range(60)) for place in range(40)]
    file.write_text("\n".join([",".join(f"item {at}" for at in range(60)), *rows]) + "\n", encoding="utf-8")
    steward.begin(file)
    steward.sees("1 to 50 of 60 columns")
    steward.visit(f"/p/{project_of(steward).name}/roles")
    steward.click("Next columns")
    steward.sees("51 to 60 of 60 columns")
    steward.role("item 57", "sensitive")
    steward.sees("1 sensitive")
    steward.write("find-in-roles", "item 5")
    steward.sees("1 to 11 of 11 columns")


def test_a_run_survives_the_end_of_the_server(
    app_browser: object, many: Path, tmp_path: Path, steward: Steward
) -> None:
    server = Server(tmp_path / "own")
    somebody = Steward(steward.browser, server)
    somebody.arrive()
    somebody.begin(many)
    somebody.visit(f"/p/{project_of(somebody).name}/method")
    somebody.click("#run")
    somebody.sees("Making the release")
    time.sleep(1)
    server.kill()
    again = Server(tmp_path / "own", server.port)
    try:
        # The page finds the new server by itself; the job went on meanwhile.
        somebody.sees("The release with these settings is done", 180)
        steward.expected = [
            "ERR_CONNECTION_REFUSED",
            "WebSocket connection",
            "ERR_EMPTY_RESPONSE",
            "ERR_CONNECTION_RESET",
        ]
    finally:
        steward.browser.events[:] = [e for e in steward.browser.events if str(server.port) not in str(e)]
        again.close()


def test_projects_are_deleted_with_their_data(steward: Steward, discharges: Path) -> None:
    steward.begin(discharges)
    folder = project_of(steward)
    title = steward.browser.evaluate("document.querySelector('.project-name').textContent")
    steward.visit("/")
    steward.click(f"[data-project='{folder.name}'] .danger")
    steward.click("Keep it")
    assert folder.is_dir()
    steward.click(f"[data-project='{folder.name}'] .danger")
    steward.click("Delete for good")
    steward.sees("Deleted, with all its data.")
    assert title
    assert not folder.exists()


def test_the_keyboard_is_enough(steward: Steward, discharges: Path) -> None:
    def enter() -> None:
        before = steward.browser.evaluate("location.href + performance.timeOrigin")
        steward.browser.press("Enter", 13)
        steward.browser.wait_until(f"location.href + performance.timeOrigin !== '{before}'")
        steward.ready()

    steward.tab_to("Open the demo")
    enter()
    steward.sees("Every column")
    steward.tab_to("Next: Roles")
    enter()
    steward.sees("What could each column give away?")
    steward.tab_to("role-race")
    steward.browser.press("ArrowRight", 39)
    steward.sees("6 quasi-identifier")
    for link in ("Next: Meaning", "Next: Risk before", "Next: Method"):
        steward.tab_to(link)
        enter()
    steward.sees("How shall it be masked?")
    steward.tab_to("Anonymize")
    steward.browser.press("Enter", 13)
    steward.sees("The release with these settings is done")
    steward.tab_to("See the result")
    enter()
    steward.sees("Before and after")
    steward.tab_to("Download the release")


@pytest.mark.slow
def test_a_hundred_thousand_rows_scroll(steward: Steward, tmp_path: Path) -> None:
    file = tmp_path / "tall.csv"
    om.demo_data(100_000, seed=1).write_csv(file)
    steward.begin(file)
    assert steward.browser.evaluate("document.querySelectorAll('.grid-row').length") < 40
    steward.browser.evaluate("(g => { g.scrollTop = g.scrollHeight })(document.querySelector('.grid-scroll'))")
    steward.browser.wait_until("document.querySelector('.grid').innerText.includes('100,000')")
    steward.browser.wait_until("!document.querySelector('.grid-body').innerText.includes('…')")
    assert steward.browser.evaluate("document.querySelectorAll('.grid-row').length") < 40


@pytest.mark.slow
def test_two_hundred_megabytes_are_uploaded(steward: Steward, tmp_path: Path) -> None:
    file = tmp_path / "large.csv"
    row = "64,female,White,3,15500,654.21,664.81,73.59," + "x" * 1_000 + "\n"
    with file.open("w", encoding="utf-8") as opened:
        opened.write("age,sex,race,length_of_stay,charge,diagnosis,secondary_diagnosis,procedure,text\n")
        opened.writelines(row for _ in range(200_000))
    assert file.stat().st_size > 200_000_000
    steward.go("#new")
    steward.upload(file)
    steward.browser.wait_until(
        "/MB of .* MB, \\\\d+%/.test(document.body.innerText) || document.body.innerText.includes('Reading')"
    )
    steward.sees("Every column", 240)
    assert "200,000 records" in steward.text()
