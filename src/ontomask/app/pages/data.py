"""Step 1, data: the file, what was detected in it and can be corrected, the table, and a profile of every column."""

from __future__ import annotations

from typing import Any

from ontomask.app.pages import parts, progress, shell
from ontomask.app.pages.plain import LONGEST_NAME, in_plain_words
from ontomask.app.pages.view import View
from ontomask.app.pages.words import number, share, size
from ontomask.app.projects import UNTITLED
from ontomask.app.uploads import data_suffixes
from ontomask.arguments import short, some_of
from ontomask.microdata.formats import FORMATS

DELIMITERS = {"": "as detected", ",": "comma ,", ";": "semicolon ;", "tab": "tab", "|": "bar |"}
ENCODINGS = {
    "": "as detected",
    "utf-8": "UTF-8",
    "cp1252": "Windows-1252 (Western Europe)",
    "latin-1": "Latin-1",
    "utf-16": "UTF-16",
}
#: Encodings that are detected and not chosen.
DETECTED = {"utf-8-sig": "UTF-8, with a byte order mark"}
DECIMALS = {"": "as detected", ".": "point .", ",": "comma ,"}
#: Options of reading that are chosen from a list.
CHOICES = (
    ("delimiter", "Delimiter", DELIMITERS),
    ("encoding", "Encoding", ENCODINGS),
    ("decimal", "Decimal sign", DECIMALS),
)


async def build(view: View) -> None:
    """Draw the step."""
    info = view.project.info
    shell.opening(
        "Which table is it?",
        "Drop a file here. It is copied into the folder of this project on this machine, and goes nowhere else."
        if info.file is None
        else "This is what was found in the file. Correct what is not right, then go on."
        if view.project.opened is not None
        else "The file is read: its format is detected and its columns are looked at.",
    )
    if info.file is None:
        _drop(view, "Choose a file, or drop it here")
        return
    working = progress.running(view, ["open"], "Reading the table")
    opened = view.project.opened
    if opened is None:
        if not working:
            _correct(view, open_=True)
        return
    _detected(view, opened)
    _table(view, opened)
    _profile(view, opened)


def _drop(view: View, label: str, *, compact: bool = False) -> None:
    async def received(told: Any) -> None:
        if view.project.info.title == UNTITLED:
            view.project.update(title=str(told["name"]))
        view.start("open")
        await view.draw()

    most = view.workspace.max_upload
    hint = f"CSV, Excel, Parquet, SPSS, Stata or SAS, up to {size(most)}"
    accept = ",".join(data_suffixes())
    parts.upload(f"{view.address}/data", label, hint, view.safely(received), accept=accept, most=most, compact=compact)


def _detected(view: View, opened: dict[str, Any]) -> None:
    file, found = view.project.info.file, opened["detected"]
    assert file is not None
    with parts.tag("section", None, "card", aria_label="The file"):
        parts.heading(2, file.name, class_="wrap")
        with parts.tag("div").style("max-width: 26rem"):
            parts.field(
                "Name of the project", view.project.info.title, view.safely(_rename(view)), name="title", delay=600
            )
        pairs = [("Size", f"{size(file.size)}, {number(opened['records'])} records, {len(opened['columns'])} columns")]
        names = {
            "format": "Format",
            "delimiter": "Delimiter",
            "encoding": "Encoding",
            "decimal": "Decimal sign",
            "sheet": "Sheet",
        }
        shown = {name: str(format.title) for name, format in FORMATS.items()} | ENCODINGS | DETECTED
        shown |= {"\t": "tab", ",": "comma ,", ";": "semicolon ;", ".": "point ."}
        pairs += [(word, shown.get(str(found[key]), str(found[key]))) for key, word in names.items() if found.get(key)]
        markers = {mark for marks in opened.get("missing_markers", {}).values() for mark in marks}
        given = view.project.info.reading.get("missing") or []
        pairs.append(("Missing values", "empty cells" + "".join(f", “{mark}”" for mark in sorted({*given}))))
        if markers - {*given}:
            pairs.append(("In some columns", ", ".join(f"“{mark}”" for mark in sorted(markers - {*given}))))
        parts.facts(pairs)
        _reopened(opened)
        columns = [str(column["name"]) for column in opened["columns"]]
        for note in _notes(opened):
            parts.paragraph(in_plain_words(note, columns), "help")
    _correct(view)


def _notes(opened: dict[str, Any]) -> list[str]:
    """What is to be said of how the file was read; of marks that are taken for missing values only that they are."""
    found = opened["detected"]
    taken = opened.get("missing_markers") or {}
    superseded = tuple(f"column {name!r} holds " for name in taken)
    notes = dict.fromkeys([*found.get("notes", []), *opened.get("notes", [])])
    wanted = [note for note in notes if note != found["summary"] and not note.startswith(superseded or "\0")]
    return [note for note in wanted if not (taken and note.startswith("missing markers: "))]


def _reopened(opened: dict[str, Any]) -> None:
    """What became of earlier decisions when the file was read again."""
    if not opened.get("fits", True):
        parts.notice(
            "What you decided before does not fit the file as it is read now: everything is proposed anew.", "warn"
        )
        return
    if opened.get("kept"):
        parts.paragraph(f"Kept as you decided: {some_of(opened['kept'], 12)}.", "help", id="kept")
    if opened.get("anew"):
        parts.paragraph(
            f"Proposed otherwise than before: {some_of(opened['anew'], 12)}. Look at them in step 2.", "help", id="anew"
        )


def _rename(view: View) -> Any:
    def rename(title: Any) -> None:
        view.project.update(title=str(title))
        view.changed()

    return rename


def _correct(view: View, *, open_: bool = False) -> None:
    file, reading = view.project.info.file, view.project.info.reading
    assert file is not None
    taken = FORMATS[file.format].options
    wanted: dict[str, Any] = {}

    def ask(name: str, label: str, **settings: Any) -> None:
        value = reading.get(name) or ""
        shown = " ".join(value) if isinstance(value, list) else value
        parts.field(label, shown, _keeper(wanted, name), name=name, **settings)

    with parts.tag("details", None, "more", open=True if open_ else None):
        parts.tag("summary", "Something is not right? Correct it")
        with parts.tag("div", None, "card"):
            with parts.tag("div", None, "two"):
                for name, label, options in CHOICES:
                    if name in taken:
                        given = str(reading.get(name) or "")
                        ask(name, label, kind="select", options=options | ({} if given in options else {given: given}))
                if "sheet" in taken:
                    ask("sheet", "Sheet", help="its name, or its number from 1")
                ask("missing", "Texts that mean a missing value", help="separated by blanks, for example: NA 999")

            async def again() -> None:
                options = {name: str(value).split() if name == "missing" else value for name, value in wanted.items()}
                await _read_again(view, options)

            with parts.tag("div", None, "row"):
                parts.button("Read the file again", view.safely(again), id="again")
                parts.paragraph(
                    "What you decided about columns and the method stays; what you did not decide is proposed anew. "
                    "Comments that you wrote into the policy go.",
                    "help",
                )
        _drop(view, "Use another file instead", compact=True)


async def _read_again(view: View, options: dict[str, Any]) -> None:
    """Read the file with other options; what is empty is detected."""
    merged = view.project.info.reading | options
    view.start("open", reading={name: value for name, value in merged.items() if value})
    await view.draw()


def _keeper(wanted: dict[str, Any], name: str) -> Any:
    def keep(value: Any) -> None:
        wanted[name] = value

    return keep


def _table(view: View, opened: dict[str, Any]) -> None:
    parts.heading(2, "The table")
    grid = parts.Grid()
    columns = [{"name": column["name"], "note": column["type"]} for column in opened["columns"]]
    settings = {
        "src": f"{view.address}/rows?made={view.project.info.revision}",
        "columns": columns,
        "total": opened["records"],
    }
    parts.dressed(grid, "", settings | {"label": "The table", "height": 380})


def _profile(view: View, opened: dict[str, Any]) -> None:
    texts = list(view.project.info.reading.get("text") or [])

    def toggle(name: str) -> Any:
        async def act() -> None:
            await _read_again(view, {"text": [t for t in texts if t != name] if name in texts else [*texts, name]})

        return view.safely(act)

    def kind_cell(column: dict[str, Any]) -> Any:
        def fill() -> None:
            parts.tag("div", str(column["type"]))
            if column["name"] in texts:
                parts.button(
                    "read as detected",
                    toggle(column["name"]),
                    "small quiet",
                    aria_label=f"Read {column['name']} as detected",
                )
            elif column["numbers"]:
                parts.button(
                    "read as text", toggle(column["name"]), "small quiet", aria_label=f"Read {column['name']} as text"
                )

        return fill

    def cells(column: dict[str, Any]) -> tuple[Any, ...]:
        return (
            short(column["name"], LONGEST_NAME),
            kind_cell(column),
            number(column["distinct"]),
            number(column["missing"]),
            share(column["unique"]),
            _told(column),
        )

    parts.heading(2, "Every column")
    with parts.tag("section", None, "card", aria_label="Profile of every column"):
        shown = parts.portion(view, "profile", opened["columns"], lambda one: str(one["name"]), "columns")
        parts.plain_table(
            ("column", "type", "different values", "missing", "records unique on it", "what is in it"),
            [cells(column) for column in shown],
            numbers=(2, 3, 4),
        )
        parts.why("unique_values")


def _told(column: dict[str, Any]) -> str:
    numbers = column.get("numbers")
    if numbers:
        return f"{number(numbers['min'])} to {number(numbers['max'])}, median {number(numbers['median'])}"
    frequent = [f"{value} ({number(count)})" for value, count in (column.get("frequent") or [])[:4]]
    return "often: " + ", ".join(frequent) if frequent else ""
