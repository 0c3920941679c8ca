// Writes small ONNX models, for tests: plain objects in, protobuf bytes out. Field numbers: onnx.proto, IR version 14.

export const ELEMENTS = [null, 'float', 'uint8', 'int8', 'uint16', 'int16', 'int32', 'int64', 'string', 'bool', 'float16', 'double', 'uint32',
    'uint64', 'complex64', 'complex128', 'bfloat16', 'float8e4m3fn', 'float8e4m3fnuz', 'float8e5m2', 'float8e5m2fnuz', 'uint4', 'int4',
    'float4e2m1', 'float8e8m0', 'uint2', 'int2', 'float6e2m3', 'float6e3m2'];

const utf8 = new TextEncoder();

export const concat = (parts) => {
    const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) { out.set(part, at); at += part.length; }
    return out;
};

export function varint(value) {
    const out = [];
    let bits = BigInt.asUintN(64, BigInt(value));
    for (; bits >= 128n; bits >>= 7n) out.push(Number(bits & 127n) | 128);
    out.push(Number(bits));
    return out;
}

// A field of each wire type; undefined and null write nothing.
export const int = (field, value) => (value == null ? [] : [Uint8Array.from([...varint(field * 8), ...varint(value)])]);
export const bytes = (field, value) => (value == null ? []
    : [Uint8Array.from([...varint(field * 8 + 2), ...varint(value.length)]), value]);
export const text = (field, value) => (value == null ? [] : bytes(field, utf8.encode(value)));
export const message = (field, parts) => (parts == null ? [] : bytes(field, concat(parts)));
const each = (field, list, make) => (list ?? []).flatMap((item) => message(field, make(item)));
const float = (field, value) => (value == null ? [] : [Uint8Array.from(varint(field * 8 + 5)), new Uint8Array(Float32Array.of(value).buffer)]);

/** "float", "seq(float)", "optional(seq(int64))", "map(int64,float)", "sparse_tensor(float)"; shape: of the innermost tensor. */
export function type(name, shape) {
    const inner = /^(seq|optional|sparse_tensor|map|tensor)\((.*)\)$/.exec(name.replaceAll(' ', ''));
    if (!inner || inner[1] === 'tensor') return message(1, tensorType(inner ? inner[2] : name, shape));
    if (inner[1] === 'seq') return message(4, message(1, type(inner[2], shape)));
    if (inner[1] === 'optional') return message(9, message(1, type(inner[2], shape)));
    if (inner[1] === 'sparse_tensor') return message(8, tensorType(inner[2], shape));
    const comma = inner[2].indexOf(',');
    return message(5, [...int(1, element(inner[2].slice(0, comma))), ...message(2, type(inner[2].slice(comma + 1), shape))]);
}

function element(name) {
    const number = ELEMENTS.indexOf(name);
    if (number < 1) throw new Error(`${name} is no element type`);
    return number;
}

const tensorType = (name, shape) => [...int(1, name === '' ? null : element(name)), ...(shape == null ? [] : message(2, each(1, shape, (dim) =>
    (typeof dim === 'string' ? text(2, dim) : int(1, dim)))))];

/** [type, shape] or { name, type, shape, value }: value is a ready TypeProto. */
export const valueInfo = ({ name, type: t, shape }) => [...text(1, name), ...(t == null ? [] : message(2, type(t, shape)))];

function float16(value) {
    const bits = new Uint32Array(Float32Array.of(value).buffer)[0], sign = bits >>> 16 & 0x8000, exponent = (bits >>> 23 & 255) - 112;
    if (Number.isNaN(value)) return 0x7e00;
    if (exponent >= 31) return sign | 0x7c00;
    if (exponent <= 0) return sign | Math.round(Math.abs(value) * 2 ** 24);
    return sign | exponent << 10 | bits >>> 13 & 0x3ff;
}

/** { name, type, dims, data, field }: data in the field that is usual for the type, or in raw_data where field is 'raw'. */
export function tensor({ name, type: t, dims = [], data, field, external }) {
    const head = [...dims.flatMap((dim) => int(1, dim)), ...int(2, typeof t === 'number' ? t : element(t)), ...text(8, name)];
    if (external) {
        return [...head, ...int(14, 1), ...Object.entries(external).flatMap(([key, value]) => message(13, [...text(1, key), ...text(2, `${value}`)]))];
    }
    if (data == null) return head;
    if (data instanceof Uint8Array) return [...head, ...bytes(9, data)];
    const packed = (number, make) => bytes(number, Uint8Array.from(data.flatMap(make)));
    const raw = (array) => bytes(9, new Uint8Array(array.buffer));
    if (t === 'string') return [...head, ...data.flatMap((item) => text(6, item))];
    if (t === 'float') return [...head, ...(field === 'raw' ? raw(Float32Array.from(data, Number)) : bytes(4, new Uint8Array(Float32Array.from(data, Number).buffer)))];
    if (t === 'double') return [...head, ...bytes(field === 'raw' ? 9 : 10, new Uint8Array(Float64Array.from(data, Number).buffer))];
    if (t === 'int64') return [...head, ...(field === 'raw' ? raw(BigInt64Array.from(data, BigInt)) : packed(7, varint))];
    if (t === 'uint64' || t === 'uint32') return [...head, ...packed(11, varint)];
    if (t === 'float16') return [...head, ...packed(5, (item) => varint(float16(Number(item))))];
    if (t === 'bfloat16') return [...head, ...packed(5, (item) => varint(new Uint32Array(Float32Array.of(Number(item)).buffer)[0] >>> 16))];
    if (t === 'complex64') return [...head, ...bytes(4, new Uint8Array(Float32Array.from(data).buffer))];
    return [...head, ...packed(5, (item) => varint(Number(item)))];
}

const ATTRIBUTE_TYPES = { float: 1, int: 2, string: 3, tensor: 4, graph: 5, floats: 6, ints: 7, strings: 8, tensors: 9, graphs: 10,
    sparse_tensor: 11, sparse_tensors: 12, type_proto: 13, type_protos: 14 };

/** A value as the rows of tests/data/ops write it: see there. { graph } and { ref, type } besides. */
export function attribute(name, value) {
    const of = (kind, fields) => [...text(1, name), ...fields, ...int(20, ATTRIBUTE_TYPES[kind])];
    const strings = (list) => list.flatMap((item) => text(9, item));
    if (typeof value === 'number' || typeof value === 'bigint') return of('int', int(3, value));
    if (typeof value === 'string') return of('string', text(4, value));
    if (Array.isArray(value)) {
        return value.length && value.every((item) => typeof item === 'string') ? of('strings', strings(value)) : of('ints', value.flatMap((item) => int(8, item)));
    }
    if ('i' in value) return of('int', int(3, value.i));
    if ('f' in value) return of('float', float(2, value.f));
    if ('s' in value) return of('string', text(4, value.s));
    if ('is' in value) return of('ints', value.is.flatMap((item) => int(8, item)));
    if ('fs' in value) return of('floats', value.fs.flatMap((item) => float(7, item)));
    if ('ss' in value) return of('strings', strings(value.ss));
    if ('t' in value) return of('tensor', message(5, tensor({ type: value.t[0], dims: value.t[1], data: value.t[2] })));
    if ('ts' in value) return of('tensors', value.ts.flatMap((t) => message(10, tensor({ type: t[0], dims: t[1], data: t[2] }))));
    if ('g' in value) return of('graph', message(6, graph(value.g)));
    if ('graphs' in value) return of('graphs', value.graphs.flatMap((item) => message(11, graph(item))));
    if ('tp' in value) return of('type_proto', message(14, type(value.tp[0], value.tp[1])));
    if ('st' in value) {
        const [t, dims, data, indices] = value.st;
        return of('sparse_tensor', message(22, [...message(1, tensor({ type: t, dims: [data.length], data })),
            ...message(2, tensor({ type: 'int64', dims: [indices.length], data: indices })), ...dims.flatMap((dim) => int(3, dim))]));
    }
    if ('ref' in value) return [...text(1, name), ...text(21, value.ref), ...int(20, ATTRIBUTE_TYPES[value.type])];
    if ('noValue' in value) return of(value.noValue, []);
    throw new Error(`no attribute: ${JSON.stringify(value)}`);
}

export const node = ({ op, domain, name, inputs = [], outputs = [], attr = {}, overload }) => [
    ...inputs.flatMap((item) => text(1, item)), ...outputs.flatMap((item) => text(2, item)), ...text(3, name), ...text(4, op),
    ...each(5, Array.isArray(attr) ? attr : Object.entries(attr), ([key, value]) => attribute(key, value)), ...text(7, domain || null), ...text(8, overload)];

/** { name, nodes, inputs, outputs, initializers, valueInfo }; values are { name, type, shape }, see valueInfo() and tensor(). */
export const graph = ({ name = 'g', nodes = [], inputs, outputs, initializers, valueInfo: infos }) => [
    ...each(1, nodes, node), ...text(2, name), ...each(5, initializers, tensor), ...each(11, inputs, valueInfo),
    ...each(12, outputs, valueInfo), ...each(13, infos, valueInfo)];

const opset = ([domain, version]) => [...text(1, domain || null), ...int(2, version)];

const func = ({ domain, name, overload, inputs = [], outputs = [], attributes = [], defaults = {}, nodes, opsets = { '': 18 } }) => [
    ...text(1, name), ...inputs.flatMap((item) => text(4, item)), ...outputs.flatMap((item) => text(5, item)),
    ...attributes.flatMap((item) => text(6, item)), ...each(7, nodes, node), ...each(9, Object.entries(opsets), opset), ...text(10, domain),
    ...each(11, Object.entries(defaults), ([key, value]) => attribute(key, value)), ...text(13, overload)];

/** A model's bytes. opsets: by domain. */
export const model = ({ ir = 10, opsets = { '': 18 }, producer, functions, ...rest }) => concat([
    ...int(1, ir), ...text(2, producer), ...message(7, graph(rest.graph ?? rest)), ...each(8, Object.entries(opsets), opset), ...each(25, functions, func)]);
