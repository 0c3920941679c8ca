#!/usr/bin/env python3
"""Lists a model's values and nodes as Python's onnx sees them and compares the list with `onnx-shape --json`.

usage: listing.py MODEL.onnx|FOLDER [...]      folders with all that is below them; those that are not there are told and left out

What is compared: every value (graph path, name, kind, in the stated order) and every node of the main graph and of all subgraphs that hang
off it, with name, operator, domain, inputs and outputs; and for inputs and initializers the declared type and shape, names of dims included; of a
body's inputs, which take theirs from outside, the type. Bodies of functions are listed by the tool alone (the file has them once, the result once a call), so they are left out here. What Python's onnx cannot read
must end with exit code 3 and one line. Exit code 1 where anything differs.
"""
import json
import subprocess
import sys
from pathlib import Path

import onnx

ROOT = Path(__file__).resolve().parents[2]
BATCH = 40          # models a process
NAMES = (None, "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "float64", "uint32", "uint64", "complex64", "complex128",
         "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4", "int4", "float4e2m1", "float8e8m0", "uint2", "int2", "float6e2m3", "float6e3m2")


def domain(text):
    return "" if text == "ai.onnx" else text


def walk(graph, path, values, nodes):
    """Appends the graph's values and nodes, then those of its subgraphs, depth first in node order."""
    outputs = {o.name for o in graph.output}
    seen = set()

    def add(name, kind, info=None):
        if name and name not in seen:
            seen.add(name)
            values.append((path, name, kind, info))

    for x in graph.input:
        add(x.name, "input", x.type)
    for t in graph.initializer:
        add(t.name, "initializer", t)
    for t in graph.sparse_initializer:
        add(t.values.name, "initializer", t)
    for node in graph.node:
        for name in node.output:
            add(name, "output" if name in outputs else "intermediate")
    names = {}
    for node in graph.node:
        names[node.name] = names.get(node.name, 0) + 1
    for i, node in enumerate(graph.node):
        nodes.append((path, i, node.name, domain(node.domain), node.op_type, list(node.input), list(node.output)))
    for i, node in enumerate(graph.node):
        key = node.name if node.name and names[node.name] == 1 else f"{node.op_type}#{i}"
        for attribute in node.attribute:
            bodies = [(attribute.name, attribute.g)] if attribute.type == onnx.AttributeProto.GRAPH else []
            bodies += ((f"{attribute.name}[{k}]", body) for k, body in enumerate(attribute.graphs))
            for name, body in bodies:
                walk(body, "/".join(p for p in (path, key, name) if p), values, nodes)


def type_text(t):
    """As the tool writes it; None where the file gives none."""
    kind = t.WhichOneof("value")
    inner = getattr(t, kind) if kind else None
    if kind in ("tensor_type", "sparse_tensor_type"):
        name = NAMES[inner.elem_type]
        return name and (name if kind == "tensor_type" else f"sparse_tensor({name})")
    if kind == "map_type":
        return f"map({NAMES[inner.key_type]},{type_text(inner.value_type)})"
    return f"{kind[:3]}({type_text(inner.elem_type)})".replace("opt(", "optional(") if kind in ("sequence_type", "optional_type") else None


def dims(t):
    """Numbers, raw names, or None where the file leaves one open; None for an unknown rank. Of a sequence or optional its elements'."""
    kind = t.WhichOneof("value")
    if kind in ("sequence_type", "optional_type"):
        return dims(getattr(t, kind).elem_type)
    if kind not in ("tensor_type", "sparse_tensor_type") or not getattr(t, kind).HasField("shape"):
        return None
    return [d.dim_value if d.HasField("dim_value") and d.dim_value >= 0 else d.dim_param or None for d in getattr(t, kind).shape.dim]


def declared(info):
    """(type, dims) of an input or initializer."""
    if isinstance(info, onnx.TensorProto):
        return NAMES[info.data_type], list(info.dims)
    if isinstance(info, onnx.SparseTensorProto):
        return NAMES[info.values.data_type], list(info.dims)       # nodes see a dense tensor, as in ONNX Runtime
    return type_text(info), dims(info)


def cli(files):
    return subprocess.run(["node", str(ROOT / "js/cli.js"), "--json", *files], capture_output=True, text=True)


def compare(model, got):
    want_values, want_nodes = [], []
    walk(model.graph, "", want_values, want_nodes)
    functions = {(domain(f.domain), f.name) for f in model.functions}
    paths = {v[0] for v in want_values} | {n[0] for n in want_nodes} | {""}
    values = [v for v in got["values"] if v["graph"] in paths]
    nodes = [n for n in got["nodes"] if n["graph"] in paths]
    problems = []
    if [(v["graph"], v["name"], v["kind"]) for v in values] != [v[:3] for v in want_values]:
        a, b = [(v["graph"], v["name"], v["kind"]) for v in values], [v[:3] for v in want_values]
        first = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        problems.append(f"values differ from number {first} on: {a[first:first + 1]} for {b[first:first + 1]} ({len(a)} for {len(b)})")
    if [tuple(n[key] for key in ("graph", "index", "name", "domain", "op", "inputs", "outputs")) for n in nodes] != want_nodes:
        problems.append(f"nodes differ ({len(nodes)} for {len(want_nodes)})")
    if not functions and len(values) != len(got["values"]):
        problems.append("values in graphs that the file does not have")
    found = {(v["graph"], v["name"]): v for v in values}
    for path, name, kind, info in want_values:
        v = found.get((path, name))
        if info is None or v is None:
            continue
        want_type, want = declared(info)
        if v["type"] != want_type and (want_type or not path):
            problems.append(f"{name}: type {v['type']} for {want_type}")
        got_shape = v["shape"]
        if not path and ((got_shape is None) != (want is None) or (want is not None and (len(got_shape) != len(want) or any(w not in (None, g) for w, g in zip(want, got_shape))))):
            problems.append(f"{name}: shape {got_shape} for {want}")
    return problems


def load(file):
    try:
        return onnx.load(file, load_external_data=False)
    except Exception:       # protobuf's own, which differ by its version
        return None


def find(arguments):
    for name in arguments:
        path = Path(name)
        if path.is_dir():
            yield from (str(p) for p in sorted(path.rglob("*.onnx")))
        elif path.exists():
            yield name
        else:
            print(f"{name}: not there, left out")


def main():
    files, failed = list(find(sys.argv[1:])), 0

    def tell(file, problems):
        for problem in problems:
            print(f"{file}: {problem}")
        return len(problems)

    for at in range(0, len(files), BATCH):
        some = [(file, load(file)) for file in files[at:at + BATCH]]
        readable = [(file, model) for file, model in some if model is not None]
        for file in (file for file, model in some if model is None):
            run = cli([file])
            clean = run.returncode == 3 and not run.stdout and run.stderr.count("\n") == 1
            failed += tell(file, [] if clean else [f"Python's onnx cannot read it; exit code {run.returncode}: {run.stderr.strip()}"])
        if not readable:
            continue
        run = cli([file for file, _ in readable])
        lines = run.stdout.splitlines()
        if run.returncode not in (0, 1) or len(lines) != len(readable):
            failed += tell(readable[0][0], [f"and {len(readable) - 1} more: exit code {run.returncode}, {len(lines)} answers: {run.stderr.strip()[:500]}"])
            continue
        for (file, model), line in zip(readable, lines):
            failed += tell(file, compare(model, json.loads(line)))
    print(f"listing: {len(files)} models, {failed} differences from Python's onnx")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
