#!/usr/bin/env python3
"""Runs ONNX Runtime's own operators on this machine and compares the shapes and types that come out with what onnx-shape infers.

usage: contrib.py [--all] [TEXT]      TEXT: only operators whose name contains it; --all: list every form, not only what is missing or wrong

Each form of an operator is one small model. It is run once, on the CPU, and inferred twice: as it is, and with every size of its inputs
left open as a symbol of its own; the open answer is then evaluated at the sizes of the run. A size that the answer leaves open (a fresh
symbol) counts as missing and is listed; another size, rank or type, or an error diagnostic, is a contradiction. Exit code 1 where there is one.
Forms that ONNX Runtime itself refuses are listed, and count as nothing.
"""
import json
import multiprocessing
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

ROOT = Path(__file__).resolve().parents[2]
OPSET = 21
MS = "com.microsoft"
rng = np.random.default_rng(1)

# ---- making forms ----

FORMS = []


def form(op, inputs, outputs=1, const=(), domain=MS, declare=(), **attributes):
    """One node. inputs: arrays, None for an omitted one; const: which of them are initializers. outputs: how many, or "1011" for which;
    declare: those that are declared float, where the runtime does not know their type."""
    wanted = outputs if isinstance(outputs, str) else "1" * outputs
    FORMS.append((op, domain, inputs, wanted, set(const), attributes, set(declare)))


def f(*shape, t=np.float32):
    return rng.standard_normal(shape).astype(t) if shape else t(0.5) * np.ones((), t)


def h(*shape):
    return f(*shape, t=np.float16)


def u8(*shape, hi=255):
    return rng.integers(0, hi, shape, dtype=np.uint8, endpoint=True)


def i8(*shape):
    return rng.integers(-9, 9, shape, dtype=np.int8)


def i32(*values):
    return np.array(values[0] if len(values) == 1 else values, np.int32)


def i64(*values):
    return np.array(values[0] if len(values) == 1 else values, np.int64)


def ids(*shape, hi=5, t=np.int32):
    return rng.integers(0, hi, shape).astype(t)


S, Z, ZI = np.float32(0.1), np.uint8(3), np.int8(0)
SCALE, ZERO, ZERO_I = np.array(S), np.array(Z), np.array(ZI)


def elementwise():
    for op in ("Gelu", "QuickGelu", "FastGelu", "ScaledSiLU"):
        for shape in ((2, 3), (4,), (2, 3, 4, 5), (0, 3)):
            form(op, [f(*shape)])
    for shape in ((2, 3), (1, 2, 4, 3), (3,)):
        form("BiasGelu", [f(*shape), f(3)])
        form("FastGelu", [f(*shape), f(3)])
    form("SampleOp", [f(2, 3)])
    form("MurmurHash3", [ids(2, 3)])
    form("MurmurHash3", [ids(4)], positive=0)
    form("MurmurHash3", [np.array(["a", "b"])])
    form("Inverse", [f(3, 3)])
    form("Inverse", [f(2, 4, 3, 3)])
    for k in (None, i64(1), i64(-2)):
        form("Trilu", [f(3, 4), k], const=(1,))
    form("Trilu", [f(2, 3, 4)], upper=0)
    form("ScaledSiLU", [f(2, 3), np.array(1.5, np.float32)])
    form("BranchwiseRMSNorm", [f(2, 3, 4)])
    form("BranchwiseRMSNorm", [f(2, 5, 12), f(12)], num_branches=3)
    form("GatedRMSNorm", [f(2, 3, 8), f(8), f(2, 3, 8)])
    form("GatedRMSNorm", [f(2, 8), f(4), f(2, 8)], activation="sigmoid")
    form("GatedAdd", [f(2, 3, 8), f(2, 3, 8), f(2, 3, 1)])
    form("GatedAdd", [f(5, 4), f(5, 4), f(5, 1)])
    form("EngramGate", [f(2, 3, 4, 8), f(2, 3, 4, 8), f(2, 3, 8), f(4, 8), f(4, 8)])
    form("EngramGate", [f(1, 3, 2, 8), f(1, 3, 2, 8), f(1, 3, 8), f(2, 8), f(2, 8), f(2, 8)], outputs=2)
    form("HyperConnectionPreMix", [f(2, 3, 4, 8), f(2, 3, 4)])
    form("HyperConnectionPreMix", [f(2, 3, 32), f(2, 3, 4)], num_branches=4)
    form("HyperConnectionPostMix", [f(2, 3, 4, 8), f(2, 3, 8), f(2, 3, 4)])
    form("HyperConnectionPostMix", [f(2, 3, 32), f(2, 3, 8), f(2, 3, 4)], num_branches=4)
    form("HyperConnectionPostMix", [f(2, 4, 8), f(2, 8), f(2, 4), f(2, 4, 4)])
    form("LinearAttentionGate", [f(2, 3, 4), f(4), f(4)])
    form("LinearAttentionGate", [f(2, 3, 4), f(4), f(4), f(2, 3, 4)], outputs=2)
    form("MoEGroupRouter", [f(5, 8), f(8)], top_k=2, n_group=2, topk_group=1)
    form("MoEGroupRouter", [f(2, 3, 8), f(8)], top_k=2, n_group=4, topk_group=2)
    form("MoEGroupRouter", [f(5, 8), f(8)], outputs="011", top_k=2, n_group=1, topk_group=1)


def norms():
    for skip in ((2, 3, 8), (1, 3, 8), (3, 8)):
        form("SkipLayerNormalization", [f(2, 3, 8), f(*skip), f(8), f(8)])
    form("SkipLayerNormalization", [f(2, 3, 8), f(2, 3, 8), f(8), f(8), f(8)], outputs="1001")
    form("SkipLayerNormalization", [f(6, 8), f(6, 8), f(8)])
    form("SkipLayerNormalization", [h(2, 3, 8), h(2, 3, 8), h(8), h(8)], outputs="1001")
    form("SkipSimplifiedLayerNormalization", [f(2, 3, 8), f(2, 3, 8), f(8)], outputs="1001")
    form("SkipSimplifiedLayerNormalization", [f(6, 8), f(6, 8), f(8)])
    form("SkipSimplifiedLayerNormalization", [f(2, 3, 8), f(3, 8), f(8), f(8)], outputs="1001")
    table = [f(9, 8), f(16, 8), f(2, 8), f(8), f(8)]
    form("EmbedLayerNormalization", [ids(2, 5), ids(2, 5, hi=2), *table], outputs=2)
    form("EmbedLayerNormalization", [ids(2, 5), ids(2, 5, hi=2), *table, ids(2, 5, hi=2)], outputs=2, mask_index_type=1)
    form("EmbedLayerNormalization", [ids(2, 5), ids(2, 5, hi=2), *table, None, ids(1, 5)], outputs=3)
    form("EmbedLayerNormalization", [ids(1, 4), None, f(9, 8), f(16, 8), None, f(8), f(8)], outputs=2)
    q = [u8(9, 8), u8(16, 8), u8(2, 8), u8(8), u8(8)]
    form("QEmbedLayerNormalization", [ids(2, 5), ids(2, 5, hi=2), *q, ids(2, 5, hi=2), *[SCALE] * 5, *[ZERO] * 5], outputs=2)
    form("QEmbedLayerNormalization", [ids(2, 5), None, q[0], q[1], None, q[3], q[4], None, SCALE, SCALE, None, SCALE, SCALE, ZERO, ZERO, None, ZERO, ZERO], outputs=2)
    for shape in ((1, 2, 3, 8), (2, 3, 16)):
        form("RotaryEmbedding", [f(*shape), i64([0]), f(16, 4), f(16, 4)])
    form("RotaryEmbedding", [f(2, 3, 16), ids(2, 3, t=np.int64), f(16, 2), f(16, 2)], num_heads=2, rotary_embedding_dim=4)
    form("MRotaryEmbedding", [f(2, 3, 16), ids(3, 2, 3, t=np.int64), f(16, 4), f(16, 4)], mrope_section=[2, 1, 1], num_heads=2)
    form("MRotaryEmbedding", [f(2, 2, 3, 8), ids(3, 2, 3, t=np.int64), f(16, 4), f(16, 4)], mrope_section=[2, 1, 1])


def products():
    for a, b, kw in (((2, 3), (3, 4), {}), ((3, 2), (3, 4), {"transA": 1}), ((5, 2, 3), (5, 4, 3), {"transB": 1}), ((2, 1, 2, 3), (5, 4, 3), {"transB": 1}),
                     ((2, 3), (5, 3, 4), {}), ((5, 3, 2), (4, 3), {"transA": 1, "transB": 1, "alpha": 0.5})):
        form("FusedMatMul", [f(*a), f(*b)], **kw)
        if "alpha" not in kw:
            form("TransposeMatMul", [f(*a), f(*b)], **kw)
    form("FusedMatMul", [f(3), f(3, 4)])
    form("FusedMatMul", [f(2, 3), f(3)])
    form("FusedMatMul", [f(3), f(3)], transA=1)
    form("FusedMatMul", [f(2, 5, 3), f(5, 3, 4)], transBatchA=1)
    form("FusedMatMul", [f(2, 5, 7, 3), f(5, 7, 3, 4)], transBatchA=1)
    form("FusedMatMul", [f(5, 7, 2, 3), f(3, 5, 7, 4)], transBatchB=1)
    form("FusedMatMul", [f(3, 5, 2), f(5, 3, 4)], transBatchA=1, transA=1)
    form("FusedMatMul", [f(3, 5, 2), f(4, 5, 3)], transBatchA=1, transA=1, transBatchB=1, transB=1)
    for kw, a, b in (({}, (2, 3), (3, 4)), ({"transA": 1}, (3, 2), (3, 4)), ({"transB": 1}, (2, 3), (4, 3))):
        form("FusedGemm", [f(*a), f(*b)], activation="Relu", **kw)
        form("FusedGemm", [f(*a), f(*b), f(4)], activation="LeakyRelu", activation_alpha=0.1, **kw)
        form("FusedGemm", [f(*a), f(*b), f(2, 1)], activation="Relu", **kw)
    for shape in ((5, 32), (2, 3, 32), (32,)):
        form("MatMulNBits", [f(*shape), u8(7, 1, 16), f(7)], const=(1, 2), K=32, N=7, bits=4, block_size=32)
    form("MatMulNBits", [f(2, 3, 64), u8(7, 4, 8), f(28), u8(14), None, f(7)], const=(1, 2, 3), K=64, N=7, bits=4, block_size=16)
    form("MatMulNBits", [f(2, 64), u8(8, 2, 32), f(16)], const=(1, 2), K=64, N=8, bits=8, block_size=32)
    form("MatMulNBits", [f(0, 32), u8(7, 1, 16), f(7)], const=(1, 2), K=32, N=7, bits=4, block_size=32)
    for shape in ((5, 32), (2, 3, 32)):
        form("MatMulBnb4", [f(*shape), u8(32 * 6 // 2), f(6)], const=(1, 2), K=32, N=6, block_size=32, quant_type=0)
        form("MatMulBnb4", [f(*shape), u8(32 * 6 // 2), f(6)], const=(1, 2), K=32, N=6, block_size=32, quant_type=1)
    form("MatMulBnb4", [f(2, 6), u8(32 * 6 // 2), f(6)], const=(1, 2), K=32, N=6, block_size=32, quant_type=0, transB=0)
    form("MatMulInteger16", [ids(2, 3, t=np.int16), ids(3, 4, t=np.int16)])
    form("MatMulInteger16", [ids(5, 2, 3, t=np.int16), ids(3, 4, t=np.int16)])
    for a in ((2, 3), (5, 2, 3)):
        form("MatMulIntegerToFloat", [u8(*a), i8(3, 4), SCALE, SCALE, ZERO, ZERO_I])
        form("MatMulIntegerToFloat", [u8(*a), u8(3, 4), SCALE, f(4), ZERO, u8(4), f(4)])
        form("MatMulIntegerToFloat", [u8(*a), u8(3, 4), SCALE, SCALE])
        form("DynamicQuantizeMatMul", [f(*a), u8(3, 4), SCALE, ZERO])
        form("DynamicQuantizeMatMul", [f(*a), i8(3, 4), f(4), i8(4), f(4)])
    form("DynamicQuantizeMatMul", [f(2, 3), u8(3, 4), SCALE])
    for kw, a, b in (({}, (2, 3), (3, 4)), ({"transA": 1}, (3, 2), (3, 4)), ({"transB": 1}, (2, 3), (4, 3))):
        form("QGemm", [u8(*a), SCALE, ZERO, u8(*b), SCALE, ZERO], **kw)
        form("QGemm", [u8(*a), SCALE, ZERO, i8(*b), SCALE, ZERO_I, i32([1, 2, 3, 4]), SCALE, ZERO], **kw)
    form("CDist", [f(3, 4), f(5, 4)], metric="euclidean")
    form("CDist", [f(1, 4), f(5, 4)], metric="sqeuclidean")
    for ndim, bits in ((1, 4), (2, 4)):
        data, at = u8(6, 16), ids(*(2, 3)[:ndim], hi=6, t=np.int64)
        form("GatherBlockQuantized", [data, at, f(6, 2)], const=(0, 2), gather_axis=0, quantize_axis=1, block_size=16, bits=bits)
        form("GatherBlockQuantized", [data, at, f(6, 2), u8(6, 1)], const=(0, 2, 3), gather_axis=0, quantize_axis=1, block_size=16, bits=bits)
    form("GatherBlockQuantized", [u8(6, 16), np.array(2, np.int64), f(6, 1)], const=(0, 2), gather_axis=0, quantize_axis=1, block_size=16, bits=8)
    form("GatherBlockQuantized", [u8(6, 3, 16), ids(4, hi=6), f(6, 3, 1)], const=(0, 2), gather_axis=0, quantize_axis=2, block_size=16, bits=8)
    for tokens in ((5,), (2, 3)):
        rows = int(np.prod(tokens))
        form("MoE", [f(*tokens, 8), f(rows, 4), f(4, 16, 8), f(4, 16), f(4, 8, 16), f(4, 8)], k=2, activation_type="gelu")
        form("MoE", [f(*tokens, 8), f(rows, 4), f(4, 32, 8), None, f(4, 8, 16)], k=1, activation_type="swiglu", swiglu_fusion=1)
        form("QMoE", [f(*tokens, 32), f(rows, 4), u8(4, 64, 16), f(4, 64), None, u8(4, 32, 32), f(4, 32)],
             const=(2, 3, 5, 6), k=2, activation_type="silu", expert_weight_bits=4)


def quantized():
    for op in ("QLinearAdd", "QLinearMul"):
        for a, b in (((2, 3), (2, 3)), ((2, 3), (3,)), ((4, 1, 3), (2, 1)), ((2, 3), ())):
            form(op, [u8(*a), SCALE, ZERO, u8(*b), SCALE, ZERO, SCALE, ZERO])
        form(op, [i8(2, 3), SCALE, ZERO_I, i8(1, 3), SCALE, ZERO_I, SCALE, ZERO_I])
    for op in ("QLinearLeakyRelu", "QLinearSigmoid"):
        for shape in ((2, 3), (4,), (1, 2, 3, 4)):
            form(op, [u8(*shape), SCALE, ZERO, SCALE, ZERO])
        form(op, [i8(2, 3), SCALE, ZERO_I, SCALE, ZERO_I])
    for shape, axis in (((2, 3), 1), ((2, 3, 4), -1), ((2, 3, 4), 1)):
        form("QLinearSoftmax", [u8(*shape), SCALE, ZERO, SCALE, ZERO], const=(1, 2, 3, 4), axis=axis, opset=13 if axis < 0 else 11)
    for shapes, axis in ((((2, 3), (2, 4)), 1), (((2, 3), (5, 3), (1, 3)), 0), (((2, 3, 1), (2, 3, 4)), -1)):
        form("QLinearConcat", [SCALE, ZERO] + [x for s in shapes for x in (u8(*s), SCALE, ZERO)], axis=axis)
    for c, x, y in (((2, 3), (2, 3), (2, 3)), ((3,), (2, 1), (2, 3)), ((2, 1), (3,), (1, 3))):
        form("QLinearWhere", [u8(*c, hi=1).astype(bool), u8(*x), SCALE, ZERO, u8(*y), SCALE, ZERO, SCALE, ZERO])
    for axis in (None, 1):
        kw = {} if axis is None else {"axis": axis}
        s, z = (SCALE, ZERO) if axis is None else (np.abs(f(3)) + 1, u8(3))
        form("QuantizeLinear", [f(2, 3, 4), s, z], **kw)
        form("DequantizeLinear", [u8(2, 3, 4), s, z], **kw)
    form("QuantizeLinear", [f(2, 3), SCALE, np.array(0, np.int16)])
    form("QuantizeLinear", [f(2, 3), SCALE, np.array(0, np.uint16)])
    form("DequantizeLinear", [ids(2, 3, t=np.int16), SCALE, np.array(0, np.int16)])
    form("DequantizeLinear", [ids(2, 3), SCALE])
    for last in (0, 1):
        x = u8(1, 7, 9, 4) if last else u8(1, 4, 7, 9)
        form("QLinearAveragePool", [x, SCALE, ZERO, SCALE, ZERO], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], channels_last=last)
        form("QLinearAveragePool", [x, SCALE, ZERO, SCALE, ZERO], kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1, channels_last=last)
        form("QLinearGlobalAveragePool", [x, SCALE, ZERO, SCALE, ZERO], channels_last=last)
        w = u8(6, 4, 3, 3)
        form("QLinearConv", [x, SCALE, ZERO, w, SCALE, ZERO, SCALE, ZERO], const=(1, 2, 3, 4, 5, 6, 7), pads=[1, 1, 1, 1], strides=[2, 1], channels_last=last)
        form("QLinearConv", [x, SCALE, ZERO, i8(6, 2, 3, 3), f(6) ** 2, np.zeros(6, np.int8), SCALE, ZERO, ids(6)], const=(1, 2, 3, 4, 5, 6, 7, 8), group=2, dilations=[2, 2],
             channels_last=last)
    for kw in ({}, {"strides": [2, 2]}, {"pads": [1, 1, 1, 1], "ceil_mode": 1, "strides": [2, 2]}, {"auto_pad": "SAME_UPPER", "strides": [2, 2]}):
        form("NhwcMaxPool", [u8(1, 7, 9, 4)], kernel_shape=[3, 3], **kw)
    form("NhwcMaxPool", [i8(2, 7, 4)], kernel_shape=[2])


def windows():
    for kw in ({}, {"strides": [2, 2]}, {"pads": [1, 2, 0, 1]}, {"auto_pad": "SAME_LOWER"}, {"dilations": [2, 1]}):
        form("FusedConv", [f(2, 4, 9, 8), f(6, 4, 3, 3), f(6)], activation="Relu", **kw)
        form("FusedConv", [f(2, 4, 9, 8), f(6, 2, 3, 3)], activation="LeakyRelu", activation_params=[0.1], group=2, **kw)
        form("MaxpoolWithMask", [f(1, 4, 9, 8), ids(1, 4, 9, 8)], kernel_shape=[3, 3], **{k: v for k, v in kw.items() if k != "dilations"})
    form("FusedConv", [f(2, 4, 9), f(6, 4, 3)], activation="Relu")
    form("FusedConv", [f(1, 4, 9, 8), f(6, 4, 3, 3), f(6), f(1, 6, 7, 6)], activation="Relu")
    form("ConvTransposeWithDynamicPads", [f(1, 4, 5, 6), f(4, 3, 3, 3), i64(1, 0, 1, 2)], const=(2,), strides=[2, 2])
    form("ConvTransposeWithDynamicPads", [f(1, 4, 5, 6), f(4, 3, 3, 3), i64(0, 0, 0, 0), f(3)], const=(2,))
    form("ConvTransposeWithDynamicPads", [f(1, 4, 5, 6), f(4, 3, 3, 3), i64(1, 1, 1, 1)], const=(2,), strides=[2, 2], output_padding=[1, 1])
    for size in ((2, 3), (1, 1)):
        form("CropAndResize", [f(2, 3, 8, 9), f(4, 4), ids(4, hi=2), i32(*size)], const=(3,))
        form("CropAndResize", [f(2, 3, 8, 9), f(1, 4), ids(1, hi=2), i32(*size)], const=(3,), mode="nearest")
    for kw in ({"size": 2}, {"size": 3, "step": 2}, {"size": 2, "dim": 1}, {"size": 4, "dim": 0, "step": 3}):
        form("UnfoldTensor", [f(4, 5, 6)], **kw)
    form("GridSample", [f(2, 3, 5, 6), f(2, 4, 7, 2)])
    form("GridSample", [f(1, 3, 5, 6), f(1, 4, 7, 2)], mode="nearest", align_corners=1)
    form("CausalConvWithState", [f(2, 4, 7), f(4, 1, 3)], outputs=2)
    form("CausalConvWithState", [f(2, 4, 7), f(4, 1, 3), f(4), f(2, 4, 2)], outputs=2, activation="silu")
    form("CausalConvWithState", [f(2, 4, 7), f(4, 1, 3), f(4), f(2, 4, 4)], outputs=2, dilation=2)
    form("CausalConvWithState", [f(2, 7, 4), f(4, 1, 3), None, f(2, 2, 4)], outputs=2, channels_last=1)
    form("CausalConvWithState", [f(2, 7, 2, 4), f(8, 1, 3)], outputs=2, channels_last=1)
    starts = i32(0, 3, 7)
    form("VarlenCausalConvWithState", [f(7, 4), f(4, 1, 3), starts, None, f(2, 4, 2)], outputs=2)
    form("VarlenCausalConvWithState", [f(7, 4), f(4, 1, 3), starts, f(4), f(2, 4, 4), i32(1, 2)], outputs=3, dilation=2, state_update_capacity=3)


def blocked():
    """The blocked layout's operators, whose channels are already whole blocks of 16 (of 8 on some machines)."""
    nchwc = "com.microsoft.nchwc"
    x = f(1, 16, 7, 8)
    form("ReorderInput", [f(1, 16, 7, 8)], domain=nchwc)
    form("ReorderInput", [f(1, 7, 8, 32)], domain=nchwc, channels_last=1)
    form("ReorderInput", [f(1, 20, 7, 8)], domain=nchwc)
    form("ReorderOutput", [x], domain=nchwc, channels=12)
    form("ReorderOutput", [x], domain=nchwc, channels=12, channels_last=1)
    for kw in ({"kernel_shape": [3, 3]}, {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2]}, {"kernel_shape": [2, 2], "auto_pad": "SAME_UPPER"}):
        form("MaxPool", [x], domain=nchwc, **kw)
        form("AveragePool", [x], domain=nchwc, **kw)
        if kw["kernel_shape"] == [3, 3]:
            form("Conv", [x, f(32, 16, 3, 3), f(32)], domain=nchwc, const=(1, 2), **kw)
            form("Conv", [f(1, 3, 7, 8), f(16, 3, 3, 3)], domain=nchwc, const=(1,), activation="Relu", **kw)
    form("GlobalAveragePool", [x], domain=nchwc)
    form("GlobalMaxPool", [x], domain=nchwc)
    form("Upsample", [x], domain=nchwc, scales=[1, 1, 2, 3])


def shapes():
    for axis in (0, 1, 2, -1, -3):
        form("ExpandDims", [f(2, 3), np.array(axis, np.int32)], const=(1,))
    form("ExpandDims", [f(4), i32([-1])], const=(1,))
    form("ExpandDims", [f(), np.array(0, np.int32)], const=(1,))
    form("Range", [i64(1), i64(7)], const=(0, 1))
    form("Range", [np.array(1, np.float32), np.array(4.5, np.float32)], const=(0, 1))
    form("Range", [i32(9), i32(2), i32(-3)], const=(0, 1, 2))
    form("Range", [i64([1]), i64([7]), i64([2])], const=(0, 1, 2))
    form("Range", [i64(7), i64(1)], const=(0, 1))
    form("Pad", [f(2, 3), i64(1, 0, 0, 2)], const=(1,))
    form("Pad", [f(2, 3), i64(1, 0, 0, 2), np.array([1], np.float32)], const=(1,), mode="constant")
    form("Pad", [f(4, 5), i64(1, 1, 1, 1)], const=(1,), mode="reflect")
    form("Pad", [f(4, 5), i64(-1, 0, 0, -2)], const=(1,))
    form("Pad", [f(2, 3), i64([[1, 0, 0, 2]])], const=(1,))
    form("Unique", [f(5)], outputs=3)
    form("Unique", [np.array([2, 1, 2, 3], np.float32)], outputs=3)
    form("GatherND", [f(2, 3, 4), ids(5, 2, hi=2)])
    form("GatherND", [f(2, 3), ids(4, 1, 2, hi=2, t=np.int64)])
    form("GatherND", [f(2, 3, 4), ids(1, hi=2)])
    for x in (np.array(["a b c", "d"]), np.array([["a b", "c"], ["d e f g", ""]])):
        form("Tokenizer", [x], mark=0, pad_value="#", separators=[" "], mincharnum=1)
        form("Tokenizer", [x], mark=1, pad_value="#", tokenexp=r"\w", mincharnum=1)
    form("WordConvEmbedding", [ids(2, 5), f(6, 1, 2, 3), f(6), f(9, 3)], const=(1, 2, 3), conv_window_size=2, embedding_size=6, char_embedding_size=3)
    form("WordConvEmbedding", [ids(4, 2, 5), f(6, 1, 2, 3), f(6), f(9, 3)], const=(1, 2, 3))
    form("NGramRepeatBlock", [ids(2, 5, t=np.int64), f(2, 9)], ngram_size=2)
    form("NGramRepeatBlock", [ids(1, 3, t=np.int64), f(1, 9)], ngram_size=1)
    form("DynamicTimeWarping", [f(3, 5)])
    form("DynamicTimeWarping", [f(1, 4, 2)])
    form("BifurcationDetector", [ids(4, t=np.int64), ids(3, t=np.int64), i64(0)], outputs=2)
    form("BifurcationDetector", [ids(4, t=np.int64), ids(2, t=np.int64), i64(0), ids(5, t=np.int64)], outputs=2)
    gram = dict(pad_id=0, n_head_per_ngram=2, max_ngram_size=3)
    form("NGramHashMapping", [ids(2, 5, t=np.int64), i64(3, 5, 7), i64(11, 13, 17, 19)], outputs=2, **gram)
    form("NGramHashMapping", [ids(2, 5), i32(3, 5, 7), i32(11, 13, 17, 19), ids(2, 2)], outputs=1, **gram)
    form("VarlenNGramHashMapping", [ids(7, t=np.int64), i64(3, 5, 7), i64(11, 13, 17, 19), i32(0, 3, 7)], outputs=2, **gram)
    form("VarlenNGramHashMapping", [ids(7, t=np.int64), i64(3, 5, 7), i64(11, 13, 17, 19), i32(0, 3, 7), ids(2, 2, t=np.int64)], outputs=2, **gram)


def recurrent():
    for direction, d in (("forward", 1), ("bidirectional", 2)):
        kw = dict(hidden_size=4, direction=direction)
        for last in (0, 1):
            w, r = (u8, ZERO) if last else (i8, ZERO_I)
            q = [w(d, 3, 16), w(d, 4, 16), f(d, 32)] + ([i32([5, 5]), f(d, 2, 4), f(d, 2, 4)] if last else [None] * 3) + [None]
            form("DynamicQuantizeLSTM", [f(5, 2, 3), *q, f(d), w(d), f(d), w(d)], outputs=3, const=(1, 2, 8, 9, 10, 11), **kw)
        form("DynamicQuantizeLSTM", [f(5, 2, 3), i8(d, 3, 16), i8(d, 4, 16), None, None, None, None, None, f(d, 16), np.zeros((d, 16), np.int8), f(d, 16), np.zeros((d, 16), np.int8)], outputs="101",
             const=(1, 2, 8, 9, 10, 11), **kw)
        attention = [f(d, 4, 6), f(d, 5, 6), f(d, 6), f(2, 7, 5), i32([7, 6]), f(d, 9, 3)]
        form("AttnLSTM", [f(5, 2, 3), f(d, 16, 6), f(d, 16, 4), f(d, 32), i32([5, 4]), None, None, None, *attention], outputs=3, **kw)


def attention():
    kw = {"num_heads": 2}
    for b, s in ((1, 4), (2, 3)):
        form("Attention", [f(b, s, 8), f(8, 24), f(24)], **kw)
        form("Attention", [f(b, s, 8), f(8, 24), f(24), np.ones((b, s), np.int32)], **kw)
        form("Attention", [f(b, s, 8), f(8, 24), f(24)], outputs=2, unidirectional=1, **kw)
        form("Attention", [f(b, s, 8), f(8, 24), f(24), None, f(2, b, 2, 5, 4)], outputs=2, **kw)
        form("Attention", [f(b, s, 8), f(8, 24), f(24), None, f(2, b, 2, 0, 4)], outputs=2, unidirectional=1, **kw)
        form("Attention", [f(b, s, 8), f(8, 22), f(22)], qkv_hidden_sizes=[8, 8, 6], **kw)
        for zero, x, w in ((ZERO, u8, u8), (ZERO, u8, i8)):
            wz = ZERO if w is u8 else ZERO_I
            form("QAttention", [x(b, s, 8), w(8, 24), f(24), SCALE, SCALE, None, zero, wz], const=(1, 3, 4, 6, 7), **kw)
            form("QAttention", [x(b, s, 8), w(8, 24), f(24), SCALE, SCALE, None, zero, wz, f(2, b, 2, 5, 4)], outputs=2, const=(1, 3, 4, 6, 7), unidirectional=1, **kw)
        q, k, v = f(b, s, 8), f(b, 5, 8), f(b, 5, 8)
        form("MultiHeadAttention", [q, k, v], **kw)
        form("MultiHeadAttention", [q, k, f(b, 5, 6)], **kw)
        form("MultiHeadAttention", [q, k, v, f(24)], outputs=3, **kw)
        form("MultiHeadAttention", [q, k, v], outputs="1111", declare=(3,), **kw)
        form("MultiHeadAttention", [q, f(b, 2, 5, 4), f(b, 2, 5, 4)], **kw)
        form("MultiHeadAttention", [q, f(b, s, 8), f(b, s, 8), None, None, None, f(b, 2, 5, 4), f(b, 2, 5, 4)], outputs=3, **kw)
        form("MultiHeadAttention", [q, f(b, s, 8), f(b, s, 8), None, None, f(1, 1, s, s + 5), f(b, 2, 5, 4), f(b, 2, 5, 4)], outputs=4, declare=(3,), **kw)
        one = f(b, 1, 8)
        form("DecoderMaskedMultiHeadAttention", [one, f(b, 2, 5, 4), f(b, 2, 5, 4)], **kw)
        form("DecoderMaskedMultiHeadAttention", [one, one, one, None, None, f(b, 2, 9, 4), f(b, 2, 9, 4), i32([4])], outputs=3, past_present_share_buffer=1, **kw)
        form("DecoderMaskedMultiHeadAttention", [one, one, one, None, None, f(b, 2, 9, 4), f(b, 2, 9, 4), i32([4]), i32([1]), ids(b, 1, 9, hi=1), f(24)], outputs=3,
             past_present_share_buffer=1, **kw)
        grouped = dict(num_heads=4, kv_num_heads=2)
        for past, total in ((5, 5 + s), (0, s), (8, 8)):
            lengths, t = np.full(b, total - 1, np.int32), np.array(total, np.int32)
            if past and s > 1 and (b > 1 or past == 8):     # the kernel takes one sequence, and no more than fits
                continue
            cache = [f(b, 2, past, 8), f(b, 2, past, 8)]
            form("GroupQueryAttention", [f(b, s, 32), f(b, s, 16), f(b, s, 16), *cache, lengths, t], outputs=3, const=(6,), **grouped)
            wide = [f(b, 2, past, 16), f(b, 2, past, 16)]
            form("GroupQueryAttention", [f(b, s, 128), None, None, *wide, lengths, t, f(32, 8), f(32, 8)], outputs=3, const=(6,), do_rotary=1, **grouped)
            form("GroupQueryAttention", [f(b, s, 32), f(b, s, 16), f(b, s, 16), *cache, lengths, t], outputs=4, const=(6,), qk_output=1, **grouped)
        form("GroupQueryAttention", [f(b, 1, 32), f(b, 1, 16), f(b, 1, 16), f(b, 2, 9, 8), f(b, 2, 9, 8), np.full(b, 5, np.int32), np.array(6, np.int32)], outputs=3, const=(6,), **grouped)
        form("GroupQueryAttention", [f(b, s, 32), f(b, s, 16), f(b, s, 16), None, None, np.full(b, s - 1, np.int32), np.array(s, np.int32)], outputs=3, const=(6,), **grouped)
        linear = dict(q_num_heads=4, kv_num_heads=2)
        form("LinearAttention", [f(b, s, 32), f(b, s, 16), f(b, s, 12)], outputs=2, update_rule="linear", **linear)
        form("LinearAttention", [f(b, s, 32), f(b, s, 16), f(b, s, 12), f(b, 2, 8, 6), f(b, s, 2), f(b, s, 2)], outputs=2, **linear)
        form("LinearAttention", [f(b, s, 16), f(b, s, 16), f(b, s, 24), f(b, 4, 8, 6), f(b, s, 4), f(b, s, 1)], outputs=2, q_num_heads=2, kv_num_heads=4)
    state = f(2, 4, 6, 8)
    form("GatedDeltaNet", [f(7, 2, 8), f(7, 2, 8), f(7, 4, 6), i32(0, 3, 7), f(7, 4), f(7, 4), state], outputs=2, qk_l2_norm=1)
    form("GatedDeltaNet", [f(2, 3, 2, 8), f(2, 3, 2, 8), f(2, 3, 4, 6), None, f(2, 3, 4), f(2, 3, 4), state], outputs=2, qk_l2_norm=1)
    form("GatedDeltaNet", [f(6, 2 * 2 * 8 + 4 * 6), None, None, None, f(6, 4), f(6, 4), state], outputs=2, qk_l2_norm=1)
    form("GatedDeltaNet", [f(7, 2, 8), f(7, 2, 8), f(7, 4, 6), i32(0, 3, 7), f(7, 4, 8), f(7, 4), state, None, None, i32(1, 2)], outputs=3, qk_l2_norm=1, state_update_capacity=3)


def decoder():
    """A GPT-2-like decoder that is enough to be generated with: logits from a table, keys and values from the ids."""
    def const(name, array):
        return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array))

    nodes = [
        const("table", f(8, 8)), const("axes", i64(0, 2, 4)), const("to", i64(2, 1, 1, 1, 4)),
        helper.make_node("Gather", ["table", "input_ids"], ["logits"]),
        helper.make_node("Cast", ["input_ids"], ["tokens"], to=1), helper.make_node("Unsqueeze", ["tokens", "axes"], ["spread"]),
        helper.make_node("Expand", ["spread", "to"], ["kv"]),
        helper.make_node("Concat", ["past_0", "kv"], ["present_0"], axis=3),
        helper.make_node("ReduceSum", ["attention_mask"], ["unused"]),
    ]
    value = helper.make_tensor_value_info
    return helper.make_graph(
        nodes, "decoder",
        [value("input_ids", 6, ["b", "s"]), value("position_ids", 6, ["b", "s"]), value("attention_mask", 6, ["b", "t"]), value("past_0", 1, [2, "b", 1, "p", 4])],
        [value("logits", 1, ["b", "s", 8]), value("present_0", 1, [2, "b", 1, "t", 4])])


def generation():
    common = dict(decoder=decoder(), eos_token_id=7, pad_token_id=7)
    for b, most in ((1, 9), (2, 12)):
        form("GreedySearch", [ids(b, 3), i32([most])], const=(1,), **common)
        form("GreedySearch", [ids(b, 3), i32([most]), i32([1]), np.array([1.0], np.float32)], const=(1, 2, 3), vocab_size=8, **common)
        form("Sampling", [ids(b, 3), i32([most])], const=(1,), temperature=1.0, top_p=0.5, filter_value=-1e9, min_tokens_to_keep=1, **common)
        for beams, returned in ((2, 1), (3, 2)):
            more = [i32([most]), i32([1]), i32([beams]), i32([returned]), np.array([1.0], np.float32), np.array([1.0], np.float32)]
            form("BeamSearch", [ids(b, 3), *more], const=(1, 2, 3, 4, 5, 6), **common)
            form("BeamSearch", [ids(b, 3), *more], outputs=2, const=(1, 2, 3, 4, 5, 6), vocab_size=8, **common)
            form("BeamSearch", [ids(b, 3), *more], outputs=3, const=(1, 2, 3, 4, 5, 6), vocab_size=8, **common)


for part in (elementwise, norms, products, quantized, windows, blocked, shapes, recurrent, attention, generation):
    part()

# ---- running them ----

NAMES = (None, "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "float64", "uint32", "uint64")


def elem_type(array):
    return TensorProto.STRING if array.dtype.kind in "UO" else helper.np_dtype_to_tensor_dtype(array.dtype)


def model_of(spec, open_sizes):
    """The form as a model, and the sizes that its symbols have."""
    op, domain, arrays, wanted, const, attributes, declare = spec
    names, inputs, initializers, binding = [], [], [], {}
    for i, array in enumerate(arrays):
        names.append("" if array is None else f"x{i}")
        if array is None:
            continue
        if i in const:
            initializers.append(numpy_helper.from_array(np.asarray(array), f"x{i}"))
            continue
        dims = list(array.shape)
        if open_sizes:
            dims = [f"x{i}_{k}" for k in range(array.ndim)]
            binding.update(zip(dims, array.shape))
        inputs.append(helper.make_tensor_value_info(f"x{i}", elem_type(np.asarray(array)), dims))
    outputs = [f"y{o}" if w == "1" else "" for o, w in enumerate(wanted)]
    infos = [helper.make_tensor_value_info(o, 1, None) if k in declare else onnx.ValueInfoProto(name=o) for k, o in enumerate(outputs) if o]
    graph = helper.make_graph([helper.make_node(op, names, outputs, domain=domain, **attributes)], "form", inputs, infos, initializers)
    domains = [helper.make_opsetid("", OPSET), helper.make_opsetid(domain, 1)]
    return helper.make_model(graph, opset_imports=domains, ir_version=10), binding


def run(spec):
    """What comes out: name -> (type, shape). Raises where ONNX Runtime refuses."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model_of(spec, False)[0].SerializeToString(), options, providers=["CPUExecutionProvider"])
    feed = {f"x{i}": np.asarray(a) for i, a in enumerate(spec[2]) if a is not None and i not in spec[4]}
    values = session.run(None, feed)
    return {o.name: (NAMES[elem_type(np.asarray(v))], list(np.shape(v))) for o, v in zip(session.get_outputs(), values)}


def serve(pipe):
    """Runs form after form, by their numbers, in a process of its own: a runtime that aborts takes only that with it."""
    while True:
        try:
            pipe.send((run(FORMS[pipe.recv()]), None))
        except EOFError:
            return
        except Exception as error:      # whatever the runtime says
            pipe.send((None, str(error)))


def run_all(numbers):
    """For each form (its outputs, None) or (None, why not)."""
    results, process = [], None
    for number in numbers:
        if not process:
            pipe, end = multiprocessing.Pipe()
            process = multiprocessing.Process(target=serve, args=(end,), daemon=True)
            process.start()
            end.close()
        try:
            pipe.send(number)
            results.append(pipe.recv())
        except (EOFError, BrokenPipeError, ConnectionResetError):
            results.append((None, "the runtime aborts"))
            process = None
    return results


# Reads lines of { path, binding, names }, answers each with { name: { type, shape } } and errors; a size that stays open is null.
INFER = """
import { readFileSync } from 'node:fs';
import { inferShapesSync } from './js/model.js';
const asked = readFileSync(0, 'utf8').trim().split('\\n').map((line) => JSON.parse(line));
for (const { path, binding, names } of asked) {
    const result = inferShapesSync(readFileSync(path)), out = {};
    const size = (dim) => { try { return Number(result.evaluate(dim, binding)); } catch (e) { return e.message.includes('no value') ? null : e.message; } };
    for (const name of names) {
        const value = result.get(name);
        out[name] = { type: value?.type ?? null, shape: value?.shape?.map(size) ?? null };
    }
    out.errors = result.diagnostics.filter((d) => d.severity === 'error' || d.code === 'unknown-operator').map((d) => d.message);
    console.log(JSON.stringify(out));
}
"""


def infer(asked):
    text = "\n".join(json.dumps(a) for a in asked)
    done = subprocess.run(["node", "--input-type=module", "-e", INFER], input=text, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def compare(truth, answer):
    """(contradictions, missing) as texts."""
    wrong, missing = list(answer["errors"]), []
    for name, (kind, shape) in truth.items():
        got = answer[name]
        if got["type"] is None:
            missing.append(f"{name}: type")
        elif got["type"] != kind:
            wrong.append(f"{name}: {got['type']} for {kind}")
        if got["shape"] is None:
            missing.append(f"{name}: rank")
        elif len(got["shape"]) != len(shape) or any(g is not None and g != s for g, s in zip(got["shape"], shape)):
            wrong.append(f"{name}: {got['shape']} for {shape}")
        elif None in got["shape"]:
            missing.append(f"{name}: {got['shape']} for {shape}")
    return wrong, missing


def main():
    args = [a for a in sys.argv[1:] if a != "--all"]
    everything = "--all" in sys.argv
    numbers = [i for i, x in enumerate(FORMS) if not args or args[0].lower() in x[0].lower()]
    asked, truths, refused = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for number, (truth, error) in zip(numbers, run_all(numbers)):
            spec = FORMS[number]
            if error:
                refused.append((spec, error))
                continue
            for open_sizes in (False, True):
                model, binding = model_of(spec, open_sizes)
                path = Path(folder) / f"{number}{'o' if open_sizes else ''}.onnx"
                path.write_bytes(model.SerializeToString())
                asked.append({"path": str(path), "binding": binding, "names": list(truth)})
            truths.append((spec, truth))
        answers = infer(asked)
    table = {}
    for (spec, truth), plain, opened in zip(truths, answers[::2], answers[1::2]):
        op = spec[0] if spec[1] == MS else f"{spec[0]} ({spec[1].split('.')[-1]})"
        row = table.setdefault(op, [0, 0, 0, 0])
        row[0] += 1
        for k, answer in enumerate((plain, opened)):
            wrong, missing = compare(truth, answer)
            row[1] += not wrong and not missing
            row[2] += bool(missing) and not wrong
            row[3] += bool(wrong)
            if wrong or missing or everything:
                shapes = ", ".join("-" if a is None else str(list(np.shape(a))) for a in spec[2])
                print(f"{'WRONG' if wrong else 'missing' if missing else 'right'}  {op} {'open ' if k else ''}{shapes}  {'; '.join(wrong + missing)}")
    for spec, error in refused:
        print(f"refused by ONNX Runtime: {spec[0]} {', '.join('-' if a is None else str(list(np.shape(a))) for a in spec[2])}: {error.splitlines()[0][:200]}")
    print(f"\n{'operator':42}{'forms':>6}{'right':>7}{'missing':>9}{'wrong':>7}   (each form twice: as it is, and open)")
    for op, row in sorted(table.items()):
        print(f"{op:42}{row[0]:6}{row[1]:7}{row[2]:9}{row[3]:7}")
    total = [sum(r[k] for r in table.values()) for k in range(4)]
    print(f"{len(table)} operators{'':30}{total[0]:6}{total[1]:7}{total[2]:9}{total[3]:7}")
    return 1 if total[3] or not table else 0


if __name__ == "__main__":
    sys.exit(main())
