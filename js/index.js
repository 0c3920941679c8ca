/* The ONNX operator Shape. The rule is the C kernel's, compiled into the few
 * hundred bytes of shape.wasm; here are only what it cannot do: JavaScript's
 * values in and out, the operator's versions, and errors. */

/** @import { AttributeProto, Dims, ElementType, ShapeAttributes, ShapeOptions, ShapeVersion } from './index.d.ts' */
/** @typedef {number | bigint} Int */

// Element types as TensorProto numbers them, in the order in which versions of Shape came to allow them.
/** @type {[since: number, types: ElementType[]][]} */
const TYPES = [
    [1, ['float32', 'uint8', 'int8', 'uint16', 'int16', 'int32', 'int64', 'string', 'bool', 'float16', 'float64',
        'uint32', 'uint64', 'complex64', 'complex128']],
    [13, ['bfloat16']],
    [15, []],
    [19, ['float8e4m3fn', 'float8e4m3fnuz', 'float8e5m2', 'float8e5m2fnuz']],
    [21, ['uint4', 'int4']],
    [23, ['float4e2m1']],
    [24, ['float8e8m0']],
    [25, ['uint2', 'int2']],
];
const NEVER = ['float6e2m3', 'float6e3m2'];
const ATTRIBUTES = ['start', 'end'], ATTRIBUTES_SINCE = 15, NEWEST = 25;
const PROTO_INT = 2; // AttributeProto.AttributeType.INT
const INT64_MIN = -(2n ** 63n), INT64_MAX = 2n ** 63n - 1n;

/** @type {typeof import('./index.d.ts').shapeVersions} */
export const shapeVersions = Object.freeze(TYPES.map(([version], index) => Object.freeze({
    version,
    types: Object.freeze(TYPES.slice(0, index + 1).flatMap(([, types]) => types)),
    attributes: Object.freeze(version < ATTRIBUTES_SINCE ? [] : [...ATTRIBUTES]),
})));

/* ---- the kernel ---- */

// shape.wasm in base64; `make wasm` writes this line.
const WASM = 'AGFzbQEAAAABDgJgBX9/f39/AX9gAAF/AwQDAAABBQQBAQEBBzUEBm1lbW9yeQIADHNoYXBlX2J1ZmZlcgACC3NoYXBlX3JhbmdlAAELc2hhcGVfc2xpY2UAAAqZAgOkAQEEfkIAIACtIgYgA61CIIYiBUI/h4MgBSAErYR8IgUgBiAFIAZTGyAFQgBTGyIHQgAgAa1CIIYiBUI/hyAGgyAFIAKthHwiBSAGIAUgBlMbIAVCAFMbIgZ9QgAgBiAHUxsiB1BFBEAgB0IBIAdCAVUbIQUDQCAIp0EDdEGACGogBiAIfKdBA3RBgAhqKQMANwMAIAhCAXwiCCAFUg0ACwsgB6cLawEDfkGACEIAIACtIgYgAa1CIIYiBUI/h4MgBSACrYR8IgUgBiAFIAZTGyAFQgBTGyIHNwMAQgAgA61CIIYiBUI/hyAGgyAFIASthHwiBSAGIAUgBlMbIAVCAFMbIAd9IgZCACAGQgBVG6cLBQBBgAgL';

/** @typedef {(rank: number, startHigh: number, startLow: number, endHigh: number, endLow: number) => number} Range */

/** Begin of the range last asked for. @type {Uint32Array} */
let begin;

/** Length of the range of axes kept; leaves its begin in `begin[0]`. Compiled when first called.
 * @type {Range} */
let range = (...args) => {
    const module = new WebAssembly.Module(Uint8Array.from(atob(WASM), (c) => c.charCodeAt(0)));
    const exports = /** @type {Record<string, any>} */ (new WebAssembly.Instance(module).exports);
    begin = new Uint32Array(exports.memory.buffer, exports.shape_buffer(), 1);
    range = exports.shape_range;
    return range(...args);
};

/** The high half of an int64; an error for anything else. It crosses in two halves because no BigInt is made then.
 * @param {Int} value @param {string} name */
function high(value, name) {
    if (typeof value === 'number') {
        const word = value | 0;
        if (word === value) return word >> 31;
        if (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63) return Math.floor(value / 2 ** 32) | 0;
    } else if (typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX) {
        return Number(value >> 32n);
    }
    throw notAxis(value, name);
}

/** The low half of what `high` let pass. @param {Int} value */
const low = (value) => typeof value === 'number' ? value | 0 : Number(BigInt.asIntN(32, value));

/* ---- errors; made apart, for what throws and seldom does so should stay small enough to be inlined ---- */

/** @param {unknown} value */
function show(value) {
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
    if (Array.isArray(value)) return 'an array';
    return typeof value === 'object' && value !== null ? /** @type {any} */ (value)[Symbol.toStringTag] ?? 'an object'
        : typeof value === 'function' ? 'a function' : String(value);
}

/** @param {unknown} value @param {string} name */
function notAxis(value, name) {
    const integer = typeof value === 'number' || typeof value === 'bigint';
    return new (integer ? RangeError : TypeError)(
        `${name} is ${show(value)}: pass an integer from -2^63 to 2^63 - 1${integer ? '' : ', a number or a bigint'}`);
}

/** @param {unknown} value @param {string} where */
function notDim(value, where) {
    if (typeof value === 'object' && value !== null) {
        return new TypeError(`${where} is ${show(value)}: an array of tensors is a sequence, which no version of Shape allows; `
            + 'pass one tensor or its dims');
    }
    return new (typeof value === 'number' || typeof value === 'bigint' ? RangeError : TypeError)(
        `${where} is ${show(value)}: a dim is an integer from 0 to 2^53 - 1, or to 2^63 - 1 as a bigint`);
}

/** @param {string} name @param {string} where */
const notAttribute = (name, where) => new TypeError(`${where} ${show(name)}: Shape has only start and end`);

/* ---- versions and types ---- */

/** @param {Int} opset @returns {ShapeVersion} */
function versionAt(opset) {
    if (typeof opset !== 'number' && typeof opset !== 'bigint') {
        throw new TypeError(`options.opset is ${show(opset)}: pass an integer, 1 or more`);
    }
    if (typeof opset === 'number' && !Number.isInteger(opset) || opset < 1) {
        throw new RangeError(`options.opset is ${show(opset)}: pass an integer, 1 or more; Shape exists since opset 1`);
    }
    return /** @type {ShapeVersion} */ (shapeVersions.findLast((v) => v.version <= opset));
}

/** @param {string} type @param {string} where @param {ShapeVersion} version */
function checkType(type, where, version) {
    if (typeof type !== 'string') {
        throw new TypeError(`${where} is ${show(type)}: pass an element type such as "float32" or "tensor(float)"`);
    }
    if (/** @type {readonly string[]} */ (version.types).includes(type)) return;
    let name = /^tensor\((.*)\)$/.exec(type)?.[1] ?? type;
    if (name === 'float') name = 'float32';
    if (name === 'double') name = 'float64';
    if (/** @type {readonly string[]} */ (version.types).includes(name)) return;
    const since = shapeVersions.find((v) => /** @type {readonly string[]} */ (v.types).includes(name))?.version;
    if (since) {
        throw new TypeError(`${where} is ${show(type)}: Shape ${version.version} does not allow it, opset ${since} or later does`);
    }
    if (NEVER.includes(name) || /^(seq|sequence|optional|map|sparse_tensor|opaque)\b/.test(name)) {
        throw new TypeError(`${where} is ${show(type)}: no version of Shape (opset 1 to ${NEWEST}) allows it; pass a tensor's type`);
    }
    throw new TypeError(`${where} is ${show(type)}: not an ONNX element type; write it as "float32" or "tensor(float)"`);
}

/* ---- the input's dims ---- */

const INTEGER_ARRAY = /^(Big)?(Int|Uint)\d+(Clamped)?Array$/;

/** @param {unknown} value @returns {value is Dims} */
const isDims = (value) => Array.isArray(value)
    || ArrayBuffer.isView(value) && INTEGER_ARRAY.test(/** @type {any} */ (value)[Symbol.toStringTag]);

/** Every dim is checked, also those that start and end drop.
 * @param {Dims} dims @param {string} where */
function checkDims(dims, where) {
    for (let i = 0; i < dims.length; i++) {
        const dim = dims[i];
        if (typeof dim === 'number' ? dim >= 0 && Number.isSafeInteger(dim)
            : typeof dim === 'bigint' && dim >= 0n && dim <= INT64_MAX) continue;
        throw notDim(dim, `${where}[${i}]`);
    }
}

/** A tensor's dims, once its type is checked too.
 * @param {any} tensor @param {string | null | undefined} type options.type @param {ShapeVersion} version @returns {Dims} */
function tensorDims(tensor, type, version) {
    if (typeof tensor !== 'object' || tensor === null || !isDims(tensor.dims)) {
        throw new TypeError(`input is ${show(tensor)}: `
            + 'pass dims as an array of integers or an integer typed array, or a tensor ({ dims, type })');
    }
    if (type == null) {
        if (tensor.type == null) throw new TypeError('input.type is missing: a tensor has dims and type; pass options.type instead');
        checkType(tensor.type, 'input.type', version);
    }
    checkDims(tensor.dims, 'input.dims');
    return tensor.dims;
}

/* ---- attributes and options ---- */

/** The value of an AttributeProto; without its field it is 0, as protobuf has it.
 * @param {AttributeProto} proto @returns {Int} */
function protoInt({ name, type, i, refAttrName, ref_attr_name }) {
    if (type != null && type !== PROTO_INT && type !== 'INT' && type !== 0 && type !== 'UNDEFINED') {
        throw new TypeError(`attribute "${name}" has type ${show(type)}: it must be INT (${PROTO_INT})`);
    }
    const reference = refAttrName || ref_attr_name;
    if (reference) {
        throw new TypeError(`attribute "${name}" refers to ${show(reference)} of a function: pass the value it has at the call`);
    }
    if (i == null) return 0;
    if (typeof i !== 'object') return i;
    if (!Number.isInteger(i.low) || !Number.isInteger(i.high)) {
        throw new TypeError(`attribute "${name}" is an object: pass a number, a bigint or a Long ({ low, high, unsigned })`);
    }
    return BigInt(i.unsigned ? i.high >>> 0 : i.high | 0) << 32n | BigInt(i.low >>> 0);
}

/** @param {readonly AttributeProto[]} list @returns {ShapeAttributes} */
function fromProtos(list) {
    /** @type {Record<string, Int>} */
    const found = {};
    list.forEach((proto, index) => {
        const name = proto?.name;
        if (typeof name !== 'string') {
            throw new TypeError(`attributes[${index}] has no name: pass AttributeProto objects ({ name, type, i })`);
        }
        if (!ATTRIBUTES.includes(name)) throw notAttribute(name, `attributes[${index}] is`);
        if (name in found) throw new TypeError(`attributes[${index}] is a second ${show(name)}: an attribute has one value`);
        found[name] = protoInt(proto);
    });
    return found;
}

/** @param {unknown} attributes @param {ShapeVersion} version @returns {ShapeAttributes} */
function readAttributes(attributes, version) {
    if (typeof attributes !== 'object' || attributes && Symbol.iterator in attributes && !Array.isArray(attributes)) {
        throw new TypeError(`attributes is ${show(attributes)}: pass { start, end } or a list of AttributeProto objects`);
    }
    const given = Array.isArray(attributes) ? fromProtos(attributes) : /** @type {ShapeAttributes} */ (attributes);
    for (const key in given) {
        if (key !== 'start' && key !== 'end') throw notAttribute(key, 'attributes has');
        if (version.version < ATTRIBUTES_SINCE && given[key] != null) {
            throw new TypeError(`attribute "${key}": Shape ${version.version} has none, opset ${ATTRIBUTES_SINCE} or later has`);
        }
    }
    return given;
}

/** @typedef {{ version: ShapeVersion, type?: string | null | undefined }} Settings */

/** @param {ShapeOptions} options @returns {Settings} */
function readOptions(options) {
    if (typeof options !== 'object' || options instanceof Map) throw new TypeError(`options is ${show(options)}: pass { opset, type }`);
    for (const key in options) {
        if (key !== 'opset' && key !== 'type') throw new TypeError(`options has ${show(key)}: it knows only opset and type`);
    }
    const version = versionAt(options.opset ?? NEWEST), { type } = options;
    if (type != null) checkType(type, 'options.type', version);
    return { version, type };
}

/** @type {ShapeAttributes} */
const NO_ATTRIBUTES = {};
/** @type {Settings} */
const NO_OPTIONS = { version: versionAt(NEWEST) };

/* ---- the operator ---- */

/** @type {typeof import('./index.d.ts').shape} */
export function shape(input, attributes, options) {
    const { version, type } = options == null ? NO_OPTIONS : readOptions(options);
    const dims = isDims(input) ? input : tensorDims(input, type, version);
    if (dims === input) checkDims(dims, 'dims');

    const rank = dims.length;
    let { start, end } = attributes == null ? NO_ATTRIBUTES : readAttributes(attributes, version);
    start ??= 0, end ??= rank;
    const length = range(rank, high(start, 'start'), low(start), high(end, 'end'), low(end));
    const first = begin[0], out = new BigInt64Array(length);
    for (let i = 0; i < length; i++) out[i] = BigInt(dims[first + i]);
    return out;
}

/** @param {unknown} dims @param {unknown} out */
const notArrays = (dims, out) => new TypeError(`shapeInto has ${show(dims)} and ${show(out)}: pass an array of dims, and one to write to`);

/** @type {typeof import('./index.d.ts').shapeInto} */
export function shapeInto(dims, out, start, end) {
    const rank = dims?.length;
    if (rank === undefined) throw notArrays(dims, out);
    start ??= 0, end ??= rank;
    const length = range(rank, high(start, 'start'), low(start), high(end, 'end'), low(end));
    if (!(out?.length >= length)) {
        if (out?.length === undefined) throw notArrays(dims, out);
        throw new RangeError(`out has ${out.length} elements: ${length} dims are kept; pass a longer array`);
    }
    const first = begin[0];
    // Two loops, so that what the engine learns of bigints does not slow numbers, nor the reverse; `instanceof` takes as long as a loop.
    if (Array.isArray(out)) for (let i = 0; i < length; i++) out[i] = dims[first + i];
    else for (let i = 0; i < length; i++) out[i] = dims[first + i];
    return length;
}
