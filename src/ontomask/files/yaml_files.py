"""Reading YAML files that people write: the line of every slip, no key twice, files looked for beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from ontomask.arguments import short
from ontomask.errors import PolicyError
from ontomask.files.regular_files import kind_of, open_regular

#: Gives the line of a path such as ("sets", 2, "where"), as "line 12".
Lines = Callable[[tuple[Any, ...]], str]


#: Of a file: bytes, values and keys, how deep they are nested; digits of a number.
LARGEST, MOST_NODES, DEEPEST, LONGEST_NUMBER = 5 << 20, 200_000, 50, 100


class Limited:
    """For a loader: a file of others cannot make a small text a huge one, nor go deeper than a person would write."""

    _depth = _nodes = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        loader: Any = self
        event = loader.peek_event()
        line = f"line {event.start_mark.line + 1}"
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise PolicyError(
                "anchors (&name) and aliases (*name) are not allowed", where=line, remedy="Write it out each time."
            )
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise PolicyError(f"more than {MOST_NODES:,} keys and values", where=line, remedy="Is it the right file?")
        self._depth += 1
        if self._depth > DEEPEST:
            raise PolicyError(f"nested more than {DEEPEST} deep", where=line, remedy="Is it the right file?")
        node = super().compose_node(parent, index)  # type: ignore[misc]
        self._depth -= 1
        return node

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)  # type: ignore[misc]
        except PolicyError:
            raise
        except (ValueError, OverflowError):  # the 31st of February
            raise PolicyError(
                f"{short(repr(node.value), 40)} is not a date or number",
                where=f"line {node.start_mark.line + 1}",
                remedy="Correct it, or put it in quotes to have it as text.",
            ) from None


def decimal_numbers(loader: type[Any]) -> None:
    """Let a loader take nothing but decimal numbers for numbers: no octals, no times, no underscores."""
    tags = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:merge")
    loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in known if tag not in tags]
        for first, known in loader.yaml_implicit_resolvers.items()
    }
    loader.add_implicit_resolver(tags[0], re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z"), list("-+0123456789"))
    number = r"(?:[-+]?[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?\Z|[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z"
    loader.add_implicit_resolver(tags[1], re.compile(number), list("-+0123456789."))


def require_regular(file: Path) -> None:
    """An error if the file is a pipe, a device or a socket."""
    kind = kind_of(file)
    if kind is not None:
        raise PolicyError(f"it is {kind}, not a file", where=str(file), remedy="Save its contents as a file first.")


def _text(file: Path) -> str:
    try:
        with open_regular(file) as stream:
            data = stream.read(LARGEST + 1)
    except OSError as problem:
        raise PolicyError(
            f"the file cannot be read ({problem.strerror})", where=str(file), remedy="Check the path and your rights."
        ) from None
    if len(data) > LARGEST:
        raise PolicyError(f"the file has more than {LARGEST >> 20} MB", where=str(file), remedy="Is it the right file?")
    return data.decode("utf-8-sig")


def refuse_repeated_keys(node: yaml.MappingNode, remedy: str) -> None:
    """A key that stands twice is an error, not the last one's victory."""
    seen: dict[str, int] = {}
    for key, _ in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise PolicyError("a key is not text", where=f"line {line}", remedy="Keys are words.")
        if key.value == "<<" and key.style is None:  # in quotes it is a name
            raise PolicyError("merge keys (<<) are not allowed", where=f"line {line}", remedy="Write it out.")
        if key.value in seen:
            raise PolicyError(
                f"the key {key.value!r} stands in line {seen[key.value]} already", where=f"line {line}", remedy=remedy
            )
        seen[key.value] = line


def parsed(file: Path, loader: type[Any]) -> tuple[str, Any, Any]:
    """The text of a file, its nodes, which know their lines, and what they say."""
    try:
        text = _text(file).replace("\r\n", "\n").replace("\r", "\n")
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
            f"this is not valid YAML: {what}",
            where=f"{file}{line}",
            remedy="Check colons, quotes and how far lines are indented (blanks, no tabs).",
        ) from None
    except PolicyError as problem:
        if problem.where == str(file):
            raise
        raise PolicyError(problem.what, where=f"{file}, {problem.where}", remedy=problem.remedy) from None


def look_beside(folder: Path, settings: dict[Any, Any], keys: Iterable[str], known: Collection[str]) -> None:
    """Make the files that settings name paths in the folder, where they exist there; ``known`` names are not files."""
    for key in keys:
        name = settings.get(key)
        if not isinstance(name, str) or not name or name in known:
            continue
        with suppress(OSError):  # a name too long for a file
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
