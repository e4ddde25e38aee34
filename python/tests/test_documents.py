"""The examples of docs/python.md run."""

import os
import re
import sys
from pathlib import Path

import pytest

DOCUMENT = Path(os.environ.get("BSYM_ROOT") or Path(__file__).resolve().parents[2]) / "docs" / "python.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: text.split("\n")[2][:40])
def test_examples_run(example, tmp_path):
    if "to_pandas" in example:
        pytest.importorskip("pandas")
    exec(compile(example.replace('"mutex.cert.json"', repr(str(tmp_path / "c.json"))), "<docs/python.md>", "exec"), {})


def test_the_document_has_examples():
    assert len(EXAMPLES) > 5


def test_the_example_of_the_package_runs():
    import doctest

    import bsym

    assert doctest.testmod(bsym).failed == 0
    assert sys.modules["bsym"].__doc__.count(">>>") > 2
