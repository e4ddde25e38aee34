import pytest
from bsym import Element, Value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("128", 128),
        ("-3", -3),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("TRUE", True),
        ("FALSE", False),
        ('"a\\"b\\\\n\\n"', 'a"b\\n\n'),
        ("b1", Element("b1")),
        ("(1|->TRUE)", (1, True)),
        ("((1|->2)|->3)", ((1, 2), 3)),
        ("{}", frozenset()),
        ("{{},{1}}", frozenset({frozenset(), frozenset({1})})),
        ("{(b1|->r2)}", frozenset({(Element("b1"), Element("r2"))})),
    ],
)
def test_values_of_one_meaning_become_python_values(text, expected):
    value = Value(text).to_python()
    assert value == expected and type(value) is type(expected)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1.5",
        "1.0/3.0",
        "rec(a:1)",
        "NATURAL",
        "%(x).(x:NATURAL|x)",
        "{x|x>=3}",
        "(1..10)",
        "1 2",
        "{1,}",
        "{,1}",
        "{1",
        "some(1)",
        "POW(S)",
        '"a',
        "(1,2)",
        "NAT",
    ],
)
def test_other_values_are_not_guessed(text):
    with pytest.raises(ValueError):
        Value(text).to_python()


def test_functions_and_sequences():
    assert Value("{(a|->1),(b|->1)}").to_dict() == {"a": 1, "b": 1}
    assert Value("{(1|->7),(2|->5)}").to_list() == [7, 5]
    assert Value("{}").to_list() == []
    for text in ("{(1|->7),(1|->5)}", "{1}", "3"):
        with pytest.raises(ValueError):
            Value(text).to_dict()
    for text in ("{(0|->7)}", "{(TRUE|->7)}", "{(a|->7)}"):
        with pytest.raises(ValueError):
            Value(text).to_list()
