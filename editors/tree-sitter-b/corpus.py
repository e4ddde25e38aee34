#!/usr/bin/env python3
"""Parses machines of others and counts the trees without ERROR and MISSING: corpus.py [--list] [FOLDER] [--at-least PERCENT].

FOLDER is by default the corpus beside the repository (BSYM_CORPUS). A file counts if `bsym parse` finds no mistake of syntax in
it (codes below B0200); BSYM names the program, by default the one that cargo built. Needs tree-sitter on the PATH.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EXTENSIONS = {".mch", ".ref", ".imp", ".sys", ".def"}


def program():
    built = [ROOT / "target" / profile / "bsym" for profile in ("debug", "release")]
    built = [path for path in built if path.exists()]
    return os.environ.get("BSYM") or str(max(built, key=lambda path: path.stat().st_mtime))


def is_machine(path):
    """Whether bsym reads the text without a mistake of syntax."""
    run = subprocess.run([program(), "parse", "--json", str(path)], capture_output=True, timeout=120)
    try:
        answer = json.loads(run.stdout)
    except ValueError:
        return False
    codes = [d["code"] for d in answer.get("diagnostics", []) if d.get("severity") == "error"]
    return all(code >= "B0200" and code not in ("B0205", "B0206", "B0408") for code in codes)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", nargs="?", default=os.environ.get("BSYM_CORPUS", ROOT.parent / "shared" / "corpus"))
    arguments.add_argument("--list", action="store_true", help="name the files that fail")
    arguments.add_argument("--at-least", type=float, default=0, help="percentage below which the exit code is 1")
    chosen = arguments.parse_args()
    folder = pathlib.Path(chosen.folder)
    if not folder.exists():
        print(f"SKIPPED: there is no {folder}", file=sys.stderr)
        return 0
    files = sorted(path for path in folder.rglob("*") if path.suffix in EXTENSIONS and path.is_file())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        machines = [path for path, fits in zip(files, pool.map(is_machine, files)) if fits]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
        names.write("".join(f"{path}\n" for path in machines))
        names.flush()
        command = ["tree-sitter", "parse", "-p", str(HERE), "--quiet", "--json-summary", "--paths", names.name]
        run = subprocess.run(command, capture_output=True, text=True)
    summary = json.loads(run.stdout[run.stdout.index("{") :])
    failed = [parsed["file"] for parsed in summary["parse_summaries"] if not parsed["successful"]]
    good = len(machines) - len(failed)
    percent = 100 * good / len(machines) if machines else 100
    print(f"{len(files)} files, {len(machines)} without a mistake of syntax; {good} trees without ERROR ({percent:.1f} %)")
    if chosen.list:
        print("\n".join(failed))
    return 1 if percent < chosen.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
