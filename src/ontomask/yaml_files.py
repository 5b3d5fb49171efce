"""Reading YAML files that people write: the line of every slip, no key twice, files looked for beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from ontomask.errors import PolicyError
from ontomask.taxonomy.catalog import list_taxonomies

#: Gives the line of a path such as ("sets", 2, "where"), as "line 12".
Lines = Callable[[tuple[Any, ...]], str]


def refuse_repeated_keys(node: yaml.MappingNode, remedy: str) -> None:
    """A key that stands twice is an error, not the last one's victory."""
    seen: dict[str, int] = {}
    for key, _ in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise PolicyError("a key is no text", where=f"line {line}", remedy="Keys are words.")
        if key.value in seen and key.tag != "tag:yaml.org,2002:merge":
            raise PolicyError(
                f"the key {key.value!r} stands in line {seen[key.value]} already", where=f"line {line}", remedy=remedy
            )
        seen[key.value] = line


def parsed(file: Path, loader: type[Any]) -> tuple[str, Any, Any]:
    """The text of a file, its nodes, which know their lines, and what they say."""
    try:
        text = file.read_text(encoding="utf-8-sig")
        loading = loader(text)
        root = loading.get_single_node()
        return text, root, (loading.construct_document(root) if root is not None else None)
    except UnicodeDecodeError:
        raise PolicyError("the file is not UTF-8 text", where=str(file), remedy="Save it as UTF-8.") from None
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        what = getattr(problem, "problem", None) or "it holds characters that no text file should"
        raise PolicyError(
            f"this is no YAML: {what}",
            where=f"{file}{line}",
            remedy="Check colons, quotes and how far lines are indented (blanks, no tabs).",
        ) from None
    except PolicyError as problem:
        raise PolicyError(problem.what, where=f"{file}, {problem.where}", remedy=problem.remedy) from None


def look_beside(folder: Path, settings: dict[Any, Any], keys: Iterable[str]) -> None:
    """Files that some settings name are looked for in the folder; a name of the catalog is none."""
    for key in keys:
        name = settings.get(key)
        if not isinstance(name, str) or not name or name in list_taxonomies():
            continue
        with suppress(OSError):  # a name too long for a file is none
            if (folder / name).exists():
                settings[key] = str(folder / name)


def line_finder(root: Any) -> Lines:
    """The line of a path in the file; that of the last part that is really there."""

    def find(path: tuple[Any, ...]) -> str:
        node, line = root, 1
        for part in path:
            if isinstance(node, yaml.MappingNode):
                found = next(((k, v) for k, v in node.value if k.value == str(part)), None)
                if found is None:
                    continue  # a level that the file does not have: the kind of a union, the only one of several
                line, node = found[0].start_mark.line + 1, found[1]
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                node = node.value[part]
                line = node.start_mark.line + 1
        return f"line {line}"

    return find
