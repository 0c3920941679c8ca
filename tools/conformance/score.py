#!/usr/bin/env python3
"""Scores the project's answers against what the ONNX project's tests and real runs say, in the data beside the project.

usage: score.py SHARED [FOLDER]

SHARED/score/score.mjs compares; this runs it over every data set below SHARED, and over FOLDER, models with every truth known. A wrong or
lost answer anywhere is a failure, but for those of ALLOWED, and in FOLDER a missing one too. Without SHARED there is nothing to compare with, which is told.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUITES = (
    ("cases", "cases"), ("infer", "corpus/infer/cases.jsonl"),
    ("nodes", "corpus/nodes/onnx-1.23.jsonl"), ("nodes", "corpus/nodes/onnx-1.12.jsonl"), ("models", "corpus/models"), ("models", "exporters"),
)

# Exact answers that a case's own text allows and its pattern, which wants an invented name, does not: told, and no failure.
ALLOWED = {"203": "Min(P + S, 64) - Min(P, 64) rows", "220": "floor(7*H/10)"}


def score(program, kind, data, opened):
    """(answers by verdict, lines about what is wrong or lost)"""
    run = subprocess.run(["node", str(program), kind, str(data), "--project", str(ROOT), *(["--open"] if opened else [])],
                         capture_output=True, text=True, check=False)
    lines = run.stdout.splitlines()
    found = dict((word, int(n)) for n, word in re.findall(r"(\d+) (\w+)", lines[-1] if lines else ""))
    if "right" not in found:
        sys.exit(f"score.mjs {kind} {data}: {run.stderr.strip()[-500:]}")
    return found, [line for line in lines if line.startswith(("wrong", "lost"))]


def main():
    shared = Path(sys.argv[1])
    program = shared / "score/score.mjs"
    if not program.exists():
        print(f"score: {shared} is not there, left out")
        return 0
    runs = [(kind, shared / data, opened) for kind, data in SUITES for opened in (False, True) if not (opened and kind in ("cases", "infer"))]
    whole = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if whole:
        runs += [("models", whole, False), ("models", whole, True)]
    failed = False
    for kind, data, opened in runs:
        found, lines = score(program, kind, data, opened)
        failed |= data == whole and found["missing"] > 0
        print(f"score: {kind} {data.name}{', open' if opened else ''}: " + ", ".join(f"{n} {word}" for word, n in found.items() if word != "of"), flush=True)
        for line in lines:
            allowed = ALLOWED.get(line.split("\t")[1]) if kind == "cases" else None
            failed |= not allowed
            print(f"    {line}{f' (its text allows {allowed})' if allowed else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
