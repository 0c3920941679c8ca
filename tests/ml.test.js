// What the rows of tests/data/ops/ml.json cannot say: how long a sequence of maps is, and attribute lists too long to be kept.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inferShapesSync } from 'onnx-shape/model';
import { bytes, concat, int, message, model, text, valueInfo, varint } from './onnx.js';

const opsets = { '': 18, 'ai.onnx.ml': 3 };
const count = (n) => Array.from({ length: n }, (_, i) => i);
const input = (shape, type = 'float') => [{ name: 'x', type, shape }];
const errors = (result) => result.diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);

function infer(op, shape, attr, outputs = ['y'], type = 'float') {
    const node = { op, domain: 'ai.onnx.ml', inputs: ['x'], outputs, attr };
    const result = inferShapesSync(model({ opsets, graph: { inputs: input(shape, type), outputs: outputs.map((name) => ({ name })), nodes: [node] } }));
    assert.deepEqual(errors(result), []);
    return result;
}

test('ZipMap gives a map for each row', () => {
    const attr = { classlabels_strings: ['a', 'b', 'c'] };
    for (const [shape, length] of [[['N', 3], 'N'], [[0, 3], 0], [[3], 1], [null, undefined], [['N', null], 'N']]) {
        const y = infer('ZipMap', shape, attr).get('y');
        assert.equal(y.type, 'seq(map(string,float32))');
        assert.equal(y.length, length, `rows of ${JSON.stringify(shape)}`);
    }
});

test('a map has a key for each column, which tells the input', () => {
    const nodes = [{ op: 'ZipMap', domain: 'ai.onnx.ml', inputs: ['x'], outputs: ['z'], attr: { classlabels_int64s: [0, 1] } }];
    const result = inferShapesSync(model({ opsets, graph: { inputs: input(['N', null]), outputs: [{ name: 'z' }], nodes } }));
    assert.deepEqual(result.get('x').shape, ['N', 2]);
    assert.equal(result.get('z').length, 'N');
});

test('lists of thousands of labels and weights count', () => {
    const labels = { classlabels_int64s: count(3000) };
    const tree = infer('TreeEnsembleClassifier', ['N', 4], { ...labels, nodes_values: { fs: count(50000) } }, ['y', 'z']);
    assert.deepEqual([tree.get('y').shape, tree.get('z').shape], [['N'], ['N', 3000]]);
    const svm = infer('SVMClassifier', ['N', 4], { classlabels_ints: count(2000), vectors_per_class: count(2000), support_vectors: { fs: count(9000) } }, ['y', 'z']);
    assert.deepEqual(svm.get('z').shape, ['N', 1999000]);
    const words = count(4000).map((i) => `word ${i}`);
    assert.deepEqual(infer('OneHotEncoder', ['N'], { cats_strings: words }, ['y'], 'string').get('y').shape, ['N', 4000]);
    const linear = infer('LinearClassifier', ['N', 4], { coefficients: { fs: count(9000) }, intercepts: { fs: count(2250) } }, ['y', 'z']);
    assert.deepEqual(linear.get('z').shape, ['N', 2250]);
});

test('a packed list: its entries while they are kept, then unknown rather than its bytes', () => {
    const encoder = (list) => concat([
        ...int(1, 10), ...message(7, [
            ...message(1, [...text(1, 'x'), ...text(2, 'y'), ...text(4, 'OneHotEncoder'),
                ...message(5, [...text(1, 'cats_int64s'), ...bytes(8, Uint8Array.from(list.flatMap(varint))), ...int(20, 7)]),
                ...text(7, 'ai.onnx.ml')]),
            ...text(2, 'g'), ...message(11, valueInfo({ name: 'x', type: 'int64', shape: ['N'] })), ...message(12, valueInfo({ name: 'y' }))]),
        ...message(8, [...text(1, 'ai.onnx.ml'), ...int(2, 3)])]);
    const size = (n) => {
        const result = inferShapesSync(encoder(count(n)));
        assert.deepEqual(errors(result), []);
        return result.get('y').shape;
    };
    assert.deepEqual([3, 700, 2000].map(size), [['N', 3], ['N', 700], ['N', 2000]]);
    assert.match(size(20000)[1], /^unk__/);
});
