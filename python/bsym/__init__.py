"""bsym verifies formal models written in classical B or Event-B.

>>> import bsym
>>> result = bsym.check("examples/overflow.mch", set={"display": 127})
>>> result.verdict
'violated'
>>> result.trace.states[-1]["shown"].to_python()
128

Each call starts the program `bsym` as a process of its own and reads its JSON. A crash of a solver or a lack of memory
ends that process and not Python.
"""

from __future__ import annotations

from importlib import metadata as _metadata

from ._engines import Options, bmc, check, evaluate, ic3, kind, ldd, mc, po, tree
from ._errors import BsymError, Diagnostic, Failed, Rejected
from ._evaluation import Evaluation
from ._machine import Machine, State, Successor, Successors, load
from ._obligations import Obligation, Obligations
from ._program import program, version
from ._result import Property, Result, Scope, Stats, Violation
from ._trace import Repeated, Step, Trace
from ._value import Element, Value

# The name of the command. Inside the package it is `evaluate`, because `eval` is a built-in function.
eval = evaluate

try:
    __version__ = _metadata.version("bsym")
except _metadata.PackageNotFoundError:
    # Imported from a checkout.
    __version__ = "0"

__all__ = [
    "BsymError",
    "Diagnostic",
    "Element",
    "Evaluation",
    "Failed",
    "Machine",
    "Obligation",
    "Obligations",
    "Options",
    "Property",
    "Rejected",
    "Repeated",
    "Result",
    "Scope",
    "State",
    "Stats",
    "Step",
    "Successor",
    "Successors",
    "Trace",
    "Value",
    "Violation",
    "bmc",
    "check",
    "eval",
    "ic3",
    "kind",
    "ldd",
    "load",
    "mc",
    "po",
    "program",
    "tree",
    "version",
]
