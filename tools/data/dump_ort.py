"""Development only: writes the operator schemas that an installed ONNX Runtime registers and the given JSON lines lack.

    python3 tools/data/dump_ort.py ../shared/schemas/*.jsonl > tools/data/schemas-ort.jsonl

These are the experimental operators of old opsets, the internal channels-last and blocked-channels domains, and the
operators that ONNX Runtime adds to the default domain. Needs the packages onnx and onnxruntime.
"""
import json
import sys

import onnx
import onnxruntime.capi.onnxruntime_pybind11_state as ort

TYPE = {1: "float", 2: "int", 3: "string", 4: "tensor", 5: "graph", 6: "floats", 7: "ints", 8: "strings"}


def formal(f):
    row = {"name": f.name, "type": f.typeStr}
    if int(f.option):
        row["option"] = ["", "optional", "variadic"][int(f.option)]
    if int(f.option) == 2 and not f.isHomogeneous:
        row["heterogeneous"] = True
    return row


def attribute(a):
    row = {"type": TYPE[int(a.type)]}
    if a.required:
        row["required"] = True
    if a._default_value:
        value = onnx.helper.get_attribute_value(onnx.AttributeProto.FromString(a._default_value))
        row["default"] = value.decode() if isinstance(value, bytes) else value
    return row


def schema(s):
    row = {"domain": s.domain, "name": s.name, "since_version": s.since_version}
    if s.deprecated:
        row["deprecated"] = True
    for key in ("min_input", "max_input", "min_output", "max_output"):
        row[key] = getattr(s, key)
    row["inputs"] = [formal(f) for f in s.inputs]
    row["outputs"] = [formal(f) for f in s.outputs]
    row["attributes"] = {n: attribute(a) for n, a in sorted(s.attributes.items())}
    row["types"] = {c.type_param_str: list(c.allowed_type_strs) for c in s.type_constraints}
    return row


known = set()
for path in sys.argv[1:]:
    for line in open(path, encoding="utf-8"):
        row = json.loads(line)
        known.add((row["domain"], row["name"], row["since_version"]))

rows = [schema(s) for s in ort.get_all_operator_schema() if (s.domain, s.name, s.since_version) not in known]
for row in sorted(rows, key=lambda r: (r["domain"], r["name"], r["since_version"])):
    print(json.dumps(row, separators=(",", ":")))
