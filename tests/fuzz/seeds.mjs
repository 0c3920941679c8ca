// Writes the seeds of engine_fuzz and model_fuzz, from rows of tests/data/ops: `node tests/fuzz/seeds.mjs`. A row of each family, all
// with a body, and one with a function; each begins with the bytes that choose windows and options.
import { mkdirSync, writeFileSync } from 'node:fs';
import { concat, model } from '../onnx.js';
import { build, families, opsets } from '../rows.js';

const LONGEST = 330;

const seeds = {};
for (const [file, rows] of families) {
    const name = file.replace('.json', ''), bodies = rows.filter((row) => Object.values(row.attr ?? {}).some((value) => value?.g)), plain = rows.filter((row) => !row.error && !bodies.includes(row));
    for (const [i, row] of [plain[Math.floor(plain.length / 3)], plain[Math.floor(plain.length * 2 / 3)], ...bodies].filter(Boolean).entries()) {
        const bytes = build(row, opsets(row).at(-1));
        if (bytes.length <= LONGEST) seeds[`${name}-${i}-${row.op}`] = bytes;
    }
}
const chain = (...ops) => ops.map(([op, inputs, output, attr]) => ({ op, inputs, outputs: [output], attr }));
const ints = (name, ...values) => ({ name, type: 'int64', dims: [values.length], data: values });
seeds['reshape-chain'] = model({ inputs: [{ name: 'x', type: 'float', shape: ['N', 'S', 8] }], outputs: [{ name: 'y' }],
    initializers: [ints('i', 1), ints('h', 2, -1)], nodes: chain(['Shape', ['x'], 's'], ['Gather', ['s', 'i'], 'g'], ['Concat', ['g', 'h'], 'c', { axis: 0 }], ['Reshape', ['x', 'c'], 'y']) });
seeds['if'] = model({ inputs: [{ name: 'c', type: 'bool', shape: [] }, { name: 'x', type: 'float', shape: ['N', 1] }], outputs: [{ name: 'y' }],
    nodes: chain(['If', ['c'], 'y', { then_branch: { g: { outputs: [{ name: 'a' }], nodes: chain(['Squeeze', ['x'], 'a']) } }, else_branch: { g: { outputs: [{ name: 'b' }], nodes: chain(['Identity', ['x'], 'b']) } } }]) });
seeds['loop'] = model({ inputs: [{ name: 'm', type: 'int64', shape: [] }, { name: 'x', type: 'float', shape: ['N'] }], outputs: [{ name: 'y' }, { name: 'z' }],
    nodes: [{ op: 'Loop', inputs: ['m', '', 'x'], outputs: ['y', 'z'], attr: { body: { g: { inputs: [{ name: 'i', type: 'int64', shape: [] }, { name: 'k', type: 'bool', shape: [] }, { name: 'v' }],
        outputs: [{ name: 'k2' }, { name: 'v2' }, { name: 'o' }], nodes: chain(['Identity', ['k'], 'k2'], ['Concat', ['v', 'x'], 'v2', { axis: 0 }], ['Identity', ['x'], 'o']) } } } }] });
seeds['function'] = model({ opsets: { '': 18, f: 1 }, inputs: [{ name: 'x', type: 'float', shape: ['N', 3] }], outputs: [{ name: 'y' }], nodes: [{ op: 'F', domain: 'f', inputs: ['x'], outputs: ['y'], attr: { axis: 1 } }],
    functions: [{ domain: 'f', name: 'F', inputs: ['a'], outputs: ['b'], attributes: ['axis'], nodes: chain(['Flatten', ['a'], 'b', { axis: { ref: 'axis', type: 'int' } }]) }] });
seeds['external'] = model({ inputs: [{ name: 'x', type: 'float', shape: ['N', 6] }], outputs: [{ name: 'y' }],
    initializers: [{ name: 't', type: 'int64', dims: [2], external: { location: 'w.bin', offset: 4, length: 16 } }], nodes: chain(['Reshape', ['x', 't'], 'y']) });

// What once failed.
seeds['node-without-values'] = model({ nodes: [{ op: 'Relu' }] });

let total = 0;
for (const [target, head] of [['engine_fuzz', [64, 0]], ['model_fuzz', [64]]]) {
    const folder = new URL(`corpus/${target}/`, import.meta.url);
    mkdirSync(folder, { recursive: true });
    for (const [name, bytes] of Object.entries(seeds)) {
        if (target === 'model_fuzz' && /-\d+-/.test(name)) continue;
        const seed = concat([Uint8Array.from(head), bytes]);
        writeFileSync(new URL(name, folder), seed);
        total += seed.length;
    }
}
console.log(`${Object.keys(seeds).length} seeds, ${total} bytes`);
