"""Changes of a policy file in place: what is not changed stays as it is written."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

import ontomask as om
from ontomask.files import yaml_files
from ontomask.policy.policy_file import policy_text
from ontomask.policy.policy_patch import patched_text

#: As somebody writes it: own comments, own order, own quotes, an indentation of three.
WRITTEN = """\
# Agreed with the ethics board on the 3rd of May.

method:
   # five, as in our rules
   k: 5  # see rule 12
   name: microaggregation

attributes:
   # known to neighbours
   age:
      kind: numeric
      role: quasi  # asked twice
   "sex":   # as registered
      kind: flat
      # not a guess
      role: quasi

   illness: {kind: flat, role: sensitive}
   town:
      kind: flat
      role: other

require:
   # for the registry
   - name: k_anonymity
     k: 5   # the same as above
   # for the board
   - name: l_diversity
     l: 2
     attribute: illness
# the end
"""


def said(text: str, folder: Path) -> om.Policy:
    file = folder / "p.yaml"
    file.write_text(text, encoding="utf-8")
    return om.Policy.load(file)


def changed(folder: Path, change: Callable[[om.Policy], om.Policy], text: str = WRITTEN) -> str:
    before = said(text, folder)
    after = change(before)
    made = patched_text(text, before, after, folder)
    assert made is not None
    assert said(made, folder) == after
    return made


def comments(text: str) -> list[str]:
    return [line.split("# ", 1)[1] for line in text.splitlines() if "# " in line]


def column(policy: om.Policy, name: str, **settings: object) -> om.Policy:
    return policy.changed(attributes={**policy.attributes, name: policy.attributes[name].changed(**settings)})


def test_a_change_of_a_setting_is_a_change_of_its_line(tmp_path: Path) -> None:
    made = changed(tmp_path, lambda policy: column(policy, "sex", role="other"))
    assert made == WRITTEN.replace(
        "      role: quasi\n\n   ill", "      role: other  # quasi (masked), sensitive or other\n\n   ill"
    )
    made = changed(tmp_path, lambda policy: column(policy, "age", role="other"))
    assert made == WRITTEN.replace("role: quasi  # asked twice", "role: other  # asked twice")


def test_settings_that_come_and_go(tmp_path: Path) -> None:
    made = changed(tmp_path, lambda policy: column(policy, "town", weight=2.0))
    assert comments(made) == [*comments(WRITTEN)[:-4], comments(made)[-5], *comments(WRITTEN)[-4:]]
    assert "      weight: 2.0  # " in made
    again = changed(tmp_path, lambda policy: column(policy, "town", weight=1.0), made)
    assert again == WRITTEN
    made = changed(tmp_path, lambda policy: policy.changed(reading=om.Reading(missing=["NA"])))
    assert made.startswith(WRITTEN.rstrip())
    assert changed(tmp_path, lambda policy: policy.changed(reading=om.Reading()), made).rstrip() == WRITTEN.rstrip()


def test_another_method_and_other_requirements(tmp_path: Path) -> None:
    made = changed(tmp_path, lambda policy: policy.changed(method=om.Recoding(k=7)))
    assert "   # five, as in our rules\n   k: 7  # see rule 12\n   name: recoding" in made
    assert set(comments(WRITTEN)) <= set(comments(made))
    three = om.KAnonymity(k=3)
    made = changed(tmp_path, lambda policy: policy.changed(require=[three, policy.require[1]]))
    assert "   - name: l_diversity\n     l: 2\n" in made
    assert {"for the registry", "for the board", "the end"} <= set(comments(made))
    made = changed(
        tmp_path, lambda policy: policy.changed(require=[*policy.require, om.TCloseness(t=0.2, attribute="illness")])
    )
    assert "     k: 5   # the same as above\n" in made
    made = changed(tmp_path, lambda policy: policy.changed(require=[policy.require[1]]))
    assert "k: 5   # the same" not in made
    made = changed(tmp_path, lambda policy: policy.changed(require=[]))
    assert "require" not in made


def test_a_column_on_one_line_is_written_anew_and_no_other(tmp_path: Path) -> None:
    made = changed(tmp_path, lambda policy: column(policy, "illness", role="other"))
    assert "illness: {" not in made
    assert comments(WRITTEN) == [one for one in comments(made) if one in comments(WRITTEN)]


def test_a_method_that_masks_other_roles_changes_what_is_said_of_them(tmp_path: Path) -> None:
    policy = om.Policy(
        attributes={"age": om.Numeric(), "pay": om.Numeric(role="sensitive")}, method=om.Microaggregation(k=2)
    )
    text = policy_text(policy)
    after = policy.changed(method=om.Shuffling())
    assert patched_text(text, said(text, tmp_path), after, tmp_path) == policy_text(after)


@pytest.mark.parametrize(
    "text",
    ["{attributes: {age: {kind: numeric}}, method: {name: microaggregation, k: 2}}\n", "attributes: [\n", "- a\n", ""],
)
def test_a_text_of_another_layout_is_not_changed(text: str, tmp_path: Path) -> None:
    before = om.Policy(attributes={"age": om.Numeric()}, method=om.Microaggregation(k=2))
    assert patched_text(text, before, before.changed(method=om.Microaggregation(k=3)), tmp_path) is None


def test_any_changes_of_a_generated_file_give_what_a_new_file_would_say(tmp_path: Path) -> None:
    """The twin is to write the file anew."""
    draw = random.Random(4)
    policy = om.demo_policy(om.Microaggregation(k=4))
    text = policy_text(policy, tmp_path)
    policy = said(text, tmp_path)
    methods = [om.Microaggregation(k=3), om.Recoding(k=5), om.RankSwapping(percent=5), om.PRAM(), om.Suppression(k=2)]
    models = [om.KAnonymity(k=3), om.KAnonymity(k=5), om.LDiversity(l=2, attribute="diagnosis")]
    for _ in range(60):
        name = draw.choice(list(policy.attributes))
        own = policy.attributes[name]
        if draw.random() < 0.5 and own.kind != "identifier" and name != "age":  # a quasi-identifier is left
            after = column(
                policy, name, role=draw.choice(["quasi", "sensitive", "other"]), weight=draw.choice([1.0, 2.0])
            )
        elif draw.random() < 0.5:
            after = policy.changed(require=draw.sample(models, draw.randint(0, 2)))
        else:
            after = policy.changed(method=draw.choice(methods))
        made = patched_text(text, policy, after, tmp_path)
        assert made is not None
        assert said(made, tmp_path) == after
        policy, text = after, made
    assert sorted(filter(None, text.splitlines())) == sorted(filter(None, policy_text(policy, tmp_path).splitlines()))


def test_yaml_is_read_alike_with_and_without_libyaml(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    texts = [
        WRITTEN,
        policy_text(om.demo_policy(om.Microaggregation(k=4)), tmp_path),
        "a: 'x: #y'\nb: [1, \"é\u2028\", ~]\n",
    ]
    with monkeypatch.context() as patched:
        patched.setattr(yaml_files.yaml, "__with_libyaml__", False)
        plain = yaml_files._reader()
    assert plain is yaml.SafeLoader

    class Slow(yaml_files.Limited, plain):  # type: ignore[misc, valid-type]
        yaml_implicit_resolvers = yaml_files.Plain.yaml_implicit_resolvers
        yaml_constructors = yaml_files.Plain.yaml_constructors
        construct_yaml_int = yaml_files.Plain.construct_yaml_int

    def told(node: yaml.Node) -> object:
        inner = (
            node.value
            if isinstance(node, yaml.ScalarNode)
            else [[told(part) for part in (one if isinstance(one, tuple) else [one])] for one in node.value]
        )
        return node.tag, node.start_mark.line, node.start_mark.column, inner

    for text in texts:
        assert told(yaml_files.Plain(text).get_single_node()) == told(Slow(text).get_single_node())
