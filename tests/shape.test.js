// The operator through JS and wasm.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { shape, shapeInto, shapeVersions } from '../js/index.js';

const INT64_MIN = -(2n ** 63n), INT64_MAX = 2n ** 63n - 1n;
const file = (path) => readFileSync(new URL(path, import.meta.url));
const big = (...dims) => BigInt64Array.from(dims, BigInt);

// As a caller of shape.wasm sees it, without js/.
const kernel = new WebAssembly.Instance(new WebAssembly.Module(file('../wasm/shape.wasm'))).exports;
const buffer = new BigInt64Array(kernel.memory.buffer, kernel.shape_buffer(), 4096);
const halves = (value) => [Number(BigInt(value) >> 32n), Number(BigInt.asIntN(32, BigInt(value)))];

test('the examples of the operator’s specification', () => {
    // Source: ONNX operator Shape, attributes' description, input of shape [2, 3, 4].
    assert.deepEqual(shape([2, 3, 4]), big(2, 3, 4));
    assert.deepEqual(shape([2, 3, 4], { start: -1 }), big(4));
    assert.deepEqual(shape([2, 3, 4], { end: -1 }), big(2, 3));
    assert.deepEqual(shape([2, 3, 4], { start: 1, end: 2 }), big(3));
});

test('every row of the shape table, through shape, shapeInto and both functions of shape.wasm', () => {
    const DIMS = [2, 3, 5, 7, 11, 13, 17, 19], out = Array(8);
    const rows = file('data/shape_table.csv').toString().split('\n').filter((line) => /^\d/.test(line));
    assert.equal(rows.length, 6084);
    for (const line of rows) {
        const [rank, start, end, lo, hi] = line.split(',').map((s) => s === '' ? undefined : BigInt(s));
        const dims = DIMS.slice(0, Number(rank)), expected = dims.slice(Number(lo), Number(hi)), attributes = { start, end };
        assert.deepEqual(shape(dims, attributes), big(...expected), line);
        assert.deepEqual(out.slice(0, shapeInto(dims, out, start, end)), expected, line);

        const args = [dims.length, ...halves(start ?? 0n), ...halves(end ?? rank)];
        const length = kernel.shape_range(...args), begin = Number(buffer[0]);
        assert.deepEqual(dims.slice(begin, begin + length), expected, line);
        dims.forEach((dim, i) => { buffer[i] = BigInt(dim); });
        assert.deepEqual(buffer.slice(0, kernel.shape_slice(...args)), big(...expected), line);

        // Numbers give what bigints give.
        if ([start, end].every((v) => v === undefined || Number.isSafeInteger(Number(v)))) {
            assert.deepEqual(shape(dims, { start: start && Number(start), end: end && Number(end) }), shape(dims, attributes), line);
        }
    }
});

test('every kind of input', () => {
    const kinds = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array];
    for (const Kind of kinds) assert.deepEqual(shape(Kind.of(2, 0, 4), { start: 1 }), big(0, 4), Kind.name);
    for (const Kind of [BigInt64Array, BigUint64Array]) assert.deepEqual(shape(Kind.of(2n, 0n, 4n), { end: -1 }), big(2, 0));
    assert.deepEqual(shape([]), big());
    assert.deepEqual(shape([-0]), big(0));
    assert.deepEqual(shape([2, 3n, Number.MAX_SAFE_INTEGER, INT64_MAX]), BigInt64Array.of(2n, 3n, 2n ** 53n - 1n, INT64_MAX));
    assert.deepEqual(shape({ dims: [1, 3, 224, 224], type: 'float32' }, { start: 2 }), big(224, 224));
    assert.deepEqual(shape({ dims: Int32Array.of(7), type: 'string' }), big(7));
    assert.deepEqual(shape({ dims: [], type: 'bool' }), big());
    assert.deepEqual(shape({ dims: [5], dataType: 1 }, null, { type: 'float' }), big(5));
    const many = Array.from({ length: 10_000 }, (_, i) => i);
    assert.deepEqual(shape(many, { start: 5_000 }), big(...many.slice(5_000)));
});

test('an ONNX Runtime Web tensor', async () => {
    const { Tensor } = await import('onnxruntime-common');
    assert.deepEqual(shape(new Tensor('float32', new Float32Array(24), [2, 3, 4]), { start: -1 }), big(4));
    assert.deepEqual(shape(new Tensor('int64', new BigInt64Array(0), [0, 4])), big(0, 4));
});

test('attributes: numbers, bigints, absent ones', () => {
    assert.deepEqual(shape([2, 3, 4], null), big(2, 3, 4));
    assert.deepEqual(shape([2, 3, 4], {}), big(2, 3, 4));
    assert.deepEqual(shape([2, 3, 4], { start: null, end: undefined }), big(2, 3, 4));
    assert.deepEqual(shape([2, 3, 4], { start: -1n, end: 9 }), big(4));
    assert.deepEqual(shape([2, 3, 4], { start: -0, end: -(2 ** 63) }), big());
    assert.deepEqual(shape([2, 3, 4], { start: INT64_MIN, end: INT64_MAX }), big(2, 3, 4));
    // Halves that would be mistaken for small numbers.
    assert.deepEqual(shape([2, 3, 4], { start: -(2 ** 32), end: 2 ** 32 }), big(2, 3, 4));
    assert.deepEqual(shape([2, 3, 4], { start: 2 ** 32, end: 2 ** 40 }), big());
    assert.deepEqual(shape([2, 3, 4], { start: -(2n ** 32n) + 1n, end: 2n ** 32n - 1n }), big(2, 3, 4));
    assert.deepEqual(shape([2, 3, 4], { start: 2 ** 31 }), big());
    assert.deepEqual(shape([2, 3, 4], { start: -(2 ** 31) - 1 }), big(2, 3, 4));
});

test('attributes: decoded AttributeProto objects', () => {
    const INT = 2;
    const long = (value) => ({ low: Number(BigInt.asIntN(32, value)), high: Number(BigInt.asIntN(32, value >> 32n)), unsigned: false });
    const rows = [
        [[], [2, 3, 4]],
        [[{ name: 'start', type: INT, i: -1 }], [4]],
        [[{ name: 'start', type: INT, i: -1n }], [4]],
        [[{ name: 'start', type: INT, i: long(-1n) }], [4]],
        [[{ name: 'start', type: 'INT', i: 1 }, { name: 'end', type: 'INT', i: 2n }], [3]],
        [[{ name: 'end', type: INT, i: long(INT64_MAX) }, { name: 'start', type: INT, i: long(INT64_MIN) }], [2, 3, 4]],
        [[{ name: 'end', type: INT, i: { low: 2, high: 0 } }], [2, 3]],
        [[{ name: 'start', i: { low: -1, high: 0, unsigned: true } }], []],
        [[{ name: 'end', type: INT }], []],
        [[{ name: 'end', type: INT, i: null }], []],
        [[{ name: 'start', type: INT }], [2, 3, 4]],
        [[{ name: 'end', type: INT, i: 2n, ref_attr_name: null }], [2, 3]],
        [[Object.create({ type: 0, i: 0n, refAttrName: '' }, { name: { value: 'end', enumerable: true } })], []],
    ];
    for (const [attributes, expected] of rows) assert.deepEqual(shape([2, 3, 4], attributes), big(...expected));
});

test('versions and the types that each allows', () => {
    // Source: ONNX's operator schemas, Shape, type constraint T.
    const v1 = ['float32', 'uint8', 'int8', 'uint16', 'int16', 'int32', 'int64', 'string', 'bool', 'float16', 'float64',
        'uint32', 'uint64', 'complex64', 'complex128'];
    const v13 = [...v1, 'bfloat16'], v19 = [...v13, 'float8e4m3fn', 'float8e4m3fnuz', 'float8e5m2', 'float8e5m2fnuz'];
    const v21 = [...v19, 'uint4', 'int4'], v23 = [...v21, 'float4e2m1'], v24 = [...v23, 'float8e8m0'];
    const types = { 1: v1, 13: v13, 15: v13, 19: v19, 21: v21, 23: v23, 24: v24, 25: [...v24, 'uint2', 'int2'] };
    assert.deepEqual(Object.fromEntries(shapeVersions.map((v) => [v.version, v.types])), types);
    assert.deepEqual(shapeVersions.map((v) => v.attributes.join()), ['', '', ...Array(6).fill('start,end')]);
    assert.throws(() => { shapeVersions[0].types.push('int2'); }, TypeError);

    for (let opset = 1; opset <= 27; opset++) {
        const version = Math.max(...Object.keys(types).filter((v) => v <= opset));
        for (const type of types[25]) {
            const allowed = types[version].includes(type);
            for (const name of [type, `tensor(${type})`]) {
                for (const call of [() => shape([2], null, { opset, type: name }), () => shape({ dims: [2], type: name }, {}, { opset })]) {
                    if (allowed) assert.deepEqual(call(), big(2));
                    else assert.throws(call, (e) => e instanceof TypeError && /opset \d+ or later does$/.test(e.message));
                }
            }
        }
        const call = () => shape([2, 3], { start: 1 }, { opset: opset % 2 ? opset : BigInt(opset) });
        if (opset >= 15) assert.deepEqual(call(), big(3));
        else assert.throws(call, { name: 'TypeError', message: /opset 15 or later has$/ });
        assert.deepEqual(shape([2, 3], { start: null, end: undefined }, { opset }), big(2, 3));
    }
    for (const type of ['float', 'double', 'tensor(float)', 'tensor(double)', 'tensor(bfloat16)', 'float4e2m1']) {
        assert.deepEqual(shape([2], {}, { type }), big(2));
    }
    // options.type goes before the input's own: runtimes hold narrow types in wider ones.
    assert.deepEqual(shape({ dims: [2], type: 'uint2' }, {}, { opset: 13, type: 'uint8' }), big(2));
    assert.deepEqual(shape([2], {}, { opset: null, type: undefined }), big(2));
});

test('errors say what, where and what to do', () => {
    class Tensor { dims = 5; }
    const rows = [
        [() => shape([2, -3]), RangeError, /^dims\[1\] is -3: a dim is an integer from 0/],
        [() => shape([2, 1.5]), RangeError, /^dims\[1\] is 1\.5: /],
        [() => shape([NaN]), RangeError, /^dims\[0\] is NaN: /],
        [() => shape([Infinity]), RangeError, /^dims\[0\] is Infinity: /],
        [() => shape([1, 2 ** 53]), RangeError, /^dims\[1\] is 9007199254740992: .*as a bigint$/],
        [() => shape([-1n]), RangeError, /^dims\[0\] is -1n: /],
        [() => shape([2n ** 63n]), RangeError, /^dims\[0\] is 9223372036854775808n: /],
        [() => shape(BigUint64Array.of(1n, 2n ** 63n)), RangeError, /^dims\[1\] is 9223372036854775808n: /],
        [() => shape(Int8Array.of(1, 1, -1), { end: 1 }), RangeError, /^dims\[2\] is -1: /],
        [() => shape({ dims: [1, -1], type: 'float32' }), RangeError, /^input\.dims\[1\] is -1: /],
        [() => shape([2, 'batch']), TypeError, /^dims\[1\] is "batch": /],
        [() => shape([, 2]), TypeError, /^dims\[0\] is undefined: /],
        [() => shape([null]), TypeError, /^dims\[0\] is null: /],
        [() => shape([[1, 2]]), TypeError, /^dims\[0\] is an array: .*sequence/],
        [() => shape([{ dims: [1], type: 'float32' }]), TypeError, /sequence, which no version of Shape allows; pass one tensor/],
        [() => shape(), TypeError, /^input is undefined: pass dims/],
        [() => shape(null), TypeError, /^input is null: /],
        [() => shape('2,3'), TypeError, /^input is "2,3": /],
        [() => shape(5), TypeError, /^input is 5: /],
        [() => shape({}), TypeError, /^input is an object: /],
        [() => shape(new Tensor()), TypeError, /^input is an object: /],
        [() => shape(Float32Array.of(1)), TypeError, /^input is Float32Array: /],
        [() => shape(new DataView(new ArrayBuffer(8))), TypeError, /^input is DataView: /],
        [() => shape({ dims: [1] }), TypeError, /^input\.type is missing: /],
        [() => shape({ dims: [1], type: 1 }), TypeError, /^input\.type is 1: /],
        [() => shape([1], { axis: 1 }), TypeError, /^attributes has "axis": Shape has only start and end$/],
        [() => shape([1], { start: 1.5 }), RangeError, /^start is 1\.5: pass an integer from -2\^63 to 2\^63 - 1$/],
        [() => shape([1], { end: NaN }), RangeError, /^end is NaN: /],
        [() => shape([1], { start: 2 ** 63 }), RangeError, /^start is 9223372036854776000: /],
        [() => shape([1], { end: -(2n ** 63n) - 1n }), RangeError, /^end is -9223372036854775809n: /],
        [() => shape([1], { start: '1' }), TypeError, /^start is "1": /],
        [() => shape([1], { start: { low: 1, high: 0 } }), TypeError, /^start is an object: /],
        [() => shape([1], 1), TypeError, /^attributes is 1: /],
        [() => shape([1], [{ name: 'axis', type: 2, i: 1 }]), TypeError, /^attributes\[0\] is "axis": Shape has only/],
        [() => shape([1], [{ type: 2, i: 1 }]), TypeError, /^attributes\[0\] has no name: /],
        [() => shape([1], [null]), TypeError, /^attributes\[0\] has no name: /],
        [() => shape([1], [{ name: 'start', type: 1, f: 1 }]), TypeError, /^attribute "start" has type 1: it must be INT/],
        [() => shape([1], [{ name: 'start', type: 'FLOAT' }]), TypeError, /^attribute "start" has type "FLOAT": /],
        [() => shape([1], [{ name: 'start', i: 1 }, { name: 'start', i: 1 }]), TypeError, /^attributes\[1\] is a second "start": /],
        [() => shape([1], [{ name: 'start', i: '1' }]), TypeError, /^start is "1": /],
        [() => shape([1], [{ name: 'start', i: {} }]), TypeError, /^attribute "start" is an object: pass a number, a bigint or a Long/],
        [() => shape([1], [{ name: 'end', i: { low: 0, high: -1, unsigned: true } }]), RangeError, /^end is 18446744069414584320n: /],
        [() => shape([1], [{ name: 'end', type: 2, refAttrName: 'e', ref_attr_name: null }]), TypeError, /^attribute "end" refers to "e" of a function: /],
        [() => shape([1], [{ name: 'start', type: 2, ref_attr_name: 's', i: 0n }]), TypeError, /^attribute "start" refers to "s" of a function: /],
        [() => shape([1], new Map([['start', 1]])), TypeError, /^attributes is Map: pass \{ start, end \} or a list/],
        [() => shape([1], null, new Map([['opset', 1]])), TypeError, /^options is Map: pass \{ opset, type \}$/],
        [() => shape([1], null, { opset: 0 }), RangeError, /^options\.opset is 0: .*since opset 1$/],
        [() => shape([1], null, { opset: -5n }), RangeError, /^options\.opset is -5n: /],
        [() => shape([1], null, { opset: 1.5 }), RangeError, /^options\.opset is 1\.5: /],
        [() => shape([1], null, { opset: NaN }), RangeError, /^options\.opset is NaN: /],
        [() => shape([1], null, { opset: '13' }), TypeError, /^options\.opset is "13": /],
        [() => shape([1], null, { opsett: 13 }), TypeError, /^options has "opsett": it knows only opset and type$/],
        [() => shape([1], null, 13), TypeError, /^options is 13: pass \{ opset, type \}$/],
        [() => shape([1], null, { type: 7 }), TypeError, /^options\.type is 7: /],
        [() => shape([1], null, { type: 'flaot' }), TypeError, /^options\.type is "flaot": not an ONNX element type; /],
        [() => shape([1], null, { type: 'seq(tensor(float))' }), TypeError, /no version of Shape \(opset 1 to 25\) allows it; pass a tensor's type$/],
        [() => shape([1], null, { type: 'optional(seq(float32))' }), TypeError, /no version of Shape/],
        [() => shape([1], null, { type: 'float6e2m3' }), TypeError, /no version of Shape/],
        [() => shape([1], null, { type: 'int4', opset: 20 }), TypeError, /^options\.type is "int4": Shape 19 does not allow it, opset 21 or later does$/],
        [() => shape([1], { end: 1 }, { opset: 14 }), TypeError, /^attribute "end": Shape 13 has none, opset 15 or later has$/],
        [() => shapeInto([1, 2], new BigInt64Array(1)), RangeError, /^out has 1 elements: 2 dims are kept; pass a longer array$/],
        [() => shapeInto([1, 2], [0, 0], 0.5), RangeError, /^start is 0\.5: /],
        [() => shapeInto([1, 2], [0, 0], 0, 2n ** 63n), RangeError, /^end is 9223372036854775808n: /],
        [() => shapeInto([1, 2], [0, 0], '0'), TypeError, /^start is "0": /],
    ];
    for (const [call, kind, message] of rows) {
        assert.throws(call, (error) => error.constructor === kind && message.test(error.message)
            && !error.message.includes('\n') && error.message.length < 200, String(call));
    }
});

test('shapeInto writes what is kept and nothing else', () => {
    const out = [9, 9, 9, 9];
    assert.equal(shapeInto([2, 3, 4], out, -2), 2);
    assert.deepEqual(out, [3, 4, 9, 9]);
    assert.equal(shapeInto([], out), 0);
    assert.equal(shapeInto([2, 3], out, null, null), 2);
    const bigs = BigInt64Array.of(-1n, INT64_MAX, 7n);
    assert.equal(shapeInto(bigs, bigs, 1n), 2);
    assert.deepEqual(bigs, BigInt64Array.of(INT64_MAX, 7n, 7n));
    const same = [-1, 5, 6];
    assert.equal(shapeInto(same, same, 0, -1), 2);
    assert.deepEqual(same, [-1, 5, 6]);
    for (const [dims, out] of [[null, [0]], [[1, 2], undefined], [{ dims: [1], type: 'int64' }, [0]]]) assert.throws(() => shapeInto(dims, out), { name: 'TypeError', message: /^shapeInto has .*: pass an array of dims, and one to write to$/ });
});

test('the module compiles at the first call, not at import', () => {
    const script = `
        let compiled = 0;
        const { Module } = WebAssembly;
        WebAssembly.Module = class extends Module { constructor(bytes) { super(bytes); compiled++; } };
        const { shape } = await import(${JSON.stringify(new URL('../js/index.js', import.meta.url).href)});
        const atImport = compiled;
        shape([1]); shape([2]);
        console.log(atImport, compiled);`;
    assert.equal(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }), '0 1\n');
});
