// Writes text.onnx, the model of these examples: a piece of a text encoder, as exporters write it.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { model } from '../tests/onnx.js';

const weight = (name, ...dims) => ({ name, type: 'float', dims, data: new Uint8Array(4 * dims.reduce((a, b) => a * b, 1)) });
const ints = (name, ...data) => ({ name, type: 'int64', dims: [data.length], data });

/** The bytes of text.onnx. */
export const text = () => model({
    ir: 8, opsets: { '': 17, 'my.domain': 1 }, producer: 'example',
    inputs: [{ name: 'tokens', type: 'int64', shape: ['batch', 'seq'] }],
    outputs: [{ name: 'weights' }, { name: 'label' }],
    initializers: [weight('table', 500, 16), weight('w', 16, 16), ints('split', 4, -1), ints('zero', 0), ints('one', 1)],
    nodes: [
        { op: 'Gather', name: 'embed', inputs: ['table', 'tokens'], outputs: ['x'] },
        { op: 'MatMul', name: 'project', inputs: ['x', 'w'], outputs: ['q'] },
        { op: 'Shape', name: 'shape', inputs: ['q'], outputs: ['size'], attr: { end: 2 } },
        { op: 'Concat', name: 'concat', inputs: ['size', 'split'], outputs: ['target'], attr: { axis: 0 } },
        { op: 'Reshape', name: 'heads', inputs: ['q', 'target'], outputs: ['h'] },
        { op: 'Transpose', name: 'rows', inputs: ['h'], outputs: ['a'], attr: { perm: [0, 2, 1, 3] } },
        { op: 'Transpose', name: 'columns', inputs: ['h'], outputs: ['b'], attr: { perm: [0, 2, 3, 1] } },
        { op: 'MatMul', name: 'scores', inputs: ['a', 'b'], outputs: ['s'] },
        { op: 'Softmax', name: 'softmax', inputs: ['s'], outputs: ['weights'], attr: { axis: -1 } },
        { op: 'Slice', name: 'first', inputs: ['x', 'zero', 'one', 'one'], outputs: ['cls'] },
        { op: 'NonZero', name: 'used', inputs: ['tokens'], outputs: ['at'] },
        { op: 'Classify', name: 'classify', domain: 'my.domain', inputs: ['cls'], outputs: ['label'], attr: { classes: 3 } },
    ],
});

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(new URL('text.onnx', import.meta.url), text());
