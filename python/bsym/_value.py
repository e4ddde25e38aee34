"""Values of B."""

from __future__ import annotations

import re
from typing import Any, Union

#: What `Value.to_python` returns.
Python = Union[bool, int, str, "Element", "tuple[Any, Any]", "frozenset[Any]"]

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>-?\d+(?![\d.]))
      | (?P<string>"(?:[^"\\]|\\["\\nrt])*")
      | (?P<name>[^\W\d]\w*)
      | (?P<sign>\|->|[{}(),])
    )""",
    re.VERBOSE,
)
_ESCAPED = {'\\"': '"', "\\\\": "\\", "\\n": "\n", "\\r": "\r", "\\t": "\t"}
#: Names that stand for infinite or large sets and not for an element.
_SETS = {"INTEGER", "NATURAL", "NATURAL1", "INT", "NAT", "NAT1", "STRING", "REAL", "FLOAT", "BOOL"}


class Element(str):
    """An element of a set of the machine, by its name."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Element({str(self)!r})"


class Value(str):
    """A value as B text, as the program prints it.

    It is a string; `to_python` reads it.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Value({str(self)!r})"

    def to_python(self) -> Python:
        """Returns the value as a Python value.

        An integer becomes an `int`, `TRUE` and `FALSE` a `bool`, a string a `str`, an element an `Element`, a couple a
        `tuple` of two, a set (a relation or sequence too) a `frozenset`.

        Raises:
            ValueError: the value is of another form, such as a record, a real number, or a set that is not listed.
        """
        reader = _Reader(self)
        value = reader.value()
        reader.end()
        return value

    def to_dict(self) -> dict[Python, Python]:
        """Returns a function of B as a dictionary.

        Raises:
            ValueError: the value is no set of couples, or has two values for one argument.
        """
        pairs = self.to_python()
        if not isinstance(pairs, frozenset) or not all(isinstance(pair, tuple) for pair in pairs):
            raise ValueError(f"{str(self)!r} is no relation")
        function = dict(pairs)
        if len(function) != len(pairs):
            raise ValueError(f"{str(self)!r} is no function")
        return function

    def to_list(self) -> list[Python]:
        """Returns a sequence of B as a list.

        Raises:
            ValueError: the value is no function on 1..n.
        """
        function = self.to_dict()
        places = range(1, len(function) + 1)
        if any(type(place) is not int for place in function) or set(function) != set(places):
            raise ValueError(f"{str(self)!r} is no sequence")
        return [function[place] for place in places]


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = str(text)
        self.at = 0

    def fail(self) -> ValueError:
        return ValueError(f"{self.text!r} has no unambiguous Python value: see character {self.at + 1}")

    def next(self) -> tuple[str, str]:
        match = _TOKEN.match(self.text, self.at)
        if match is None or match.lastgroup is None:
            raise self.fail()
        return match.lastgroup, match.group(match.lastgroup)

    def take(self) -> tuple[str, str]:
        token = self.next()
        match = _TOKEN.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return token

    def is_next(self, sign: str) -> bool:
        match = _TOKEN.match(self.text, self.at)
        return match is not None and match.group("sign") == sign

    def eat(self, sign: str) -> None:
        if not self.is_next(sign):
            raise self.fail()
        self.take()

    def end(self) -> None:
        if self.text[self.at :].strip():
            raise self.fail()

    def value(self) -> Python:
        kind, text = self.next()
        if kind == "name" and text in _SETS:
            raise self.fail()
        self.take()
        if kind == "number":
            return int(text)
        if kind == "string":
            return re.sub(r"\\.", lambda escaped: _ESCAPED[escaped.group()], text[1:-1])
        if kind == "name":
            return text == "TRUE" if text in ("TRUE", "FALSE") else Element(text)
        if text == "(":
            left = self.value()
            self.eat("|->")
            right = self.value()
            self.eat(")")
            return (left, right)
        if text == "{":
            return self.elements()
        raise self.fail()

    def elements(self) -> frozenset[Any]:
        found: list[Python] = []
        while not self.is_next("}"):
            if found:
                self.eat(",")
            found.append(self.value())
        self.eat("}")
        return frozenset(found)
