"""Classes stay small enough to be read at once, except those that are named here."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

MOST_LINES = 400
"""Of a class, its docstring and comments included."""

MOST_ATTRIBUTES = 25
"""What `__slots__` names, and what methods assign to `self`."""

LARGER: Mapping[str, str] = {}
"""By module and class: why it is larger."""


def classes() -> Iterator[tuple[str, ast.ClassDef]]:
    for top in ("server", "client"):
        for path in sorted((ROOT / top).rglob("*.py")):
            module = ".".join(path.relative_to(ROOT / top).with_suffix("").parts)
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ClassDef):
                    yield f"{module}.{node.name}", node


def lines(node: ast.ClassDef) -> int:
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1


def attributes(node: ast.ClassDef) -> set[str]:
    return {*_slots(node), *_assigned(node)}


def _slots(node: ast.ClassDef) -> Iterator[str]:
    for part in node.body:
        if isinstance(part, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "__slots__" for target in part.targets
        ):
            yield from ast.literal_eval(part.value)


def _assigned(node: ast.ClassDef) -> Iterator[str]:
    for part in ast.walk(node):
        if (
            isinstance(part, ast.Attribute)
            and isinstance(part.ctx, ast.Store)
            and isinstance(part.value, ast.Name)
            and part.value.id == "self"
        ):
            yield part.attr


def is_too_large(node: ast.ClassDef) -> bool:
    return lines(node) > MOST_LINES or len(attributes(node)) > MOST_ATTRIBUTES


def test_no_class_is_larger_unless_it_is_named_here() -> None:
    found = {
        name: f"{lines(node)} lines, {len(attributes(node))} attributes"
        for name, node in classes()
        if is_too_large(node) and name not in LARGER
    }
    assert found == {}


def test_none_is_named_here_that_is_small() -> None:
    assert {*LARGER} <= {name for name, node in classes() if is_too_large(node)}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("__slots__ = ('a', 'b')", {"a", "b"}),
        ("def __init__(self):\n  self.a = self.b, self.c = 1, (2, 3)", {"a", "b", "c"}),
        ("def __init__(self):\n  self.a: int = 1\n  self.b += 1\n  self.c.d = 1", {"a", "b"}),
        ("def __init__(self):\n  with it as self.a:\n    self.a = other.b = 1", {"a"}),
    ],
)
def test_all_attributes_are_counted(text: str, found: set[str]) -> None:
    body = "\n".join(f"  {line}" for line in text.splitlines())
    [node] = ast.parse(f"class Some:\n{body}").body
    assert isinstance(node, ast.ClassDef)
    assert attributes(node) == found
