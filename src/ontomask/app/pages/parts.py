"""Parts of pages: plain elements of HTML whose texts are always texts, and the controls that the steps share."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, overload

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from ontomask.app.pages.explanations import explanation
from ontomask.app.pages.plain import ROLES

__all__ = ["ROLES"]
ASSETS = Path(__file__).parents[1] / "assets"
#: What a control calls when it is used: with its value, or with nothing; may be a coroutine.
Handler = Callable[..., Any]
Item = TypeVar("Item")
Made = TypeVar("Made", bound=Element)


class Field(Element, component=ASSETS / "om_field.js"):
    """A labelled control."""


class Grid(Element, component=ASSETS / "om_grid.js"):
    """A table of any length."""


class Tree(Element, component=ASSETS / "om_tree.js"):
    """A taxonomy, opened node by node."""


class Upload(Element, component=ASSETS / "om_upload.js"):
    """A place to drop a file."""


class Dialog(Element, component=ASSETS / "om_dialog.js"):
    """A dialog or a drawer."""


class Theme(Element, component=ASSETS / "om_theme.js"):
    """The switch between light and dark."""


class RiskMap(Element, component=ASSETS / "om_map.js"):
    """The risk-utility map."""


class Keep(Element, component=ASSETS / "om_keep.js"):
    """Content that is drawn anew without a jump."""


class Tag(TextElement):
    """An element of HTML with a text. The text is a text: nothing in it is markup."""

    def __init__(self, tag: str, text: str) -> None:
        super().__init__(tag=tag, text=text)


@overload
def tag(name: str, text: str, classes: str = "", **attributes: Any) -> Tag: ...
@overload
def tag(name: str, text: None = None, classes: str = "", **attributes: Any) -> Element: ...
def tag(name: str, text: str | None = None, classes: str = "", **attributes: Any) -> Element:
    """An element of HTML. An attribute ``aria_label`` is written ``aria-label``; None leaves it out."""
    made = Element(name) if text is None else Tag(name, text)
    return dressed(made, classes, attributes)


def dressed(made: Made, classes: str, attributes: Mapping[str, Any]) -> Made:
    if classes:
        made.classes(classes)
    for key, value in attributes.items():
        if value is not None:
            made.props[key.rstrip("_").replace("_", "-")] = value
    return made


def on(element: Element, event: str, handler: Handler, *, value: bool = False) -> Element:
    """Call the handler on an event; with ``value`` it gets what the event carries, else nothing about it is sent."""
    if value:
        return element.on(event, lambda told: handler(told.args))
    return element.on(event, lambda _: handler(), args=[])


def heading(level: int, text: str, **attributes: Any) -> Tag:
    return tag(f"h{level}", text, **attributes)


def paragraph(text: str, classes: str = "", **attributes: Any) -> Tag:
    return tag("p", text, classes, **attributes)


def button(text: str, handler: Handler, classes: str = "", **attributes: Any) -> Element:
    made = tag("button", text, classes, type="button", **attributes)
    return on(made, "click", handler)


def link(text: str, address: str, classes: str = "", **attributes: Any) -> Element:
    return tag("a", text, classes, href=address, **attributes)


def field(
    label: str,
    value: Any = "",
    handler: Handler | None = None,
    *,
    kind: str = "text",
    options: Mapping[str, str] | Sequence[Mapping[str, Any]] | None = None,
    **settings: Any,
) -> Field:
    """A labelled control; the handler gets its value."""
    made = Field()
    made.props["label"], made.props["kind"], made.props["value"] = label, kind, value
    if options is not None:
        chosen = options.items() if isinstance(options, Mapping) else None
        made.props["options"] = [{"value": v, "label": t} for v, t in chosen] if chosen is not None else list(options)
    dressed(made, "", settings)
    if handler is not None:
        on(made, "change", handler, value=True)
    return made


def notice(text: str, tone: str = "") -> Element:
    """A sentence that must not be overlooked."""
    with tag("div", None, f"notice {tone}", role="alert" if tone == "bad" else "status") as made:
        paragraph(text)
    return made


def why(key: str) -> Element:
    """A paragraph that unfolds: why a figure matters, and what it does not say."""
    with tag("details", None, "why") as made:
        tag("summary", "Why?")
        paragraph(explanation(key))
    return made


def figure(name: str, value: str, sentence: str, key: str) -> Element:
    """One figure, with what it says in words and why it matters."""
    with tag("div", None, "figure") as made:
        tag("div", name, "figure-name")
        tag("div", value, "figure-value")
        paragraph(sentence, "figure-sentence")
        why(key)
    return made


def badge(text: str, classes: str = "") -> Element:
    return tag("span", text, f"badge {classes}")


def facts(pairs: Sequence[tuple[str, str]]) -> Element:
    with tag("dl", None, "facts") as made:
        for name, text in pairs:
            tag("dt", name)
            tag("dd", text)
    return made


def plain_table(
    heads: Sequence[str], rows: Sequence[Sequence[Any]], *, numbers: Sequence[int] = (), label: str = ""
) -> Element:
    """A short table of texts. A cell may also be a function that fills it."""
    with tag("div", None, "scroll") as made, tag("table", None, "plain", aria_label=label or None):
        with tag("thead"), tag("tr"):
            for place, head in enumerate(heads):
                tag("th", head, "number" if place in numbers else "", scope="col")
        with tag("tbody"):
            for row in rows:
                with tag("tr"):
                    for place, cell in enumerate(row):
                        if callable(cell):
                            with tag("td"):
                                cell()
                        else:
                            tag("td", str(cell), "number" if place in numbers else "")
    return made


#: Rows of a long list of columns that are drawn at once: a page of thousands of elements would keep everybody waiting.
PORTION = 50


def portion(view: Any, name: str, items: Sequence[Item], label: Callable[[Item], str], noun: str) -> list[Item]:
    """The part of a long list that is drawn now, below a search and two buttons for the rest; a short list is drawn whole."""
    if len(items) <= PORTION:
        return list(items)
    kept = view.kept.setdefault(("portion", name), {"from": 0, "text": ""})
    text = kept["text"].casefold().strip()
    found = [item for item in items if text in label(item).casefold()]
    start = min(kept["from"], max(0, len(found) - 1) // PORTION * PORTION)

    def go(place: int) -> Handler:
        async def act() -> None:
            kept["from"] = max(0, place)
            await view.draw()

        made: Handler = view.safely(act)
        return made

    async def search(wanted: str) -> None:
        kept["text"], kept["from"] = wanted, 0
        await view.draw()

    with tag("div", None, "row", role="group", aria_label=f"Part of the {noun}"):
        field(
            f"Find in the {noun}", kept["text"], view.safely(search), kind="search", name=f"find-in-{name}", delay=400
        )
        last = min(start + PORTION, len(found))
        tag(
            "span",
            f"{start + 1:,} to {last:,} of {len(found):,} {noun}" if found else "nothing found",
            "help",
            role="status",
        )
        for word, place, there in (("Previous", start - PORTION, start > 0), ("Next", last, last < len(found))):
            button(word, go(place), "small", aria_label=f"{word} {noun}", disabled=None if there else True)
    return found[start:last]


def bullets(texts: Sequence[str], classes: str = "list") -> Element:
    with tag("ul", None, classes) as made:
        for text in texts:
            tag("li", text)
    return made


def chart(svg: str, alt: str) -> Element:
    """A drawing of the library as a picture: scripts in it could not run."""
    data = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    return tag("img", None, "chart", src=f"data:image/svg+xml;base64,{data}", alt=alt)


def upload(
    src: str, label: str, hint: str, done: Handler, *, accept: str = "", most: int | None = None, compact: bool = False
) -> Upload:
    """A place to drop a file; ``done`` gets what the server said of it."""
    made = Upload()
    dressed(made, "", {"src": src, "label": label, "hint": hint, "accept": accept, "most": most, "compact": compact})
    on(made, "uploaded", done, value=True)
    return made


def timer(seconds: float, handler: Handler) -> ui.timer:
    return ui.timer(seconds, handler, immediate=False)
