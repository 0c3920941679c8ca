"""Development only: writes which operators other shape inference has a rule for, as tools/data/peers.json.

    python3 tools/data/dump_peers.py > tools/data/peers.json

Needs the packages onnx, onnxruntime, sympy and onnx-shape-inference. The lists only say that there is a rule, not what it finds.
"""
import json

import onnx
import onnx.defs
import onnx_shape_inference
import onnxruntime
from importlib.metadata import version
from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference


def table(rows):
    """{domain: {operator: versions}}, all sorted."""
    out = {}
    for domain, name, since in sorted(rows):
        out.setdefault(domain, {}).setdefault(name, []).append(since)
    return out


def onnx_rules():
    """A version has an inference function, or a body of its own through which the library infers."""
    for s in onnx.defs.get_all_schemas_with_history():
        if s.has_type_and_shape_inference_function or s.has_function or s.has_context_dependent_function:
            yield s.domain, s.name, s.since_version


def lines(peers):
    """JSON with a line for each operator."""
    def value(v, depth):
        if isinstance(v, dict) and depth < 4:
            pad = "  " * depth
            inner = ",\n".join(f"{pad}  {json.dumps(k)}: {value(x, depth + 1)}" for k, x in v.items())
            return "{\n" + inner + "\n" + pad + "}" if v else "{}"
        return json.dumps(v)
    return value(peers, 0)


onnx_shape_inference.registry.collect()
script = SymbolicShapeInference(7, 0, False, 0)
print(lines({
    "onnx": {"version": onnx.__version__, "rules": table(onnx_rules())},
    "onnxruntime": {"version": onnxruntime.__version__, "names": sorted(script.dispatcher_), "aten": sorted(script.aten_op_dispatcher_)},
    "onnx-shape-inference": {
        "version": version("onnx-shape-inference"),
        "rules": table((d, n, v) for d, n, versions in onnx_shape_inference.registry.iter_supported() for v in versions),
    },
}))
