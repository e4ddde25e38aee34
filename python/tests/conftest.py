"""The tests run `bsym` in the folder of the repository, whose examples they use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("BSYM_ROOT") or Path(__file__).resolve().parents[2])


@pytest.fixture(autouse=True, scope="session")
def in_the_repository() -> None:
    named = os.environ.get("BSYM")
    if named and os.sep in named:
        os.environ["BSYM"] = os.path.abspath(named)
    os.chdir(ROOT)


@pytest.fixture
def machine(tmp_path: Path):
    """Writes a machine and returns its path."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / f"{name}.mch"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def endless(machine) -> Path:
    """A machine whose states cannot be visited in the time of a test."""
    return machine(
        "endless",
        "MACHINE endless VARIABLES x, y INVARIANT x : INTEGER & y : INTEGER INITIALISATION x, y := 0, 0 "
        "OPERATIONS right = x := x + 1; up = y := y + 1 END",
    )
