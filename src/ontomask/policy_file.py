"""Policies as YAML files: read with the line of every slip, written with a comment on every key."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from ontomask.arguments import as_path
from ontomask.errors import MissingDataError, PolicyError
from ontomask.microdata.writing import write_text
from ontomask.policy import Policy
from ontomask.settings import translate
from ontomask.taxonomy.catalog import catalog_name, list_taxonomies
from ontomask.taxonomy.taxonomy import Taxonomy

HEAD = """\
# An ontomask policy: what the columns are, how they are masked, what the release must satisfy.
"""


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Plain YAML; a key that stands twice is an error, not the last one's victory."""


def _mapping(loader: _Loader, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
    seen: dict[Any, int] = {}
    for key, _ in node.value:
        name = loader.construct_object(key, deep=True)
        if name in seen:
            raise PolicyError(
                f"the key {name!r} stands in line {seen[name]} already",
                where=f"line {key.start_mark.line + 1}",
                remedy="A column has one kind and one role: keep one of the two.",
            )
        seen[name] = key.start_mark.line + 1
    made: dict[Any, Any] = yaml.SafeLoader.construct_mapping(loader, node, deep)
    return made


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def load_policy(path: str | Path) -> Policy:
    file = as_path(path)
    if not file.is_file():
        raise MissingDataError("there is no such policy file", where=str(file), remedy="Check the path.")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise PolicyError("the file is not UTF-8 text", where=str(file), remedy="Save it as UTF-8.") from None
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        content = loader.construct_document(root) if root is not None else None
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        line = f", line {mark.line + 1}" if mark else ""
        raise PolicyError(
            f"this is no YAML: {problem.problem}",
            where=f"{file}{line}",
            remedy="Check colons, quotes and how far lines are indented (blanks, no tabs).",
        ) from None
    except PolicyError as problem:
        raise PolicyError(problem.what, where=f"{file}, {problem.where}", remedy=problem.remedy) from None
    if not isinstance(content, dict):
        raise PolicyError(
            "there is no policy in it", where=str(file), remedy="A policy has the keys attributes, method, require."
        )
    content = _relative_to(file.parent, content)
    try:
        return Policy.model_validate(content)
    except ValidationError as wrong:
        error = translate(wrong, Policy, where=str(file), lines=_line_finder(root))
    raise error


def _relative_to(folder: Path, content: dict[Any, Any]) -> dict[Any, Any]:
    """Files that a policy names are looked for beside it."""
    for attribute in (content.get("attributes") or {}).values() if isinstance(content.get("attributes"), dict) else ():
        if not isinstance(attribute, dict):
            continue
        for key in ("taxonomy", "mapping"):
            name = attribute.get(key)
            if isinstance(name, str) and name not in list_taxonomies() and (folder / name).exists():
                attribute[key] = str(folder / name)
    return content


def _line_finder(root: Any) -> Callable[[tuple[Any, ...]], str]:
    """The line of a path in the file; that of the last part that is really there."""

    def find(path: tuple[Any, ...]) -> str:
        node, line = root, 1
        for part in path:
            if isinstance(node, yaml.MappingNode):
                found = next(((k, v) for k, v in node.value if k.value == str(part)), None)
                if found is None:
                    continue  # a name that pydantic put in for the kind of a union
                line, node = found[0].start_mark.line + 1, found[1]
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                node = node.value[part]
                line = node.start_mark.line + 1
        return f"line {line}"

    return find


# ---- writing -----------------------------------------------------------------------------------------------------


def save_policy(policy: Policy, path: str | Path, *, overwrite: bool = False) -> Path:
    return write_text(policy_text(policy), as_path(path), overwrite=overwrite)


def policy_text(policy: Policy) -> str:
    """The policy as YAML. What has its default value is left out, but for k and what a reader looks for."""
    lines = [HEAD.rstrip()]
    for name in Policy.model_fields:
        value = getattr(policy, name)
        field = Policy.model_fields[name]
        if name == "attributes":
            lines += ["", f"# {field.description}", "attributes:"]
            for column, attribute in value.items():
                lines += [f"  {_scalar(column)}:", *_block(attribute, "    ", column)]
        elif name == "method" and value is not None:
            lines += ["", f"# {field.description}", "method:", *_block(value, "  ", "method")]
        elif name == "require" and value:
            lines += ["", f"# {field.description}", "require:"]
            for model in value:
                block = list(_block(model, "    ", "require"))
                lines += [f"  - {block[0].strip()}", *block[1:]]
        elif name not in ("method", "require") and value != field.default:
            lines += ["", f"# {field.description}", f"{name}: {_scalar(value)}"]
    return "\n".join(lines) + "\n"


def _block(settings: BaseModel, indent: str, where: str) -> Iterator[str]:
    """The fields of some settings, each with its meaning."""
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        shown = name in ("kind", "name", "role", "k", "measure", "taxonomy")
        if not shown and value == field.get_default(call_default_factory=True):
            continue
        if name == "measure" and value is None:
            continue
        comment = f"  # {field.description}" if field.description else ""
        yield f"{indent}{name}: {_scalar(_plain(value, where))}{comment}"


def _plain(value: Any, where: str) -> Any:
    if isinstance(value, Taxonomy):
        known = catalog_name(value)
        if known is None:
            raise PolicyError(
                f"the taxonomy of {where!r} exists only in Python and cannot be named in a file",
                remedy="Write it with write_taxonomy(t, 'taxonomy.csv') and give that path as taxonomy=.",
            )
        return known
    if isinstance(value, Path):
        return str(value)
    return value


def _scalar(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, str) and "\n" in value:
        return json.dumps(value)  # JSON is YAML
    dumped: str = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10**6, sort_keys=False)
    return dumped.strip().removesuffix("...").strip()
