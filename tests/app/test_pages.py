"""Pages keep nobody waiting: what takes a while is not done by the thread that answers everybody."""

from __future__ import annotations

import ast
import asyncio
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import ontomask.app
from ontomask.app import policy_edits
from ontomask.app.pages import parts
from ontomask.app.pages.view import View

PAGES = sorted((Path(ontomask.app.__file__).parent / "pages").glob("*.py"))
#: What changes a policy: each reads a text, which takes a while if it is long.
EDITS = {name for name in policy_edits.__all__ if name.startswith(("set_", "use_"))} | {"set_policy_text"}


def called_at_once(tree: ast.AST) -> list[str]:
    """The edits that a module calls itself, and does not hand to a thread."""
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call.attr for call in calls if isinstance(call, ast.Attribute) and call.attr in EDITS]


def test_pages_change_policies_in_threads() -> None:
    mentioned = set()
    for page in PAGES:
        tree = ast.parse(page.read_text(encoding="utf-8"))
        assert called_at_once(tree) == [], page.name
        mentioned |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} & EDITS
    assert {"set_role", "set_k", "set_policy_text"} <= mentioned
    assert called_at_once(ast.parse("policy_edits.set_k(view.project, 5)")) == ["set_k"], "the check can fail"


def test_changes_of_a_page_come_one_after_the_other_and_beside_its_answers() -> None:
    view = View(SimpleNamespace(), SimpleNamespace(), "roles")  # type: ignore[arg-type]
    log: list[tuple[str, int]] = []
    answered: list[float] = []

    def change(project: Any, number: int) -> int:
        assert threading.current_thread() is not threading.main_thread()
        log.append(("begin", number))
        time.sleep(0.1)
        log.append(("end", number))
        return number

    async def visit() -> list[int]:
        async def others() -> None:
            while len(log) < 6:
                answered.append(time.perf_counter())
                await asyncio.sleep(0.005)

        beside = asyncio.create_task(others())
        made = await asyncio.gather(*(view.edit(change, number) for number in range(3)))
        await beside
        return made

    assert asyncio.run(visit()) == [0, 1, 2]
    assert log == [(what, number) for number in range(3) for what in ("begin", "end")]
    assert len(answered) > 10


@pytest.mark.parametrize(
    ("count", "first", "shown"), [(50, 0, 50), (51, 0, 50), (51, 50, 1), (120, 100, 20), (120, 500, 20)]
)
def test_of_many_columns_a_part_is_drawn(count: int, first: int, shown: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Nothing:
        def __enter__(self) -> None: ...
        def __exit__(self, *_: object) -> None: ...

    for name in ("tag", "field", "button"):
        monkeypatch.setattr(parts, name, lambda *_, **__: Nothing())
    view = SimpleNamespace(kept={("portion", "x"): {"from": first, "text": ""}}, safely=lambda handler: handler)
    columns = [f"c{place}" for place in range(count)]
    assert len(parts.portion(view, "x", columns, str, "columns")) == shown
    view.kept["portion", "x"] = {"from": 0, "text": "C11"}
    found = parts.portion(view, "x", columns, str, "columns")
    assert found == ([name for name in columns if "c11" in name] if count > 50 else columns)
