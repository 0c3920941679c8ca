/* Options as the engine reads them: a protobuf message of the fields that src/shp.h lists. */
import * as L from './layout.js';

/** @import { InferOptions } from './model.d.ts' */

const LIMITS = ['nesting', 'rank', 'elements', 'terms', 'depth', 'values', 'memory', 'operations'];
const KNOWN = ['freeDimensionOverrides', 'inputs', 'externalData', 'strict', 'merge', 'operators', 'limits', 'reuse', 'onProgress', 'signal'];
const INT64 = 2n ** 63n;

/** @param {unknown} value */
const show = (value) => typeof value === 'bigint' ? `${value}n` : typeof value === 'string' ? JSON.stringify(value.slice(0, 40))
    : typeof value === 'object' && value ? 'an object' : String(value).slice(0, 40);

/** @param {string} where @param {unknown} value @param {string} want */
export const wrong = (where, value, want) => new TypeError(`${where} is ${show(value)}: pass ${want}`);

/** A message being written. */
class Message {
    /** @type {number[]} */
    bytes = [];

    /** @param {number | bigint | boolean} value */
    varint(value) {
        let bits = BigInt.asUintN(64, BigInt(value));
        for (; bits > 127n; bits >>= 7n) this.bytes.push(Number(bits & 127n) | 128);
        this.bytes.push(Number(bits));
    }

    /** @param {number} field @param {number | bigint | boolean} value */
    int(field, value) {
        this.varint(field * 8);
        this.varint(value);
    }

    /** @param {number} field @param {number} value */
    real(field, value) {
        this.varint(field * 8 + 1);
        this.bytes.push(...new Uint8Array(new Float64Array([value]).buffer));
    }

    /** @param {number} field @param {string | Message} value */
    block(field, value) {
        const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value.bytes;
        this.varint(field * 8 + 2);
        this.varint(bytes.length);
        for (const byte of bytes) this.bytes.push(byte);
    }
}

/** @param {unknown} value @param {string} where @param {bigint} [least] @returns {number | bigint} */
export function integer(value, where, least = 0n) {
    if (typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'bigint' && value < INT64) {
        if (/** @type {number} */ (value) >= least) return /** @type {number} */ (value);
    }
    const large = (typeof value === 'bigint' || Number.isInteger(value)) && /** @type {number} */ (value) >= least;
    throw wrong(where, value, large ? 'a bigint below 2^63' : `an integer, ${least} or more`);
}

/** Where a name stands in a list. @param {string[]} list @param {string} name @param {string} where */
function placeIn(list, name, where) {
    const at = list.indexOf(name);
    if (at < 0) throw new TypeError(`${where} has ${show(name)}: it knows ${list.join(', ')}`);
    return at;
}

/** Names and values, and where each stands. @param {any} value @param {string} where @returns {[string, any, string][]} */
function entries(value, where) {
    if (value == null) return [];
    if (typeof value !== 'object') throw wrong(where, value, 'an object');
    return [...value instanceof Map ? value : Object.entries(value)].map(([name, item]) => [name, item, `${where}[${show(name)}]`]);
}

/** What a name has among them. @param {any} given @param {string} name */
export const byName = (given, name) => given instanceof Map ? given.get(name) : given && Object.hasOwn(given, name) ? given[name] : undefined;

/** One dim or element: a number, text, or unknown, in three fields that follow each other.
 * @param {Message} to @param {number} field @param {unknown} value @param {string} where @param {bigint} [least] */
function item(to, field, value, where, least) {
    if (value == null) to.int(field + 2, 0);
    else if (typeof value === 'string') to.block(field + 1, value);
    else to.int(field, integer(value, where, least));
}

/** @param {any} value @param {string} where @param {string} [name] @param {string} [elements] */
function valueMessage(value, where, name, elements = 'data') {
    const to = new Message();
    if (name !== undefined) to.block(L.FIELD_VALUE_NAME, name);
    if (value == null) return to;
    if (typeof value !== 'object') throw wrong(where, value, `a shape, or { type, shape, ${elements} }`);
    const { type, shape, [elements]: data, ...rest } = isList(value) ? { shape: value } : value;
    if (name !== undefined) for (const key in rest) placeIn(['type', 'shape', elements], key, where);       // a rule may return what it was given
    if (type != null) {
        if (typeof type !== 'string' && !Number.isInteger(type)) throw wrong(`${where}.type`, type, `a type such as "float32", or ONNX's number for it`);
        to.block(L.FIELD_TYPE, String(type));
    }
    if (shape != null) {
        if (!isList(shape)) throw wrong(`${where}.shape`, shape, 'an array of integers and names');
        to.int(L.FIELD_SHAPE, 1);
        Array.from(shape).forEach((dim, i) => {
            if (dim === '') throw wrong(`${where}.shape[${i}]`, dim, 'an integer, a name or null');
            item(to, L.FIELD_DIM, dim, `${where}.shape[${i}]`);
        });
    }
    if (data != null) {
        if (!isList(data)) throw wrong(`${where}.${elements}`, data, 'an array of the elements, row by row');
        if (data.length <= L.ELEMENTS_MAX) Array.from(data).forEach((value, i) => element(to, value, `${where}.${elements}[${i}]`));
    }
    return to;
}

/** @param {unknown} value @returns {value is ArrayLike<unknown>} */
const isList = (value) => Array.isArray(value) || ArrayBuffer.isView(value) && !(value instanceof DataView);

/** @param {Message} to @param {unknown} value @param {string} where */
function element(to, value, where) {
    if (typeof value === 'boolean') to.int(L.FIELD_DATA, value);
    else if (typeof value === 'number' && !Number.isSafeInteger(value) || Object.is(value, -0)) to.real(L.FIELD_DATA_REAL, Number(value));
    else item(to, L.FIELD_DATA, value, where, -INT64);
}

/** Sizes by name. @param {Message} to @param {unknown} given @param {string} where @param {bigint} [least] */
function addBindings(to, given, where, least) {
    for (const [name, size, place] of entries(given, where)) {
        const one = new Message();
        one.block(L.FIELD_NAME, name);
        one.int(L.FIELD_SIZE, integer(size, place, least));
        to.block(L.FIELD_BINDING, one);
    }
    return to.bytes;
}

/** @param {InferOptions} options @returns {number[]} bytes, as of all that follow */
export function encodeOptions(options) {
    if (typeof options !== 'object' || !options) throw wrong('options', options, 'an object');
    for (const key in options) placeIn(KNOWN, key, 'options');
    const { strict, reuse, signal, onProgress } = options, merge = options.merge ?? 'refine', to = new Message();
    if (signal != null && typeof signal.throwIfAborted !== 'function') throw wrong('options.signal', signal, 'an AbortSignal');
    if (onProgress != null && typeof onProgress !== 'function') throw wrong('options.onProgress', onProgress, 'a function');
    for (const [key, value] of Object.entries({ strict, reuse })) {
        if (value != null && typeof value !== 'boolean') throw wrong(`options.${key}`, value, 'true or false');
    }
    if (merge !== 'refine' && merge !== 'override') throw wrong('options.merge', merge, '"refine" or "override"');
    to.int(L.FIELD_STRICT, strict ?? false);
    to.int(L.FIELD_OVERRIDE, merge === 'override');
    addBindings(to, options.freeDimensionOverrides, 'options.freeDimensionOverrides');
    for (const [name, value, where] of entries(options.inputs, 'options.inputs')) to.block(L.FIELD_INPUT, valueMessage(value, where, name));
    for (const [name, rule, where] of entries(options.operators, 'options.operators')) {
        if (typeof rule !== 'function') throw wrong(where, rule, 'a function');
        to.block(L.FIELD_HOST_OP, name.replace(/^(ai\.onnx)?::/, ''));
    }
    entries(options.externalData, 'options.externalData');
    for (const [name, value] of entries(options.limits, 'options.limits')) {
        const field = L.FIELD_NESTING + placeIn(LIMITS, name, 'options.limits');
        if (value != null) to.int(field, integer(value, `options.limits.${name}`));
    }
    to.int(L.FIELD_SEED, Math.floor(Math.random() * 2 ** 53));
    return to.bytes;
}

/** Values of symbols, for evaluation. @param {unknown} bindings */
export const encodeBindings = (bindings) => addBindings(new Message(), bindings, 'bindings', -INT64);

/** A host rule's answer. @param {unknown} outputs */
export function encodeOutputs(outputs) {
    if (!Array.isArray(outputs)) throw new TypeError(`it answers ${show(outputs)}: return an array of { type, shape }, one an output`);
    const to = new Message();
    outputs.forEach((value, i) => to.block(L.FIELD_OUTPUT, valueMessage(value, `outputs[${i}]`, undefined, 'content')));
    return to.bytes;
}
