"""The ONNX project's C++ inference, for bench/model.mjs: reads lines of paths, answers each with "load infer" in ms.

Each answer is the median of the runs that fit into 0.1 s, one at least.
"""
import sys
from statistics import median
from time import perf_counter

import onnx
from onnx import shape_inference


def run(path):
    start = perf_counter()
    model = onnx.load(path, load_external_data=False)
    loaded = perf_counter()
    shape_inference.infer_shapes(model)
    return (loaded - start) * 1e3, (perf_counter() - loaded) * 1e3


for line in sys.stdin:
    path = line.rstrip("\n")
    runs, until = [run(path)], perf_counter() + 0.1
    while perf_counter() < until:
        runs.append(run(path))
    load, infer = min(runs, key=lambda r: abs(sum(r) - median(sum(x) for x in runs)))
    print(load, infer, flush=True)
