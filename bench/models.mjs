// Models made for measuring: a chain of plain nodes, transformer blocks with the shape chains that exporters write, and files
// larger than memory. `node bench/models.mjs chain|blocks COUNT OUT` writes one.
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bytes, concat, graph, int, message, node, tensor, text, valueInfo, varint } from '../tests/onnx.js';

const CHUNK = 4096;                 // nodes written at a time, for a million of them are many small arrays

/** A graph's bytes, its nodes from an iterable. */
function graphOf(nodes, { inputs, outputs, initializers = [] }) {
    const parts = [];
    let some = [];
    const flush = () => { parts.push(concat(some)); some = []; };
    for (const item of nodes) {
        some.push(...message(1, node(item)));
        if (some.length > 3 * CHUNK) flush();
    }
    some.push(...text(2, 'g'), ...initializers.flatMap((item) => message(5, tensor(item))), ...inputs.flatMap((item) => message(11, valueInfo(item))),
        ...outputs.flatMap((item) => message(12, valueInfo(item))));
    flush();
    return concat(parts);
}

const modelOf = (nodes, rest) => concat([...int(1, 8), ...bytes(7, graphOf(nodes, rest)), ...message(8, int(2, 17))]);
const ints = (name, ...data) => ({ name, type: 'int64', dims: [data.length], data });
const floats = (name, ...dims) => ({ name, type: 'float', dims, data: new Uint8Array(4 * dims.reduce((a, b) => a * b, 1)) });

/** `count` nodes one after the other: add a bias, Relu, one Reshape and back. */
export function chain(count) {
    function* nodes() {
        for (let i = 0, at = 'x'; i < count; i++) {
            const out = i === count - 1 ? 'y' : `v${i}`, name = `node_${i}`;
            if (i % 3 === 0) yield { op: 'Add', name, inputs: [at, 'bias'], outputs: [out] };
            else if (i % 3 === 1) yield { op: 'Relu', name, inputs: [at], outputs: [out] };
            else yield { op: 'Reshape', name, inputs: [at, i % 6 === 2 ? 'there' : 'back'], outputs: [out] };
            at = out;
        }
    }
    return modelOf(nodes(), { inputs: [{ name: 'x', type: 'float', shape: ['N', 32, 16] }], outputs: [{ name: 'y', type: 'float' }],
        initializers: [floats('bias', 1), ints('there', 0, 16, 32), ints('back', 0, 32, 16)] });
}

/** Transformer blocks, 32 nodes each, whose heads are split and joined by Shape, Gather and Concat. */
export function blocks(count, { width = 64, heads = 4 } = {}) {
    function* nodes() {
        let at = 'x';
        for (let i = 0; i < count; i++) {
            const block = [], to = (name) => `block.${i}/${name}`;
            const put = (op, inputs, out, attr = {}) => { block.push({ op, name: to(`${out}_node`), inputs, outputs: [to(out)], attr }); return to(out); };
            const norm = put('LayerNormalization', [at, 'scale', 'scale'], 'norm', { axis: -1 });
            const shape = put('Shape', [norm], 'shape');
            const [batch, length] = ['zero', 'one'].map((index) =>
                put('Unsqueeze', [put('Gather', [shape, index], `size_${index}`, { axis: 0 }), 'axis'], `sizes_${index}`));
            const split = put('Concat', [batch, length, 'heads', 'per_head'], 'split', { axis: 0 });
            const join = put('Concat', [batch, length, 'all_heads'], 'join', { axis: 0 });
            const [query, key, value] = ['query', 'key', 'value'].map((name) => {
                const wide = put('Add', [put('MatMul', [norm, 'square'], `${name}_product`), 'scale'], `${name}_bias`);
                return put('Transpose', [put('Reshape', [wide, split], `${name}_heads`)], name, { perm: { is: name === 'key' ? [0, 2, 3, 1] : [0, 2, 1, 3] } });
            });
            const scores = put('Softmax', [put('Mul', [put('MatMul', [query, key], 'scores'), 'half'], 'scaled')], 'weights', { axis: -1 });
            const mixed = put('Transpose', [put('MatMul', [scores, value], 'mixed')], 'rows', { perm: { is: [0, 2, 1, 3] } });
            const attended = put('Add', [at, put('MatMul', [put('Reshape', [mixed, join], 'joined'), 'square'], 'projected')], 'attended');
            const grown = put('Relu', [put('MatMul', [attended, 'grow'], 'grown')], 'active');
            at = put('Add', [attended, put('MatMul', [grown, 'shrink'], 'shrunk')], 'out');
            yield* block;
        }
        yield { op: 'Identity', name: 'last', inputs: [at], outputs: ['y'] };
    }
    return modelOf(nodes(), { inputs: [{ name: 'x', type: 'float', shape: ['batch', 'sequence', width] }], outputs: [{ name: 'y', type: 'float' }],
        initializers: [floats('square', width, width), floats('grow', width, 4 * width), floats('shrink', 4 * width, width), floats('scale', width),
            { ...floats('half'), dims: [] }, { name: 'zero', type: 'int64', dims: [], data: [0] }, { name: 'one', type: 'int64', dims: [], data: [1] },
            ints('axis', 0), ints('heads', heads), ints('per_head', width / heads), ints('all_heads', width)] });
}

/**
 * Writes a model of `gib` GiB whose one weight is a hole in the file, before the nodes or after them:
 * y = MatMul(x [N, 16384], w [16384, M]), s = Shape(y, start = 1), z = Reshape(y, Concat([0], s)). Returns M.
 */
export function writeSparse(file, gib, weightsFirst) {
    const rows = 16384, columns = gib * 16384, size = gib * 2 ** 30;
    const nodes = concat(graph({ nodes: [{ op: 'MatMul', inputs: ['x', 'w'], outputs: ['y'] }, { op: 'Shape', inputs: ['y'], outputs: ['s'], attr: { start: 1 } },
        { op: 'Concat', inputs: ['zero', 's'], outputs: ['to'], attr: { axis: 0 } }, { op: 'Reshape', inputs: ['y', 'to'], outputs: ['z'] }] }));
    const rest = concat(graph({ name: null, inputs: [{ name: 'x', type: 'float', shape: ['N', rows] }], outputs: [{ name: 'z', type: 'float' }],
        initializers: [ints('zero', 0)] }));
    const head = concat([...tensor({ name: 'w', type: 'float', dims: [rows, columns] }), Uint8Array.from([9 << 3 | 2, ...varint(size)])]);
    const initializer = concat([Uint8Array.from([5 << 3 | 2, ...varint(head.length + size)]), head]);
    const length = nodes.length + initializer.length + size + rest.length;
    const start = concat([...int(1, 10), ...message(8, int(2, 17)), Uint8Array.from([7 << 3 | 2, ...varint(length)])]);
    mkdirSync(dirname(file), { recursive: true });
    const to = openSync(file, 'w');
    let at = 0;
    const put = (part) => { writeSync(to, part, 0, part.length, at); at += part.length; };
    put(start);
    if (!weightsFirst) put(nodes);
    put(initializer);
    at += size;
    if (weightsFirst) put(nodes);
    put(rest);
    closeSync(to);
    return columns;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const [kind, count, out] = process.argv.slice(2), made = { chain, blocks }[kind]?.(Number(count));
    if (!made || !out) throw new Error('usage: node bench/models.mjs chain|blocks COUNT OUT');
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, made);
}
