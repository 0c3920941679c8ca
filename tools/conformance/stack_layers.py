#!/usr/bin/env python3
"""Stacks the last layer of small language models to 32 layers, with what a runtime says of every value, to be scored and timed.

usage: stack_layers.py EXPORTERS OUT [--time] [MODEL ...]

EXPORTERS holds MODEL.onnx beside MODEL.truth.json (as ../shared/exporters does); OUT gets both for each stacked model. A layer is found
by structure, for exporters name nodes as they like: between the embedding and the last node some nodes lie on every path; what lies between
two of them, the same operators twice over (the first layer may
have some more), is a layer. A repeated layer's values have the sizes of the original layer's, under the same
binding. --time compares load and inference with onnx C++ on the stacked files, and fails where they take more than a tenth of its time.
"""
import copy
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from statistics import median
from time import perf_counter

import onnx
from onnx import shape_inference

ROOT = Path(__file__).resolve().parents[2]
LAYERS = 32
PREFIXES = ("ga_*", "hf_*_kv*", "op_*")
SMALLEST = 8        # nodes of a layer
LEFT_OUT = {"op_vits": "what it repeats is no layer of a language model, and its sizes depend on data"}


class Graph:
    """Who follows whom, as bit sets over the main graph's nodes, which are in order."""

    def __init__(self, graph):
        self.nodes = list(graph.node)
        self.maker = {o: i for i, n in enumerate(self.nodes) for o in n.output if o}
        self.reads = [set(self.inputs(n)) for n in self.nodes]
        self.before = [{self.maker[x] for x in names if x in self.maker} for names in self.reads]
        self.after = [set() for _ in self.nodes]
        for i, before in enumerate(self.before):
            for j in before:
                self.after[j].add(i)
        shape = {i for i, n in enumerate(self.nodes) if n.op_type in ("Shape", "Size")}
        self.data_after = [after - shape for after in self.after]       # the same without the sizes, which skip over layers

    @staticmethod
    def inputs(node):
        yield from (x for x in node.input if x)
        for a in node.attribute:
            for g in ([a.g] if a.type == onnx.AttributeProto.GRAPH else a.graphs):
                made = {o for n in g.node for o in n.output} | {x.name for x in g.input} | {x.name for x in g.initializer}
                yield from (x for n in g.node for x in Graph.inputs(n) if x not in made)
                yield from (o.name for o in g.output if o.name not in made)

    def reach(self, start, way):
        """What is reached from some nodes, themselves left out unless they are reached."""
        seen, todo = set(), list(start)
        while todo:
            for j in way[todo.pop()]:
                if j not in seen:
                    seen.add(j)
                    todo.append(j)
        return seen

    def readers(self, name):
        return {i for i, names in enumerate(self.reads) if name in names}


def embedding(g, initializers):
    """The node that looks up the first input in a table of the file's, or else the first convolution."""
    for i, n in enumerate(g.nodes):
        if n.op_type == "GatherBlockQuantized" or n.op_type == "Gather" and n.input[0] in initializers and len(initializers[n.input[0]].dims) == 2:
            return i
    for i, n in enumerate(g.nodes):
        if n.op_type == "Conv":
            return i
    return None


def find_layer(g, initializers):
    """(node before the layer, last node of the layer), the last of two equal layers; None where there are none."""
    first = embedding(g, initializers)
    if first is None:
        return None
    down = g.reach([first], g.data_after)
    last = max((i for i in down if not g.data_after[i]), key=lambda i: len(g.reach([i], g.before) & down), default=None)
    if last is None:
        return None
    path = sorted((down & g.reach([last], g.before)) | {first, last})
    inside, furthest, waist = set(path), first, []
    for i in path:
        if furthest <= i:
            waist.append(i)
        furthest = max([furthest] + [j for j in g.data_after[i] if j in inside])
    kinds = [Counter(g.nodes[i].op_type for i in path if a < i <= b) for a, b in zip(waist, waist[1:])]
    best = None
    for k in range(1, len(kinds) // 2 + 1):
        for j in range(2 * k, len(kinds) + 1):
            size = sum(sum(c.values()) for c in kinds[j - k:j])
            alike = all(a >= b and sum((a - b).values()) <= SMALLEST for a, b in zip(kinds[j - 2 * k:], kinds[j - k:j]))
            if alike and size >= SMALLEST and (best is None or size >= best[0]):
                best = (size, waist[j - k], waist[j])
    return best and best[1:]


def stack(model, truth):
    """The model with its last layer repeated, its truth likewise; None where no layer is found."""
    graph = model.graph
    g, initializers = Graph(graph), {t.name: t for t in graph.initializer}
    found = find_layer(g, initializers)
    if not found:
        return None
    before, end = found
    later = g.reach([end], g.after)
    layer = g.reach([before], g.after) - later
    own = []
    for x in graph.input:       # caches of this layer alone: nothing before the layer depends on them
        readers = g.readers(x.name)
        down = readers | g.reach(readers, g.after)
        if x.name not in initializers and readers & layer and not down & g.reach([before], g.before) and before not in down:
            own.append(x)
            layer |= down - later
    made = {o for i in layer for o in g.nodes[i].output if o}
    outputs = [o for o in graph.output if o.name in made and o.name not in g.nodes[end].output]
    carried = {x: y for x, y in zip(g.nodes[before].output, g.nodes[end].output) if x}
    if any(not y for x, y in carried.items() if any(x in g.reads[i] for i in layer)):
        return None
    order = sorted(layer)
    clones = LAYERS - max(2, len({x.name.split(".")[-2 if x.name.endswith(("key", "value")) else -1] for x in graph.input if ".key" in x.name}))
    new, renamed = [], {}
    for k in range(clones):
        into = {x: (f"{y}__{k - 1}" if k else y) for x, y in carried.items()}
        names = {**into, **{o: f"{o}__{k}" for o in made}, **{x.name: f"{x.name}__{k}" for x in own}}
        for i in order:
            n = copy.deepcopy(g.nodes[i])
            rename(n, names)
            if n.name:
                n.name += f"__{k}"
            new.append(n)
        for x in own:
            graph.input.add().CopyFrom(x)
            graph.input[-1].name += f"__{k}"
        for o in outputs:
            graph.output.add().CopyFrom(o)
            graph.output[-1].name += f"__{k}"
        renamed.update({f"{o}__{k}": o for o in [*made, *(x.name for x in own)]})
    final = {y: f"{y}__{clones - 1}" for y in g.nodes[end].output if y}
    for i in sorted(later):
        rename(g.nodes[i], final)
    nodes = [n for i, n in enumerate(g.nodes) if i not in later] + new + [g.nodes[i] for i in sorted(later)]
    del graph.node[:]
    graph.node.extend(nodes)
    del graph.value_info[:]
    for r in truth["runs"]:
        r["values"].update({name: r["values"][of] for name, of in renamed.items() if of in r["values"]})
        for key in ("data_dependent", "input_value_dependent"):
            if key in r:
                r[key] += [name for name, of in renamed.items() if of in r[key]]
        if r.get("inputs"):
            r["inputs"].update({name: r["inputs"][of] for name, of in renamed.items() if of in r["inputs"]})
        r["sub"] = {}       # paths hold node names, which are not followed here
    return model, truth, len(order), clones


def rename(node, names):
    """In place, inside the node's bodies too."""
    for field in (node.input, node.output):
        field[:] = [names.get(x, x) for x in field]
    for a in node.attribute:
        for body in ([a.g] if a.type == onnx.AttributeProto.GRAPH else a.graphs):
            for n in body.node:
                rename(n, names)
            for o in body.output:
                o.name = names.get(o.name, o.name)


# ---- time ----

OURS = """
import { createInterface } from 'node:readline';
import { inferShapes } from './js/model.js';
for await (const path of createInterface({ input: process.stdin })) {
    const times = [], warm = performance.now() + 300;
    do await inferShapes(path, { reuse: true }); while (performance.now() < warm);      // until the engine is compiled
    for (let i = 0; i < 5; i++) { const start = performance.now(); await inferShapes(path, { reuse: true }); times.push(performance.now() - start); }
    console.log(times.sort((a, b) => a - b)[2]);
}
"""


def theirs(path):
    start = perf_counter()
    shape_inference.infer_shapes(onnx.load(path))
    return (perf_counter() - start) * 1e3


def compare_times(paths):
    node = subprocess.Popen(["node", "--input-type=module", "-e", OURS], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    slow = 0
    print(f"{'load and infer':32}{'nodes':>8}{'onnx-shape':>14}{'onnx C++':>12}{'ratio':>8}")
    for path in paths:
        times = []
        for _ in range(3):
            node.stdin.write(f"{path}\n")
            node.stdin.flush()
            times.append((float(node.stdout.readline()), median(theirs(path) for _ in range(3))))
        ours, peer = median(t[0] for t in times), median(t[1] for t in times)
        ratio = median(t[1] / t[0] for t in times)
        slow += ratio < 10
        print(f"{path.stem:32}{len(onnx.load(path).graph.node):8}{ours:11.1f} ms{peer:9.1f} ms{ratio:8.1f}", flush=True)
    node.stdin.close()
    node.wait()
    return slow


def main():
    args = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(args) < 2:
        sys.exit(__doc__)
    source, out, wanted = Path(args[0]), Path(args[1]), args[2:]
    if not source.is_dir():
        print(f"stacked layers: {source} is not there, left out")
        return 0
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*"):
        old.unlink()
    made = []
    for path in sorted(p for prefix in PREFIXES for p in source.glob(f"{prefix}.onnx")):
        name = path.stem
        if name.endswith("__asis") or (wanted and name not in wanted):
            continue
        if name in LEFT_OUT:
            print(f"{name}: left out, {LEFT_OUT[name]}")
            continue
        done = stack(onnx.load(path), json.loads((source / f"{name}.truth.json").read_text()))
        if not done:
            print(f"{name}: no two equal layers in a row, left out")
            continue
        model, truth, size, clones = done
        onnx.save(model, out / f"{name}.onnx")
        (out / f"{name}.truth.json").write_text(json.dumps(truth))
        made.append(out / f"{name}.onnx")
        print(f"{name}: a layer of {size} nodes, {clones} times more")
    if "--time" in sys.argv:
        return 1 if compare_times(made) else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
