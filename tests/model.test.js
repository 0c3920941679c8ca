// inferShapes as a caller uses it.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { ModelError, inferShapes, inferShapesSync, load } from 'onnx-shape/model';
import { layout } from '../tools/layout.mjs';
import { model, varint } from './onnx.js';

const temp = mkdtempSync(join(tmpdir(), 'onnx-shape-'));
after(() => rmSync(temp, { recursive: true, force: true }));

const float = (name, shape) => ({ name, type: 'float', shape });
const relu = (shape) => model({ inputs: [float('x', shape)], outputs: [{ name: 'y' }], nodes: [{ op: 'Relu', inputs: ['x'], outputs: ['y'] }] });

/** x [B, 3] → Shape → s, an initializer w, an If with a body in each branch. */
const branchy = model({
    producer: 'test', opsets: { '': 18, 'my.domain': 1 },
    inputs: [float('x', ['B', 3]), { name: 'c', type: 'bool', shape: [] }],
    outputs: [{ name: 's' }, { name: 'z' }],
    initializers: [{ name: 'w', type: 'float', dims: [3, 4], data: Array(12).fill(0) }],
    nodes: [
        { op: 'Shape', name: 'shape', inputs: ['x'], outputs: ['s'] },
        { op: 'MatMul', inputs: ['x', 'w'], outputs: ['m'] },
        { op: 'If', inputs: ['c'], outputs: ['z'], attr: {
            then_branch: { g: { nodes: [{ op: 'Relu', inputs: ['m'], outputs: ['t'] }], outputs: [{ name: 't' }] } },
            else_branch: { g: { nodes: [{ op: 'Neg', inputs: ['m'], outputs: ['t'] }], outputs: [{ name: 't' }] } },
        } },
    ],
});

test('values in file order, bodies after the main graph', () => {
    const result = inferShapesSync(branchy);
    assert.deepEqual(result.values, [
        { name: 'x', graph: '', kind: 'input', type: 'float32', shape: ['B', 3], node: null },
        { name: 'c', graph: '', kind: 'input', type: 'bool', shape: [], node: null },
        { name: 'w', graph: '', kind: 'initializer', type: 'float32', shape: [3, 4], node: null, content: Array(12).fill(0) },
        { name: 's', graph: '', kind: 'output', type: 'int64', shape: [2], node: 'shape', content: ['B', 3] },
        { name: 'm', graph: '', kind: 'intermediate', type: 'float32', shape: ['B', 4], node: 'MatMul#1' },
        { name: 'z', graph: '', kind: 'output', type: 'float32', shape: ['B', 4], node: 'If#2' },
        { name: 't', graph: 'If#2/then_branch', kind: 'output', type: 'float32', shape: ['B', 4], node: 'Relu#0' },
        { name: 't', graph: 'If#2/else_branch', kind: 'output', type: 'float32', shape: ['B', 4], node: 'Neg#0' },
    ]);
    assert.deepEqual(result.model, { irVersion: 10, opsetImport: { '': 18, 'my.domain': 1 }, producer: 'test' });
    assert.deepEqual(result.nodes.map((node) => `${node.graph}:${node.index} ${node.op} ${node.inputs} -> ${node.outputs}`),
        [':0 Shape x -> s', ':1 MatMul x,w -> m', ':2 If c -> z', 'If#2/then_branch:0 Relu m -> t', 'If#2/else_branch:0 Neg m -> t']);
    assert.deepEqual(result.symbols, [{ name: 'B', origin: 'declared', where: [{ value: 'x', axis: 0 }] }]);
    assert.deepEqual([result.assumptions, result.diagnostics], [[], []]);
    assert.equal(result.get('t', 'If#2/else_branch').node, 'Neg#0');
    assert.equal(result.get('t'), undefined);
    assert.equal(result.get('t', 'nowhere'), undefined);
    assert.deepEqual(JSON.parse(result.stringify()), JSON.parse(JSON.stringify(result.toJSON())));
    assert.deepEqual(Object.keys(result.toJSON()), ['model', 'values', 'nodes', 'symbols', 'assumptions', 'diagnostics']);
});

test('the bodies of functions stand under their call', () => {
    const result = inferShapesSync(model({
        opsets: { '': 18, f: 1 }, inputs: [float('x', ['N'])], outputs: [{ name: 'y' }],
        nodes: [{ op: 'Twice', domain: 'f', inputs: ['x'], outputs: ['h'] }, { op: 'Twice', domain: 'f', name: 'b', inputs: ['h'], outputs: ['y'] }],
        functions: [{ domain: 'f', name: 'Twice', inputs: ['a'], outputs: ['r'], nodes: [{ op: 'Add', inputs: ['a', 'a'], outputs: ['r'] }] }],
    }));
    assert.deepEqual(result.values.map(({ name, graph, kind, shape }) => [graph, name, kind, shape.join()]), [
        ['', 'x', 'input', 'N'], ['', 'h', 'intermediate', 'N'], ['', 'y', 'output', 'N'],
        ['Twice#0', 'a', 'input', 'N'], ['Twice#0', 'r', 'output', 'N'], ['b', 'a', 'input', 'N'], ['b', 'r', 'output', 'N']]);
});

// Concat doubles the axis that each call names: 2N or 6.
test('attributes that are the same byte for byte still mean what each call says', () => {
    const double = (from, to) => ({ op: 'Concat', inputs: [from, from], outputs: [to], attr: { axis: { ref: 'axis', type: 'int' } } });
    const branch = (name) => ({ g: { nodes: [double('x', name)], outputs: [{ name }] } }), inputs = [float('x', ['N', 3]), { name: 'c', type: 'bool', shape: [] }];
    const result = inferShapesSync(model({
        opsets: { '': 18, f: 1 }, inputs, outputs: [{ name: 'a' }, { name: 'b' }],
        nodes: ['a', 'b'].map((out, axis) => ({ op: 'F', domain: 'f', inputs: ['x', 'c'], outputs: [out], attr: { axis } })),
        functions: [{ domain: 'f', name: 'F', inputs: ['x', 'c'], outputs: ['y'], attributes: ['axis'], nodes: [double('x', 'h'),
            { op: 'If', inputs: ['c'], outputs: ['y'], attr: { then_branch: branch('t'), else_branch: branch('e') } }] }],
    }));
    assert.deepEqual(result.values.filter(({ name }) => 'abht'.includes(name)).map(({ graph, name, shape }) => [graph, name, shape.join()]), [
        ['', 'a', '2*N,3'], ['', 'b', 'N,6'], ['F#0', 'h', '2*N,3'], ['F#0/If#1/then_branch', 't', '2*N,3'],
        ['F#1', 'h', 'N,6'], ['F#1/If#1/then_branch', 't', 'N,6']]);
});

test('each call has an instance of its own, unless it says that it may reuse one; the answers are the same', async () => {
    const { Instance } = WebAssembly, broken = branchy.subarray(0, 60), bytes = [branchy, relu(['N', 'M']), relu([2]), branchy];
    let made = 0;
    WebAssembly.Instance = class extends Instance {
        constructor(...args) { super(...args); made++; }
    };
    try {
        const want = bytes.map((b) => inferShapesSync(b).stringify());
        assert.equal(made, bytes.length);
        assert.deepEqual(bytes.map((b) => {
            assert.throws(() => inferShapesSync(broken, { reuse: true }), ModelError);
            return inferShapesSync(b, { reuse: true }).stringify();
        }), want);
        assert.equal(made, bytes.length + 1);
        const source = (b) => ({ size: b.length, read: async (offset, length) => b.slice(offset, offset + Math.min(length, 50)) });
        assert.deepEqual((await Promise.all(bytes.map((b) => inferShapes(source(b), { reuse: true })))).map((r) => r.stringify()), want);     // at the same time
        const { values } = inferShapesSync(branchy, { reuse: true });
        inferShapesSync(relu(['N', 'M']), { reuse: true });
        assert.deepEqual(values.map((v) => v.name), JSON.parse(want[0]).values.map((v) => v.name));      // what is looked at later is no longer in that memory
    } finally {
        WebAssembly.Instance = Instance;
    }
});

test('a node is called by its name where no other of its graph has it, among few and among many', () => {
    const names = { 7: 'twin', 8: 'tw\u00een', 250: 'twin', 251: 'tw\u00een', 290: '' };
    for (const [ascii, length] of [[true, 300], [false, 300], [true, 3000], [false, 3000]]) {
        const nodes = Array.from({ length }, (_, i) => ({ op: 'Relu', name: ascii && !/^\w*$/.test(names[i]) ? `n${i}` : names[i] ?? `n${i}`, inputs: [`v${i}`], outputs: [`v${i + 1}`] }));
        const result = inferShapesSync(model({ inputs: [float('v0', [1])], outputs: [{ name: `v${length}` }], nodes }));
        assert.deepEqual([7, 8, 9].map((i) => result.get(`v${i + 1}`).node), ['Relu#7', ascii ? 'n8' : 'Relu#8', 'n9']);
        assert.deepEqual(result.values.map((v) => v.node).filter((node) => node?.includes('#')), ['Relu#7', ...(ascii ? [] : ['Relu#8']), 'Relu#250',
            ...(ascii ? [] : ['Relu#251']), 'Relu#290']);
    }
});

test('five states stay apart', () => {
    const { values } = inferShapesSync(model({ inputs: [{ name: 'none' }, float('rank', null), float('scalar', []), { name: 'dim', type: 'float', shape: [''] }, float('zero', [0])],
        outputs: [], nodes: [] }));
    assert.deepEqual(values.map(({ type, shape }) => [type, shape]),
        [[null, null], ['float32', null], ['float32', []], ['float32', ['unk__0']], ['float32', [0]]]);
});

test('the opset of a node: its function\'s import, else the model\'s; none at all, or one below 1, is an error', () => {
    const nodes = [{ op: 'Add', inputs: ['x', 'y'], outputs: ['z'] }], values = [float('x', ['N', 3]), float('y', [3])];      // broadcasts from opset 7 on
    const shapes = (bytes) => {
        const { values, diagnostics } = inferShapesSync(bytes);
        return [values.find((v) => v.name === 'z').shape, diagnostics.map((d) => d.code)];
    };
    assert.deepEqual(shapes(model({ inputs: values, outputs: [{ name: 'z' }], nodes, opsets: { 'com.microsoft': 1 } })), [['N', 3], []]);
    assert.deepEqual(shapes(model({ inputs: values, outputs: [{ name: 'z' }], nodes, opsets: {} })), [['N', 3], ['opset']]);
    assert.deepEqual(shapes(model({ inputs: values, outputs: [{ name: 'z' }], nodes, opsets: {}, ir: 2 })), [null, ['shape']]);
    assert.deepEqual(shapes(model({ inputs: values, outputs: [{ name: 'z' }], nodes, opsets: { '': 0 } })), [['N', 3], ['opset']], 'read as if there were none');
    assert.deepEqual(shapes(model({ inputs: values, outputs: [{ name: 'z' }], nodes, opsets: { '': 99 } })), [['N', 3], ['limit']]);
    const local = { name: 'f', domain: 'local', inputs: ['x', 'y'], outputs: ['z'], nodes, opsets: { local: 1 } };
    const call = [{ op: 'f', domain: 'local', inputs: ['x', 'y'], outputs: ['z'] }];
    assert.deepEqual(shapes(model({ inputs: values, outputs: [{ name: 'z' }], nodes: call, functions: [local], opsets: { '': 18, local: 1 } })), [['N', 3], []]);
});

test('a condition and a trip count are one element', () => {
    const body = { inputs: [{ name: 'i', type: 'int64', shape: [] }, { name: 'c', type: 'bool', shape: [] }], nodes: [{ op: 'Identity', inputs: ['c'], outputs: ['d'] }, { op: 'Relu', inputs: ['x'], outputs: ['r'] }],
        outputs: [{ name: 'd' }, { name: 'r' }] };
    const branch = { nodes: [{ op: 'Relu', inputs: ['x'], outputs: ['t'] }], outputs: [{ name: 't' }] };
    for (const node of [{ op: 'If', inputs: ['c'], outputs: ['z'], attr: { then_branch: { g: branch }, else_branch: { g: branch } } }, { op: 'Loop', inputs: ['m', 'b'], outputs: ['z'], attr: { body: { g: body } } }]) {
        const bytes = model({ inputs: [float('x', [3]), { name: 'c', type: 'bool', shape: [2] }, { name: 'm', type: 'int64', shape: [2] }, { name: 'b', type: 'bool', shape: [] }],
            outputs: [{ name: 'z' }], nodes: [node] });
        assert.deepEqual(inferShapesSync(bytes).diagnostics.map((d) => d.code), ['shape']);
    }
});

test('wherever in a long graph a name is defined twice, or used before it is defined', () => {
    const chain = () => Array.from({ length: 300 }, (_, i) => ({ op: 'Relu', inputs: [i ? `v${i - 1}` : 'x'], outputs: [`v${i}`] }));
    const read = (nodes) => inferShapesSync(model({ inputs: [float('x', ['N'])], outputs: [{ name: 'v299' }], nodes }));
    for (const at of [0, 1, 62, 63, 64, 65, 127, 128, 129, 200, 298]) {
        const moved = chain(), twice = chain(), taken = chain();
        moved.splice(250, 0, ...moved.splice(at, 1));
        const { values, diagnostics } = read(moved);
        assert.deepEqual([values.length, values.filter((v) => String(v.shape) !== 'N'), diagnostics], [301, [], []], `moved from ${at}`);
        twice[at + 1].outputs.unshift(`v${at}`);
        assert.deepEqual(read(twice).diagnostics.map((d) => [d.code, d.value, d.node]).filter(([code]) => code !== 'arity'), [['defined-twice', `v${at}`, `Relu#${at + 1}`]], `twice at ${at}`);
        taken[at].outputs = ['x'];
        assert.deepEqual(read(taken).diagnostics.map((d) => [d.code, d.value]).slice(0, 1), [['undefined-input', `v${at}`]], `taken at ${at}`);
        assert.ok(read(taken).diagnostics.some((d) => d.code === 'defined-twice' && d.value === 'x'), `taken at ${at}`);
    }
});

test('what is said of an operator stands, whatever is done again', () => {
    const scalars = [{ name: 'c', type: 'bool', shape: [] }];
    const told = (rest) => inferShapesSync(model({ inputs: [float('x', ['N']), ...scalars], outputs: [{ name: 'z' }], opsets: { '': 18, u: 1 }, ...rest })).diagnostics.map((d) => `${d.severity} ${d.code} ${d.graph}`);
    const body = (node) => ({ g: { inputs: [{ name: 'i', type: 'int64', shape: [] }, { name: 'cc', type: 'bool', shape: [] }, { name: 's' }],
        nodes: [{ op: 'Identity', inputs: ['cc'], outputs: ['c2'] }, { inputs: ['s'], outputs: ['s2'], ...node }], outputs: [{ name: 'c2' }, { name: 's2' }] } });
    const loop = (node, more = scalars, size = 'N') => ({ inputs: [float('x', [size]), ...more], initializers: [{ name: 'm', type: 'int64', dims: [], data: [4] }], nodes: [{ op: 'Loop', inputs: ['m', '', 'x'], outputs: ['z'], attr: { body: body(node) } }] });
    assert.deepEqual(told(loop({ op: 'Bar', domain: 'u' })), ['warning unknown-operator Loop#0/body']);
    assert.deepEqual(told(loop({ op: 'Gelu' })), ['error opset Loop#0/body']);
    assert.deepEqual(told(loop({ op: 'Conv', inputs: ['s', 's'] })), ['error rank Loop#0/body'], 'a contradiction of the first turn');
    assert.deepEqual(told(loop({ op: 'MatMul', inputs: ['s', 'w'] }, [float('w', [3, 2])], 3)), ['error shape Loop#0/body'], 'of the second');
    const scan = (rows) => ({ inputs: [float('x', [rows, 3]), float('w', [5, 2])], nodes: [{ op: 'Scan', inputs: ['x'], outputs: ['z'], attr: { num_scan_inputs: 1,
        body: { g: { inputs: [{ name: 's' }], outputs: [{ name: 's2' }], nodes: [{ op: 'MatMul', inputs: ['s', 'w'], outputs: ['s2'] }] } } } }] });
    assert.deepEqual([4, 'N', 0].map((rows) => told(scan(rows))[0]), ['error shape Scan#0/body', 'warning shape Scan#0/body', 'warning shape Scan#0/body']);
    const branch = (op, name) => ({ g: { nodes: [{ op, inputs: ['x'], outputs: [name] }], outputs: [{ name }] } });
    assert.deepEqual(told({ nodes: [{ op: 'If', inputs: ['c'], outputs: ['q'], attr: { then_branch: branch('Gelu', 'a'), else_branch: branch('Relu', 'b') } },
        { op: 'Gelu', inputs: ['x'], outputs: ['z'] }, { op: 'Gelu', inputs: ['x'], outputs: ['w'] }] }), ['warning opset If#0/then_branch', 'error opset ']);
});

test('an output without a shape leaves it to value_info', () => {
    const shape = (output, ...infos) => inferShapesSync(model({ inputs: [float('x', ['N'])], outputs: [{ name: 'z', ...output }], opsets: { '': 18, u: 1 },
        nodes: [{ op: 'Bar', domain: 'u', inputs: ['x'], outputs: ['z'] }], valueInfo: infos.map((info) => ({ name: 'z', ...info })) })).get('z').shape;
    const info = { type: 'float', shape: [3, 4] }, other = { type: 'float', shape: [5] };
    assert.deepEqual([shape({}, info), shape({ type: 'float' }, info), shape({}, info, {}), shape(other, info), shape(other)], [[3, 4], [3, 4], [3, 4], [5], [5]]);
});

test('what a console shows, and what is asked for by no name', () => {
    const result = inferShapesSync(relu([2, 'N']));
    assert.match(inspect(result, { depth: 4 }), /name: 'y',[^]*shape: \[ 2, 'N' \][^]*stats: \{/);
    for (const ask of [() => result.get(5), () => result.why(undefined)]) assert.throws(ask, { name: 'TypeError', message: /^name is (5|undefined): pass the name of a value$/ });
    assert.throws(() => result.get('y', 5), { name: 'TypeError', message: /^graph is 5: / });
});

test('what an option cannot be', () => {
    const bytes = model({ inputs: [{ name: 'k', type: 'int64', shape: [2] }], outputs: [], nodes: [] });
    const refused = (options, message) => assert.throws(() => inferShapesSync(bytes, options), { name: 'TypeError', message });
    refused({ inputs: { k: ['', 8] } }, 'options.inputs["k"].shape[0] is "": pass an integer, a name or null');
    refused({ inputs: { k: { data: [1, 2.5] } } }, /^options\.inputs\["k"\]: its data has an element that is no integer/);
    refused({ onProgress: 5 }, 'options.onProgress is 5: pass a function');
    assert.deepEqual(inferShapesSync(bytes, { inputs: { k: { data: [1, -0] } } }).get('k').content, [1, 0]);
    assert.throws(() => inferShapesSync(null), { name: 'TypeError', message: /^the source is null: pass bytes or / });
});

test('an input of more axes than there may be', () => {
    const { values, diagnostics } = inferShapesSync(model({ inputs: [float('x', Array(1025).fill(1)), float('y', Array(1024).fill(1))], outputs: [], nodes: [] }));
    assert.deepEqual(values.map((v) => v.shape?.length ?? null), [null, 1024]);
    assert.deepEqual(diagnostics.map((d) => [d.code, d.severity, d.value]), [['limit', 'info', 'x']]);
    const random = inferShapesSync(model({ inputs: [], outputs: [{ name: 'r' }], nodes: [{ op: 'RandomNormal', inputs: [], outputs: ['r'], attr: { shape: Array(2000).fill(1) } }] }));
    assert.deepEqual([random.get('r').shape, random.diagnostics[0]?.message], [null, 'RandomNormal #0: rank 2000 is outside [0, 1024]']);
});

// By hand: of more items than are kept each is still like all.
test('a sequence of more items than are kept', () => {
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N', 4])], outputs: [{ name: 'y' }], initializers: [{ name: 'five', type: 'int64', dims: [], data: [5] }],
        nodes: [{ op: 'SequenceConstruct', inputs: Array(300).fill('x'), outputs: ['q'] }, { op: 'SequenceAt', inputs: ['q', 'five'], outputs: ['y'] }, { op: 'SequenceLength', inputs: ['q'], outputs: ['n'] }] }));
    assert.deepEqual([result.get('y').shape, result.get('n').content], [['N', 4], [300]]);
});

test('bodies that no rule comes to are listed as they declare', () => {
    const body = (name) => ({ inputs: [float(`in_${name}`, ['B', 2])], nodes: [{ op: 'Relu', inputs: [`in_${name}`], outputs: [name] }, { op: 'Neg', inputs: ['x'], outputs: [`${name}2`] }], outputs: [{ name }] });
    const listed = (node) => inferShapesSync(model({ inputs: [float('x', ['N'])], outputs: [{ name: 'z' }], nodes: [{ inputs: ['x'], outputs: ['z'], ...node }], opsets: { '': 18, local: 1 } }))
        .values.filter((v) => v.graph).map((v) => [v.graph, v.name, String(v.shape)]);
    const of = (path, name) => [[path, `in_${name}`, 'B,2'], [path, name, 'B,2'], [path, `${name}2`, 'N']];
    assert.deepEqual(listed({ op: 'f', domain: 'local', attr: { body: { g: body('a') } } }), of('f#0/body', 'a'), 'no rule');
    assert.deepEqual(listed({ op: 'f', domain: 'local', attr: { list: { graphs: [body('a'), body('b')] } } }), [...of('f#0/list[0]', 'a'), ...of('f#0/list[1]', 'b')], 'a list');
    assert.deepEqual(listed({ op: 'f', domain: 'local', attr: [...Array.from({ length: 70 }, (_, i) => [`a${i}`, i]), ['body', { g: body('a') }]] }), of('f#0/body', 'a'), 'behind many');
    assert.deepEqual(listed({ op: 'Relu', attr: { body: { g: body('a') } } }), of('Relu#0/body', 'a'), 'an attribute that it does not have');
    const branches = { then_branch: { g: body('a') }, else_branch: { g: body('b') } };
    assert.deepEqual(listed({ op: 'If', inputs: [], attr: branches }), [...of('If#0/then_branch', 'a'), ...of('If#0/else_branch', 'b')], 'no condition');
});

test('what no runtime loads is an error in a branch, too, taken or not; what else is wrong there is a warning', () => {
    const relu = (from, to) => ({ op: 'Relu', inputs: [from], outputs: [to] }), initializers = [{ name: 'w', type: 'float', dims: [2], data: new Uint8Array(4) }];
    const never = { op: 'Constant', outputs: ['never'], attr: { value: { t: ['bool', [], new Uint8Array(1)] } } };
    const told = (then_branch, condition) => inferShapesSync(model({ inputs: [float('x', ['N']), { name: 'c', type: 'bool', shape: [] }], outputs: [{ name: 'z' }], nodes: [never,
        { op: 'If', inputs: [condition], outputs: ['z'], attr: { then_branch: { g: { outputs: [{ name: 'o' }], ...then_branch } }, else_branch: { g: { nodes: [relu('x', 'p')], outputs: [{ name: 'p' }] } } } }] }))
        .diagnostics.map((d) => `${d.severity} ${d.code}`);
    for (const [branch, expected] of [
        [{ nodes: [relu('nowhere', 'o')] }, 'error undefined-input'], [{ nodes: [relu('x', 'o'), relu('x', 'o')] }, 'error defined-twice'],
        [{ nodes: [relu('q', 'o'), relu('o', 'q')] }, 'error cycle'], [{ nodes: [relu('w', 'o')], initializers }, 'error data-size'],
        [{ nodes: [{ op: 'MatMul', inputs: ['x', 'c'], outputs: ['o'] }] }, 'warning type'],
    ]) {
        for (const condition of ['c', 'never']) assert.deepEqual(told(branch, condition), [expected], 'ONNX Runtime refuses the first four at load');
    }
});

test('names that are taken: inputs, and node outputs in bodies', () => {
    const told = (rest) => inferShapesSync(model({ outputs: [{ name: 'z' }], ...rest })).diagnostics.map((d) => [d.code, d.graph, d.value]);
    assert.deepEqual(told({ inputs: [float('x', [3]), float('x', [3])], nodes: [{ op: 'Relu', inputs: ['x'], outputs: ['z'] }] }), [['defined-twice', '', 'x']]);
    const bodies = (name) => ({ inputs: [float('x', [3]), { name: 'c', type: 'bool', shape: [] }], nodes: [
        { op: 'Relu', inputs: ['x'], outputs: ['before'] },
        { op: 'If', inputs: ['c'], outputs: ['z'], attr: Object.fromEntries(['then_branch', 'else_branch'].map((branch) =>
            [branch, { g: { nodes: [{ op: 'Not', inputs: ['c'], outputs: [name] }], outputs: [{ name }] } }])) },
        { op: 'Relu', inputs: ['x'], outputs: ['after'] }] });
    for (const name of ['x', 'before']) assert.deepEqual(told(bodies(name)).map((d) => d[1]), ['If#1/then_branch', 'If#1/else_branch']);
    for (const name of ['own', 'after', 'z']) assert.deepEqual(told(bodies(name)), []);
});

test('an attribute that is there twice, an initializer with a negative dim', () => {
    const codes = (rest) => inferShapesSync(model({ inputs: [float('x', ['N', 3])], outputs: [{ name: 'z' }], ...rest })).diagnostics.map((d) => d.code);
    assert.deepEqual(codes({ nodes: [{ op: 'Softmax', inputs: ['x'], outputs: ['z'], attr: [['axis', 0], ['axis', 1]] }] }), ['attribute']);
    assert.deepEqual(codes({ nodes: [{ op: 'Softmax', inputs: ['x'], outputs: ['z'], attr: [['axis', 0]] }] }), []);
    assert.deepEqual(codes({ nodes: [{ op: 'Add', inputs: ['x', 'w'], outputs: ['z'] }], initializers: [{ name: 'w', type: 'float', dims: [-2, 3], data: [1, 2, 3] }] }), ['negative-dim']);
});

test('a fresh symbol never has the name of a dim of the file, nor where that one is bound', () => {
    const file = model({ inputs: [float('x', ['unk__0', 6])], outputs: [{ name: 'y' }], nodes: [{ op: 'NonZero', inputs: ['x'], outputs: ['y'] }] });
    for (const freeDimensionOverrides of [{}, { unk__0: 2 }]) {
        const result = inferShapesSync(file, { freeDimensionOverrides });
        assert.deepEqual(result.get('y').shape, [2, 'unk__1']);
        assert.deepEqual(result.symbols.map((s) => s.name), freeDimensionOverrides.unk__0 ? ['unk__1'] : ['unk__0', 'unk__1']);
    }
});

test('nor that of a dim whose size options.inputs has', () => {
    const file = model({ inputs: [float('x', ['N', 6])], outputs: [{ name: 'y', type: 'int64', shape: [2, 'N'] }], nodes: [{ op: 'NonZero', inputs: ['x'], outputs: ['y'] }] });
    assert.deepEqual(inferShapesSync(file, { inputs: { x: [3, 6] } }).get('y').shape, [2, 'unk__0']);
});

test('tensors in attributes are looked at as initializers are', () => {
    const told = (value, op = 'Constant') => inferShapesSync(model({ inputs: [{ name: 's', type: 'int64', shape: [1] }], outputs: [{ name: 'z' }],
        nodes: ['z', 'y'].map((name) => ({ op, inputs: op === 'Constant' ? [] : ['s'], outputs: [name], attr: { value: { t: [value.type, value.dims, value.data] } } })) }))
        .diagnostics.map((d) => [d.severity, d.code, d.value, d.message]);
    const both = (severity, code, text, op = 'Constant') => ['z', 'y'].map((name, i) => [severity, code, name, `${op} #${i}: attribute 'value'${text}`]);
    const raw = (length) => new Uint8Array(length);
    assert.deepEqual(told({ type: 'int64', dims: [2], data: raw(16) }), []);
    assert.deepEqual(told({ type: 'int64', dims: [2], data: raw(12) }), both('error', 'data-size', ': 12 bytes or entries of data, 16 expected'), 'ONNX Runtime: buffers of different size');
    assert.deepEqual(told({ type: 'float', dims: [1000, 1000], data: raw(4000) }), both('error', 'data-size', ': 4000 bytes or entries of data, 4000000 expected'));
    assert.deepEqual(told({ type: 'float', dims: [-4] }), both('warning', 'negative-dim', ' has a negative dim, or more elements than 64 bits count'));
    assert.deepEqual(told({ type: 77, dims: [1], data: raw(4) }), both('warning', 'missing-type', ' has no element type'));
    assert.deepEqual(told({ type: 'int64', dims: [1], data: raw(3) }, 'ConstantOfShape'), both('error', 'data-size', ': 3 bytes or entries of data, 8 expected', 'ConstantOfShape'));
    const two = inferShapesSync(model({ inputs: [{ name: 's', type: 'int64', shape: [1] }], outputs: [{ name: 'z', type: 'int64', shape: ['?'] }],
        nodes: [{ op: 'ConstantOfShape', inputs: ['s'], outputs: ['z'], attr: { value: { t: ['int64', [2], raw(16)] } } }] }));
    assert.deepEqual([two.get('z').type, two.diagnostics.map((d) => d.code)], ['int64', ['attribute']], 'its type is known all the same');
});

test('an attribute that is to hold a graph or a tensor, and holds none', () => {
    const none = (op, inputs, names, kind = 'graph') => inferShapesSync(model({ inputs: [float('x', ['N', 3]), { name: 'c', type: 'bool', shape: [] }, { name: 'm', type: 'int64', shape: [] }],
        outputs: [{ name: 'z' }], nodes: [{ op, inputs, outputs: ['z'], attr: Object.fromEntries([...names.map((name) => [name, { noValue: kind }]), ...(op === 'Scan' ? [['num_scan_inputs', 1]] : [])]) }] }))
        .diagnostics.map((d) => [d.severity, d.code, d.message]);
    const told = (op, name, inputs, kind = 'graph') => [['error', 'attribute', `${op} #0: attribute '${name}' holds no ${kind}${inputs}`]];      // onnxruntime 1.32 refuses each
    assert.deepEqual(none('If', ['c'], ['then_branch', 'else_branch']), told('If', 'then_branch', ' (c [])'));
    assert.deepEqual(none('Loop', ['m', '', 'x'], ['body']), told('Loop', 'body', ' (m [], x [N, 3])'));
    assert.deepEqual(none('Scan', ['x'], ['body']), told('Scan', 'body', ' (x [N, 3])'));
    assert.deepEqual(none('Constant', [], ['value'], 'tensor'), told('Constant', 'value', '', 'tensor'));
    assert.deepEqual(none('Constant', [], ['sparse_value'], 'sparse_tensor'), told('Constant', 'sparse_value', '', 'tensor'));
});

test('initializers of one name or another type, calls with too much, functions of another overload', () => {
    const told = (rest) => inferShapesSync(model({ outputs: [{ name: 'z' }], ...rest })).diagnostics.map((d) => [d.severity, d.code, d.value]);
    const w = (dims, type = 'float') => ({ name: 'w', type, dims, data: Array(dims[0]).fill(0) }), use = { op: 'Relu', inputs: ['w'], outputs: ['z'] };
    assert.deepEqual(told({ initializers: [w([2]), w([3])], nodes: [use] }), [['error', 'defined-twice', 'w']]);
    assert.deepEqual(told({ inputs: [float('w', [2])], initializers: [w([2], 'double')], nodes: [use] }), [['warning', 'declared-mismatch', 'w']]);
    const functions = [{ domain: 'f', name: 'Id', inputs: ['a'], outputs: ['b'], opsets: { '': 18 }, nodes: [{ op: 'Relu', inputs: ['a'], outputs: ['b'] }] }];
    const call = (inputs, outputs, overload, opsets = { '': 18, f: 1 }) => told({ opsets, inputs: [float('x', [2])], functions, nodes: [{ op: 'Id', domain: 'f', inputs, outputs, overload }] });
    assert.deepEqual(call(['x', ''], ['z']), []);
    assert.deepEqual(call(['x', 'x'], ['z']), [['error', 'arity', 'z']]);
    assert.deepEqual(call(['x'], ['z', 'y']), [['error', 'arity', 'z']]);
    assert.deepEqual(call(['x'], ['z'], 'v9'), [['warning', 'unknown-operator', 'z']]);
    assert.deepEqual(call(['x'], ['z'], '', { '': 18 }), [['error', 'opset', 'z']], 'its domain is not imported');
    const ms = [{ ...functions[0], domain: 'com.microsoft', name: 'Frob' }];
    assert.deepEqual(told({ inputs: [float('x', [2])], functions: ms, nodes: [{ op: 'Frob', domain: 'com.microsoft', inputs: ['x'], outputs: ['z'] }] }), [], 'ONNX Runtime imports it by itself');
    functions.push(functions[0]);
    assert.deepEqual(call(['x'], ['z']), [['error', 'defined-twice', null]], 'which one is meant?');
});

test('a function is not looked for where there is an operator of that name, as ONNX Runtime has it', () => {
    const twice = (domain, name, opset, overload) => inferShapesSync(model({ opsets: { '': opset, 'com.microsoft': 1 }, inputs: [float('x', ['N', 3])], outputs: [{ name: 'y' }],
        functions: [{ domain, name, overload, inputs: ['a'], outputs: ['b'], opsets: { '': 18 }, nodes: [{ op: 'Concat', inputs: ['a', 'a'], outputs: ['b'], attr: { axis: 0 } }] }],
        nodes: [{ op: name, domain, overload, inputs: ['x'], outputs: ['y'] }] })).get('y').shape;
    assert.deepEqual(twice('', 'Relu', 18), ['N', 3]);
    assert.deepEqual(twice('com.microsoft', 'Gelu', 18), ['N', 3]);
    assert.deepEqual(twice('com.microsoft', 'Frob', 18), ['2*N', 3]);
    assert.deepEqual(twice('', 'Gelu', 18), ['2*N', 3], 'an operator of opset 20');
    assert.deepEqual(twice('', 'Relu', 18, 'twice'), ['2*N', 3], 'operators have no overloads');
    assert.deepEqual(twice('com.microsoft', 'LinearAttention', 24), ['2*N', 3], 'it has none of the attributes that the operator requires');
});

test('a type that the opset does not take is told, and passed on, as onnx 1.23 does', () => {
    const later = (name) => ({ name, type: 'bfloat16', shape: [10] });
    const result = inferShapesSync(model({ opsets: { '': 15 }, inputs: [{ name: 'c', type: 'bool', shape: [10] }, later('x'), later('y')], outputs: [{ name: 'z' }],
        nodes: [{ op: 'Where', inputs: ['c', 'x', 'y'], outputs: ['z'] }] }));
    assert.deepEqual(result.diagnostics.map((d) => d.code), ['type']);
    assert.equal(result.get('z').type, 'bfloat16');
});

test('messages: the node, its inputs with their shapes, what was expected', () => {
    const ints = (name, data) => ({ name, type: 'int64', dims: [data.length], data });
    const said = (rest) => inferShapesSync(model({ inputs: [float('x', [2, 3]), float('y', [4, 5])], outputs: [{ name: 'z' }], ...rest })).diagnostics.map((d) => d.message);
    const one = (op, inputs, rest = {}, initializers = []) => said({ initializers, nodes: [{ op, inputs, outputs: ['z'], ...rest }] })[0];
    assert.equal(one('Concat', ['x', 'y'], { name: 'cat', attr: { axis: 0 } }), 'Concat cat: axis 1 of y [4, 5] is not 3 (x [2, 3])');
    assert.equal(one('MatMul', ['x', 'y']), 'MatMul #0: inner sizes of x [2, 3] and y [4, 5] differ');
    assert.equal(one('Pad', ['x', 'p'], {}, [ints('p', [1, 1])]), 'Pad #0: 2 pads, 4 expected (x [2, 3], p [2])');
    assert.equal(one('Softmax', ['x'], { attr: { axis: 5 } }), 'Softmax #0: axis 5 is outside [-2, 2) (x [2, 3])');
    assert.equal(one('Softmax', ['x'], { attr: { axis: { s: 'a' } } }), 'Softmax #0: attribute \'axis\' is of type string, int expected (x [2, 3])');
    assert.equal(one('Flatten', ['x'], { attr: { axis: 3 } }), 'Flatten #0: axis 3 is outside [-2, 2] (x [2, 3])');
    assert.equal(one('Unsqueeze', ['x'], { attr: { axes: [0] } }), "Unsqueeze #0: attribute 'axes' is none of opset 18 any more (it may be an input)");
    assert.equal(one('Upsample', ['x'], { attr: { mode: 'nearest' } }), 'Upsample #0: is gone in opset 18');
    assert.equal(one('Foo', ['x'], { overload: 'second' }), 'Foo #0: no rule for operator Foo with overload second: its outputs stay unknown unless the file declares them (give one with options.operators)');
    const rule = (inputs, update_rule) => inferShapesSync(model({ opsets: { '': 27 }, inputs: [float('x', [2, 4, 64])], outputs: [{ name: 'z' }],
        nodes: [{ op: 'LinearAttention', inputs, outputs: ['z', 's'], attr: { q_num_heads: 4, kv_num_heads: 4, update_rule } }] })).diagnostics[0].message.replace(/ \(.*/, '');
    assert.equal(rule(['x', 'x', 'x', '', '', 'x'], 'gated_delta'), 'LinearAttention #0: update_rule gated_delta takes a decay and a beta');
    assert.equal(rule(['x', 'x', 'x', '', 'x', 'x'], 'gated'), 'LinearAttention #0: update_rule gated takes a decay and no beta');
    const half = (attr) => inferShapesSync(model({ opsets: { 'ai.onnx.ml': 3 }, inputs: [{ name: 'x', type: 'string', shape: [2] }], outputs: [{ name: 'z' }],
        nodes: [{ op: 'CategoryMapper', domain: 'ai.onnx.ml', inputs: ['x'], outputs: ['z'], attr }] })).diagnostics[0].message;
    assert.equal(half({ cats_strings: ['a'] }), "CategoryMapper #0: attribute 'cats_int64s' is required (x [2])");
    assert.equal(half({ cats_int64s: [1] }), "CategoryMapper #0: attribute 'cats_strings' is required (x [2])");
    // A wrong node says nothing of those after it.
    assert.deepEqual(said({ nodes: [{ op: 'Concat', inputs: ['x', 'x'], outputs: ['w'], attr: { axis: { f: 1.5 } } }, { op: 'Concat', inputs: ['x', 'x'], outputs: ['v'], attr: { axis: 0 } },
        { op: 'BitwiseNot', inputs: ['v'], outputs: ['z'] }] }), ["Concat #0: attribute 'axis' is of type float, int expected (x [2, 3], x [2, 3])",
        'BitwiseNot #2: input 0 (v [4, 3]) is float32, which opset 18 does not take']);
    assert.equal(one('Add', ['x']), 'Add #0: has 1 input, but opset 18 takes exactly 2 (x [2, 3])');
    assert.equal(one('Relu', ['x'], { outputs: ['z', 'more'] }), 'Relu #0: has 2 outputs, but opset 18 takes at most 1 (x [2, 3])');
    const many = Array(9).fill('x');
    assert.equal(one('Concat', many, { attr: { axis: 2 } }), `Concat #0: axis 2 is outside [-2, 2) (${Array(5).fill('x [2, 3]').join(', ')})`);
});

test('of what is wrong with a node the first is said, for more follows from it', () => {
    const codes = (node, opset = 18) => inferShapesSync(model({ opsets: { '': opset }, inputs: [float('x', [2, 3]), { name: 'b', type: 'bool', shape: [] }, { name: 'i', type: 'int64', shape: [3] }],
        outputs: [{ name: 'z' }], nodes: [{ outputs: ['z'], ...node }] })).diagnostics.map((d) => `${d.code} ${d.message.slice(0, 25)}`);
    assert.deepEqual(codes({ op: 'Add', inputs: ['b', 'b'] }), ['type Add #0: input 0 (b []) is']);
    assert.deepEqual(codes({ op: 'Max', inputs: ['x', 'i', 'i'] }), ['type Max #0: input 1 (i [3]) i']);
    assert.deepEqual(codes({ op: 'Pad', inputs: ['i', 'x'] }), ['type Pad #0: input 1 (x [2, 3]'], 'the rank is wrong, too');
    assert.deepEqual(codes({ op: 'Softmax', inputs: ['x', 'x'], attr: { axis: 5 } }), ['arity Softmax #0: has 2 inputs,']);
    assert.deepEqual(codes({ op: 'Softmax', inputs: ['x'], attr: { axis: 5, more: 1 } }).map((s) => s.slice(0, 9)), ['attribute', 'axis Soft'], 'but these two are two');
    assert.deepEqual(codes({ op: 'SequenceConstruct', inputs: ['x', 'i'] }), ['type SequenceConstruct #0: inp']);
    assert.deepEqual(codes({ op: 'Shape', inputs: ['x'], attr: { start: 1, end: 2 } }, 13), ['attribute Shape #0: attribute \'star']);
});

test('messages about graphs name nodes', () => {
    const told = (nodes) => inferShapesSync(model({ inputs: [float('x', [2, 3])], outputs: [{ name: 'z' }], nodes })).diagnostics.map((d) => [d.code, d.node, d.value, d.message]);
    assert.deepEqual(told([
        { op: 'Relu', name: 'after', inputs: ['b'], outputs: ['z'] }, { op: 'Add', inputs: ['x', 'a'], outputs: ['b'] }, { op: 'Relu', name: 'back', inputs: ['b'], outputs: ['a'] }]),
    [['cycle', 'Add#1', 'b', 'Add #1: waits for its own output (b → a → b): 3 nodes stay undone']]);
    assert.deepEqual(told([{ op: 'Relu', name: 'p', inputs: ['x'], outputs: ['a'] }, { op: 'Neg', name: 'q', inputs: ['x'], outputs: ['a'] }, { op: 'Add', name: 'use', inputs: ['a', 'nope'], outputs: ['z'] }]), [
        ['undefined-input', 'use', 'nope', 'Add use: value \'nope\' is used but never defined'],
        ['defined-twice', 'q', 'a', 'Neg q: value \'a\' is defined by Relu p already']]);
    assert.deepEqual(told([]), [['undefined-input', null, 'z', 'value \'z\' is used but never defined']]);
    const functions = ['A', 'B'].map((name, i) => ({ domain: 'f', name, inputs: ['x'], outputs: ['y'], opsets: { f: 1 }, nodes: [{ op: 'BA'[i], domain: 'f', inputs: ['x'], outputs: ['y'] }] }));
    assert.throws(() => inferShapesSync(model({ opsets: { '': 18, f: 1 }, functions, inputs: [float('x', [2])], outputs: [{ name: 'z' }], nodes: [{ op: 'A', domain: 'f', inputs: ['x'], outputs: ['z'] }] })),
        { code: 'function-recursion', message: /A → B → A$/ });
});

test('integers are exact', () => {
    const big = 2n ** 62n + 1n, result = inferShapesSync(relu([big, 2 ** 53 - 1]));
    assert.deepEqual(result.get('y').shape, [big, 2 ** 53 - 1]);
    assert.match(result.stringify(), new RegExp(`"shape":\\[${big},${2 ** 53 - 1}\\]`));
    assert.match(result.stringify(2), new RegExp(`\n        ${big},\n`));
    const ends = [-(2n ** 63n), 2n ** 63n - 1n, -1n, 0n];
    const { content } = inferShapesSync(model({ inputs: [], outputs: [{ name: 'y' }],
        nodes: [{ op: 'Constant', outputs: ['y'], attr: { value: { t: ['int64', [4], ends] } } }] })).get('y');
    assert.deepEqual(content.map(BigInt), ends);
});

test('JSON in pieces, rows one at a time: the same as in one', () => {
    for (const count of [0, 999, 1000, 1001, 2000]) {       // around a piece's 1,000 rows
        const nodes = Array.from({ length: count }, (_, i) => ({ op: 'Relu', inputs: [i ? `v${i}` : 'x'], outputs: [`v${i + 1}`] }));
        const of = (dim) => inferShapesSync(model({ inputs: [float('x', [dim])], outputs: [], nodes }));
        for (const dim of ['N', 2n ** 62n + 1n]) {
            const result = of(dim), pieces = [...result.pieces()];
            assert.deepEqual(JSON.parse(pieces.join('')), JSON.parse(of(dim).stringify(2)), `${count} nodes of ${dim}`);
            assert.equal(pieces.join(''), result.stringify());
            assert.equal(pieces.length, 1 + Math.floor(count / 1000) + Math.floor(Math.max(count - 1, 0) / 1000), 'one more value than nodes');
            const rows = [...result.each('values')];
            assert.notEqual([...result.each('values')][0], rows[0], 'none is kept');
            assert.deepEqual(rows, result.values);
            assert.equal([...result.each('values')][0], result.values[0], 'what is kept is given');
        }
    }
    assert.throws(() => [...inferShapesSync(branchy).each('model')], { name: 'TypeError', message: /list is "model": pass one of values, nodes, / });
});

test('contents: floats, bools, expressions', () => {
    const constant = (name, t) => ({ op: 'Constant', outputs: [name], attr: { value: { t } } });
    const result = inferShapesSync(model({ inputs: [float('x', ['N', 2])], outputs: [], nodes: [
        constant('f', ['float', [3], [0.5, -Infinity, 3]]), constant('b', ['bool', [2], [1, 0]]), { op: 'Size', inputs: ['x'], outputs: ['n'] }] }));
    assert.deepEqual(result.get('f').content, [0.5, -Infinity, 3]);
    assert.deepEqual(result.get('b').content, [true, false]);
    assert.deepEqual(result.get('n').content, ['2*N']);
    assert.match(result.stringify(), /\[0.5,"-Infinity",3\]/);
});

test('names: any UTF-8, and what is none', () => {
    const name = '名前 😀 "x"\n', bytes = relu(['H']), at = Buffer.from(bytes).indexOf('Relu');
    const result = inferShapesSync(model({ inputs: [float(name, ['層'])], outputs: [{ name: 'y' }], nodes: [{ op: 'Relu', inputs: [name], outputs: ['y'] }] }));
    assert.deepEqual(result.get(name).shape, ['層']);
    assert.deepEqual(result.get('y').shape, ['層']);
    bytes.set([0xff, 0xc3], at);
    assert.equal(inferShapesSync(bytes).nodes[0].op, '��lu');
});

test('every kind of source gives the same', async () => {
    const path = join(temp, 'branchy.onnx'), want = inferShapesSync(branchy).stringify();
    writeFileSync(path, branchy);
    const handle = await open(path), copy = new Uint8Array(branchy.length + 8);
    copy.set(branchy, 5);
    const ranges = { size: branchy.length, read: (offset, length) => branchy.subarray(offset, offset + length) };
    const sources = { path, url: pathToFileURL(path), text: pathToFileURL(path).href, handle, blob: new Blob([branchy]), view: copy.subarray(5, 5 + branchy.length),
        buffer: branchy.slice().buffer, shared: Object.assign(new Uint8Array(new SharedArrayBuffer(branchy.length)), {}), ranges,
        waiting: { size: BigInt(branchy.length), read: async (...range) => ranges.read(...range).slice().buffer },
        data: `data:application/octet-stream;base64,${Buffer.from(branchy).toString('base64')}`, stream: new Blob([branchy]).stream(), response: new Response(branchy) };
    sources.shared.set(branchy);
    for (const [name, source] of Object.entries(sources)) assert.equal((await inferShapes(source)).stringify(), want, name);
    for (const name of ['view', 'buffer', 'shared', 'ranges']) assert.equal(inferShapesSync(sources[name]).stringify(), want, name);
    await handle.close();
    await assert.rejects(inferShapes(handle), { name: 'TypeError', message: /^the source is a FileHandle that is closed: pass bytes, / });
    await assert.rejects(inferShapes('https://'), { name: 'TypeError', message: /^the source is "https:\/\/": pass bytes, / });
    await assert.rejects(inferShapes([]), { name: 'TypeError', message: /^the source is an Array: / });
    for (const wrong of [undefined, null, 3, {}, []]) await assert.rejects(inferShapes(wrong), TypeError);
    assert.throws(() => inferShapesSync(path), TypeError);
    await assert.rejects(inferShapes(new Response('', { status: 404 })), { message: 'the response answered 404' });
    await assert.rejects(inferShapes(new Response(null)), TypeError);
    await assert.rejects(inferShapes(join(temp, 'absent.onnx')), { code: 'ENOENT' });
    await assert.rejects(inferShapes(temp), { code: 'EISDIR' });
});

test('sources of other kinds: a view, a thenable, a stream that cannot be iterated, what has more than it needs', async () => {
    const { length } = branchy, want = inferShapesSync(branchy).stringify(), read = (offset, size) => branchy.slice(offset, offset + size);
    const stream = () => { const body = new Blob([branchy]).stream(); return { getReader: () => body.getReader() }; };
    for (const [name, source] of Object.entries({
        view: { size: length, read: (...range) => new DataView(read(...range).buffer) }, thenable: { size: length, read: (...range) => ({ then: (done) => done(read(...range)) }) },
        frame: runInNewContext('Uint8Array.from(bytes).buffer', { bytes: branchy }), handle: { size: length, read, stat() {}, fd: 3 }, stream: stream() })) assert.equal((await inferShapes(source)).stringify(), want, name);
});

test('chunks of a stream: any bytes; what is none is told', async () => {
    const want = inferShapesSync(branchy).stringify(), stream = (...chunks) => (async function* () { yield* chunks; })(), buffer = branchy.slice().buffer;
    for (const chunks of [[buffer], [new DataView(buffer)], [buffer.slice(0, 50), new Uint8Array(0), Buffer.from(buffer, 50)]]) assert.equal((await inferShapes(stream(...chunks))).stringify(), want);
    for (const chunk of ['text', 8, null]) await assert.rejects(inferShapes(stream(chunk)), { name: 'TypeError', message: /^a chunk of the stream is .*: pass a Uint8Array$/ });
});

test('what a stream has passed by is kept for a rule that asks later', async () => {
    // A table of 8 KiB, which is skipped at first, in front of more than is read at once; its element 3 is half of the target.
    const table = { name: 'table', type: 'int64', dims: [1000], data: Array.from({ length: 1000 }, (_, i) => i), field: 'raw' };
    const of = (before) => model({ inputs: [float('x', [6])], outputs: [{ name: 'y' }], initializers: [{ name: 'v', type: 'float', dims: [before / 4], data: new Uint8Array(before) }, table, { name: 'at', type: 'int64', dims: [1], data: [3] }, { name: 'one', type: 'int64', dims: [1], data: [-1] },
        { name: 'w', type: 'float', dims: [1000, 1000], data: new Uint8Array(4e6) }],
    nodes: [{ op: 'Gather', inputs: ['table', 'at'], outputs: ['three'] }, { op: 'Concat', inputs: ['three', 'one'], outputs: ['to'], attr: { axis: 0 } }, { op: 'Reshape', inputs: ['x', 'to'], outputs: ['y'] }] });
    for (const before of [4, 62000, 63000, 100000]) {       // windows of 64 KiB: the table is in one, or in two
        const bytes = of(before);
        for (const size of [1000, 65536, 1e6]) {
            const chunks = (async function* () { for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size); })();
            const result = await inferShapes(chunks);
            assert.deepEqual(result.get('y').shape, [3, 2], `${before} bytes before it, chunks of ${size}`);
            assert.equal(result.stringify(), inferShapesSync(bytes).stringify());
        }
    }
});

test('ranges that are none: TypeErrors that say which part', async () => {
    for (const size of [NaN, -1, Infinity, 1.5, null, '3']) {
        const source = { size, read: () => branchy };
        assert.throws(() => inferShapesSync(source), { name: 'TypeError', message: /^source\.size is / }, String(size));
        await assert.rejects(inferShapes(source), { name: 'TypeError', message: /^source\.size is / }, String(size));
    }
    assert.throws(() => inferShapesSync({ read: () => branchy }), { name: 'TypeError', message: /\{ size, read/ });
    for (const answer of [undefined, null, 5, 'bytes', {}, [1]]) {
        const source = { size: 100, read: () => answer };
        assert.throws(() => inferShapesSync(source), { name: 'TypeError', message: /^what read\(\) gives is / }, String(answer));
        await assert.rejects(inferShapes({ size: 100, read: async () => answer }), { name: 'TypeError', message: /read\(\)/ }, String(answer));
    }
    let unhandled = 0;
    const count = () => { unhandled++; };
    process.on('unhandledRejection', count);
    for (const read of [async () => branchy, async () => { throw new Error('no'); }]) assert.throws(() => inferShapesSync({ size: 100, read }), { name: 'TypeError', message: /use inferShapes$/ });
    assert.throws(() => inferShapesSync(relu(['N']), { operators: { Relu: async () => { throw new Error('no'); } } }), TypeError);
    await new Promise((resolve) => { setTimeout(resolve, 10); });
    process.off('unhandledRejection', count);
    assert.equal(unhandled, 0);
});

test('freeDimensionOverrides, inputs', () => {
    const get = (options) => inferShapesSync(relu(['N', 'H']), options).get('y').shape;
    assert.deepEqual(get({ freeDimensionOverrides: { N: 0, H: 2n ** 60n } }), [0, 2n ** 60n]);
    assert.deepEqual(get({ inputs: { x: [1, 'K'] } }), [1, 'K']);
    assert.deepEqual(get({ inputs: { x: { shape: [4, 5, 6] } } }), [4, 5, 6]);
    const other = inferShapesSync(relu(['N']), { inputs: { x: { type: 'tensor(double)', shape: Int32Array.of(7) } } });
    assert.deepEqual([other.get('y').type, other.get('y').shape], ['float64', [7]]);
    assert.equal(inferShapesSync(relu(['N']), { freeDimensionOverrides: { M: 1 } }).diagnostics[0].code, 'unknown-name');
});

test('an input given with its elements', () => {
    const reshape = model({ inputs: [float('x', ['N', 6]), { name: 'to', type: 'int64', shape: [3] }], outputs: [{ name: 'y' }],
        nodes: [{ op: 'Reshape', inputs: ['x', 'to'], outputs: ['y'] }] });
    const get = (data, shape = [3]) => inferShapesSync(reshape, { inputs: { to: { shape, data } } }).get('y').shape;
    assert.deepEqual(get([0, 2, 3]), ['N', 2, 3]);
    assert.deepEqual(get(BigInt64Array.of(-1n, 3n, 2n)), ['N', 3, 2]);
    assert.throws(() => get([1, 2], [3]), { name: 'TypeError', message: /"to".*elements/ });
    for (const some of [[0, null, 3], [0, 'M', 3]]) assert.deepEqual(get(some), ['unk__0', 'unk__1', 'unk__2'], 'all of them are known, or none');
});

test('elements alone are of the declared shape', () => {
    const bytes = model({ opsets: { '': 17 }, inputs: [{ name: 'k', type: 'int64', shape: [2] }], outputs: [{ name: 'y' }],
        nodes: [{ op: 'ConstantOfShape', inputs: ['k'], outputs: ['y'] }] });
    assert.deepEqual(inferShapesSync(bytes, { inputs: { k: { data: [3, 4] } } }).get('y').shape, [3, 4]);
});

test('options.inputs: values inside the graph', () => {
    // y is x's elements over the target; the file says nothing of the target's own.
    const bytes = model({ inputs: [float('x', ['N', 6]), { name: 'a', type: 'int64', shape: [1] }, { name: 'n', type: 'int64', shape: ['K'] }], outputs: [{ name: 'y' }, { name: 'z' }],
        initializers: [{ name: 'six', type: 'int64', dims: [1], data: [6] }, { name: 'w', type: 'float', dims: [6, 4] }], nodes: [
            { op: 'Concat', name: 'join', inputs: ['a', 'six'], outputs: ['to'], attr: { axis: 0 } }, { op: 'Reshape', inputs: ['x', 'to'], outputs: ['y'] },
            { op: 'MatMul', inputs: ['x', 'w'], outputs: ['z'] }, { op: 'ConstantOfShape', inputs: ['n'], outputs: ['of'] }] });
    const get = (name, inputs) => inferShapesSync(bytes, { inputs }).get(name);
    assert.deepEqual([get('y', { to: { data: [3, -1] } }).shape, get('to', { to: { data: [3, -1] } }).content], [[3, '2*N'], [3, -1]]);
    assert.deepEqual(get('y', { to: { shape: [3], data: [2, 3, -1] } }).shape, [2, 3, 'N'], 'instead of what the rule says');
    assert.deepEqual([get('to', { to: [2] }).content, get('y', { to: [2] }).shape[1]], [[null, 6], 6], 'what is known stays known');
    assert.deepEqual(get('of', { n: { data: [2, 7] } }).shape, [2, 7], 'a vector as long as its elements are many');
    assert.deepEqual([get('w', { w: [6, 'M'] }).shape, get('z', { w: [6, 'M'] }).shape], [[6, 'M'], ['N', 'M']]);
    const told = (inputs) => inferShapesSync(bytes, { inputs }).diagnostics.map((d) => [d.code, d.message]);
    assert.deepEqual(told({ to: { data: [1, 2, 3] } }), [['shape', "Concat join: 'to' is given 3 elements, but it is [2]: give its shape, too"]]);
    assert.deepEqual(told({ other: [1] }), [['unknown-name', "the main graph has no value 'other': what is given of it has no effect"]]);
});

test('dividing by a negative number keeps the numerator\'s sign: -floor(k/2), not floor(-k/2)', () => {
    // ONNX Div of integers truncates: 5 / -2 is -2, so 2 - (5 / -2) is 4 (by hand).
    const bytes = model({ opsets: { '': 17 }, inputs: [{ name: 'x', type: 'float', shape: ['k'] }], outputs: [{ name: 'y' }],
        initializers: [{ name: 'm', type: 'int64', dims: [1], data: [-2] }, { name: 'two', type: 'int64', dims: [1], data: [2] }],
        nodes: [{ op: 'Shape', inputs: ['x'], outputs: ['s'] }, { op: 'Div', inputs: ['s', 'm'], outputs: ['q'] },
            { op: 'Sub', inputs: ['two', 'q'], outputs: ['d'] }, { op: 'ConstantOfShape', inputs: ['d'], outputs: ['y'] }] });
    const result = inferShapesSync(bytes);
    assert.deepEqual(result.evaluate(result.get('y').shape, { k: 5 }), [4]);
});

const shapeOf = (name) => ({ op: 'Shape', inputs: ['x'], outputs: [name] });
const ints = (name, data) => ({ name, type: 'int64', dims: data.length === 1 ? [] : [data.length], data });
const filled = (name, from, value) => ({ op: 'ConstantOfShape', inputs: [from], outputs: [name], attr: { value: { t: ['int64', [1], [value]] } } });
const counted = (nodes, initializers = []) => inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N', 'R'])], outputs: [{ name: 'nz' }],
    initializers: [...initializers, ints('zero', [0]), ints('one', [1]), ints('nine', [9])],
    nodes: [shapeOf('s'), ...nodes, { op: 'NonZero', inputs: ['y'], outputs: ['nz'] }] }));
const binary = (op, a, b, y) => ({ op, inputs: [a, b], outputs: [y] });

// By hand; onnxruntime 1.32 gives these counts for N, R = 3, 4; 1, 1; 5, 2.
test('one value over open sizes: all elements are counted, or none', () => {
    const of = (...nodes) => counted(nodes).get('nz').shape;
    assert.deepEqual(of(filled('y', 's', 7)), [2, 'N*R']);
    assert.deepEqual(of(filled('y', 's', 0)), [2, 0]);
    assert.deepEqual(of(binary('Add', 's', 'one', 'y')), [1, 2]);       // N + 1 and R + 1
    assert.deepEqual(of({ op: 'Expand', inputs: ['nine', 's'], outputs: ['y'] }), [2, 'N*R']);
    assert.deepEqual(of(filled('f', 's', 3), binary('Mul', 'f', 'f', 'g'), binary('Sub', 'g', 'nine', 'y')), [2, 0]);
    assert.deepEqual(of(filled('f', 's', 3), binary('Equal', 'f', 'nine', 'e'), { op: 'Not', inputs: ['e'], outputs: ['y'] }), [2, 'N*R']);
    assert.deepEqual(of(filled('f', 's', 3), binary('Less', 'f', 'nine', 'c'), filled('g', 's', 0), { op: 'Where', inputs: ['c', 'g', 'f'], outputs: ['y'] }), [2, 0]);
    const [, unknown] = of(filled('f', 's', 3), filled('g', 's', 0), { op: 'Concat', inputs: ['f', 'g'], outputs: ['y'], attr: { axis: 0 } });
    assert.match(unknown, /^unk__/);
});

// By hand; onnxruntime 1.32 gives these shapes for N, R = 1, 4 and 2, 2.
test('one value over open sizes has as many elements as its shape, once that is known', () => {
    const one = (name, data) => ({ name, type: 'int64', dims: [1], data: [data] }), shaped = (op, inputs, y, attr) => ({ op, inputs, outputs: [y], attr });
    const result = counted([filled('f', 's', 3), shaped('Reshape', ['f', 'four'], 'r'), shaped('ReduceSum', ['r'], 'sum'), filled('y', 'r', 1), filled('z', 'sum', 1),
        shaped('Concat', ['none', 's'], 'empty', { axis: 0 }), filled('g', 'empty', 3), shaped('Flatten', ['g'], 'h', { axis: 3 }), shaped('ReduceSum', ['h'], 'nothing'),
        shaped('Reshape', ['nothing', 'last'], 't'), filled('v', 't', 1)], [one('four', 4), one('none', 0), one('last', -1)]);
    assert.deepEqual(['r', 'y', 'z', 'h', 'v'].map((name) => result.get(name).shape), [[4], [3, 3, 3, 3], [12], [0, 1], [0]]);
});

// numpy: of 2000 times 3 the sum is 6000, the mean and the greatest 3, its first place 0.
test('one value in more places than are kept, reduced', () => {
    const of = (op, data = [2000]) => inferShapesSync(model({ opsets: { '': 18 }, inputs: [], outputs: [{ name: 'y' }],
        initializers: [{ name: 's', type: 'int64', dims: [data.length], data }],
        nodes: [filled('f', 's', 3), { op, inputs: ['f'], outputs: ['y'], attr: { keepdims: 0 } }] })).get('y').content;
    assert.deepEqual(['ReduceSum', 'ReduceMax', 'ReduceMin'].map((op) => of(op)), [[6000], [3], [3]]);
    assert.deepEqual(['ReduceMean', 'ReduceProd', 'ArgMax'].map((op) => of(op)), [undefined, undefined, undefined]);
});

// By hand: 1200 elements are not kept, though each part is.
test('what has more elements than are kept has a shape alone', () => {
    const some = { name: 'v', type: 'int64', dims: [600], data: Array(600).fill(7) }, row = { ...some, name: 'w', dims: [1, 600] };
    const of = (op, inputs, attr) => inferShapesSync(model({ opsets: { '': 18 }, inputs: [], outputs: [{ name: 'y' }], nodes: [{ op, inputs, outputs: ['y'], attr }], initializers: [some, row,
        ...[['two', [1], [2]], ['both', [2], [2, 600]], ['pads', [2], [0, 600]], ['at', [2], [0, 0]], ['rows', [2, 1], [0, 0]]].map(([name, dims, data]) => ({ name, type: 'int64', dims, data }))] })).get('y');
    const cases = [['Concat', ['v', 'v'], { axis: 0 }], ['Tile', ['v', 'two']], ['Expand', ['v', 'both']], ['Pad', ['v', 'pads']], ['Gather', ['w', 'at']], ['GatherND', ['w', 'rows']]];
    for (const [op, inputs, attr] of cases) {
        const { shape, content } = of(op, inputs, attr);
        assert.deepEqual([op, shape.reduce((a, b) => a * b), content], [op, 1200, undefined]);
    }
});

test('bounds of a range decide comparisons', () => {
    const sizes = [{ op: 'Split', inputs: ['s'], outputs: ['n', 'r1'], attr: { num_outputs: 2 } }, { op: 'Squeeze', inputs: ['n'], outputs: ['n0'] }, { op: 'Squeeze', inputs: ['r1'], outputs: ['r'] }];
    const range = { op: 'Range', inputs: ['zero', 'n0', 'one'], outputs: ['i'] };
    assert.deepEqual(counted([...sizes, range, binary('Less', 'i', 'n0', 'y')]).get('nz').shape, [1, 'N']);
    assert.deepEqual(counted([...sizes, range, binary('Less', 'i', 'zero', 'y')]).get('nz').shape, [1, 0]);
    assert.deepEqual(counted([...sizes, range, binary('Add', 'i', 'one', 'y')]).get('nz').shape, [1, 'N']);
    for (const y of [binary('Less', 'i', 'nine', 'y'), { op: 'Identity', inputs: ['i'], outputs: ['y'] }, binary('Mul', 'i', 'zero', 'y')])
        assert.match(counted([...sizes, range, y]).get('nz').shape[1], /^unk__/);
    assert.match(counted([...sizes, range, binary('Add', 'i', 'one', 'j'), binary('Sub', 'j', 'one', 'y')]).get('nz').shape[1], /^unk__/);      // 1, 2, 3, … are not all 1
    // torch.repeat_interleave: R times each of N rows, the mask of Range < repeats being true throughout
    const result = counted([...sizes, filled('z', 'n', 0), binary('Add', 'z', 'r', 'times'), { op: 'ReduceMax', inputs: ['times'], outputs: ['most'], attr: { keepdims: 0 } },
        { op: 'Range', inputs: ['zero', 'most', 'one'], outputs: ['i'] }, { op: 'Unsqueeze', inputs: ['times', 'axis'], outputs: ['t'] }, binary('Less', 'i', 't', 'y')],
    [{ name: 'axis', type: 'int64', dims: [1], data: [1] }]);
    assert.deepEqual(result.get('nz').shape, [2, 'N*R']);
    assert.deepEqual(result.assumptions.map(({ lhs, rhs, reason }) => [lhs, rhs, reason]), [['N', 1, 'reduction']]);
});

test('what a loop makes of one value is another', () => {
    const body = { inputs: [{ name: 'i', type: 'int64', shape: [] }, { name: 'c', type: 'bool', shape: [] }, { name: 'v', type: 'int64', shape: null }],
        outputs: [{ name: 'd' }, { name: 'w' }], nodes: [{ op: 'Identity', inputs: ['c'], outputs: ['d'] }, binary('Add', 'v', 'one', 'w')] };
    const result = counted([filled('f', 's', -1), { op: 'Size', inputs: ['x'], outputs: ['k'] }, { op: 'Loop', inputs: ['k', '', 'f'], outputs: ['y'], attr: { body: { g: body } } }]);
    assert.match(result.get('nz').shape[1], /^unk__/);      // -1 + 1 once, 1 twice
});

test('what every turn of a loop, or each item of a sequence, makes of sizes', () => {
    const scalar = (name, type) => ({ name, type, shape: [] }), join = (...inputs) => ({ op: 'Concat', inputs, outputs: [`${inputs[0]}2`], attr: { axis: 0 } });
    const body = { inputs: [scalar('i', 'int64'), scalar('c', 'bool'), { name: 'v', type: 'float' }, { name: 'w', type: 'float' }],
        outputs: [{ name: 'd' }, { name: 'v2' }, { name: 'w2' }, { name: 'r' }], nodes: [
            { op: 'Identity', inputs: ['c'], outputs: ['d'] }, { op: 'Gather', inputs: ['x', 'i'], outputs: ['r'], attr: { axis: 1 } }, join('v', 'r'), join('w', 'v')] };
    const twice = { inputs: [{ name: 'e', type: 'float' }], outputs: [{ name: 'e2' }], nodes: [join('e', 'e')] };
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['B', 'T', 8]), float('v', ['N', 8])], outputs: [{ name: 'y' }],
        initializers: [{ name: 'one', type: 'int64', dims: [], data: [1] }], nodes: [
            { op: 'Shape', inputs: ['x'], outputs: ['s'] }, { op: 'Gather', inputs: ['s', 'one'], outputs: ['t'] },
            { op: 'Loop', inputs: ['t', '', 'v', 'v'], outputs: ['sum', 'more', 'rows'], attr: { body: { g: body } } },
            { op: 'SequenceConstruct', inputs: ['x', 'sum'], outputs: ['pair'] }, { op: 'SequenceMap', inputs: ['pair'], outputs: ['pairs'], attr: { body: { g: twice } } },
            { op: 'SequenceAt', inputs: ['pairs', 'one'], outputs: ['y'] }] }));
    assert.deepEqual(['sum', 'rows', 'y'].map((name) => result.get(name).shape), [['B*T + N', 8], ['T', 'B', 8], ['2*B*T + 2*N', 8]]);
    assert.match(result.get('more').shape[0], /^unk__/);        // grows by more each time
});

// By hand; onnxruntime 1.32 gives L + turns, with one new step a turn, where a cap of 20 ends the loop Max(L + 1, 20).
test('what only grows from turn to turn is never less than at first', () => {
    const big = '9223372036854775807', last = { op: 'Slice', inputs: ['s', 'minus', 'big', 'one'], outputs: ['last'] }, grow = { op: 'Concat', inputs: ['s', 'last'], outputs: ['s2'], attr: { axis: 1 } };
    const greedy = (limit, ...stop) => inferShapesSync(model({ opsets: { '': 18 }, inputs: [{ name: 'ids', type: 'int64', shape: ['B', 'L'] }, { name: 'm', type: 'int64', shape: [] }], outputs: [{ name: 'seqs' }],
        initializers: [['minus', [1], -1], ['big', [1], big], ['one', [1], 1], ['at', [], 1], ['twenty', [], 20]].map(([name, dims, v]) => ({ name, type: 'int64', dims, data: [v] })), nodes: [
            { op: 'Loop', name: 'gen', inputs: [limit, '', 'ids'], outputs: ['seqs', 'steps'], attr: { body: { g: {
                inputs: [{ name: 'i', type: 'int64', shape: [] }, { name: 'c', type: 'bool', shape: [] }, { name: 's', type: 'int64' }],
                outputs: [{ name: 'd' }, { name: 's2' }, { name: 'last' }], nodes: [last, grow, ...stop] } } } }] }));
    const shapes = (result) => [['seqs'], ['steps'], ['last', 'gen/body'], ['s2', 'gen/body']].map((at) => result.get(...at).shape);
    const some = greedy('m', { op: 'Identity', inputs: ['c'], outputs: ['d'] });
    assert.deepEqual(shapes(some), [['B', 'L + Max(unk__0, 0)'], ['Max(unk__0, 0)', 'B', 1], ['B', 1], ['B', 'L + unk__1 + 1']]);
    assert.deepEqual(some.assumptions.map(({ lhs, rhs }) => [lhs, rhs]), [['L', 1]]);
    const capped = greedy('', { op: 'Shape', inputs: ['s2'], outputs: ['n'] }, { op: 'Gather', inputs: ['n', 'at'], outputs: ['k'] }, binary('Less', 'k', 'twenty', 'd'));
    assert.deepEqual(shapes(capped), [['B', 'Max(L + 1, 20)'], ['20 - Min(L, 19)', 'B', 1], ['B', 1], ['B', 'L + unk__0 + 1']]);
});

// By hand; onnxruntime 1.32 gives these for T = 12 and 4.
test('no turn of a counted loop reaches the count', () => {
    const sizes = (first, past, count = 't', goOn = { op: 'Identity', inputs: ['c'], outputs: ['d'] }, from = 'x') => inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['B', 'T', 6])], outputs: [{ name: 'y' }],
        initializers: [['one', [], 1], ['four', [], 4], ['at', [1], [0]], ['axis', [1], [1]]].map(([name, dims, v]) => ({ name, type: 'int64', dims, data: [v].flat() })), nodes: [
            { op: 'Shape', inputs: ['x'], outputs: ['s'] }, { op: 'Gather', inputs: ['s', 'one'], outputs: ['t'] }, binary('Div', 't', 'four', 'chunks'), binary('Sub', 't', 'four', 'windows'),
            binary('Mul', 'chunks', 'four', 'whole'), { op: 'Unsqueeze', inputs: ['whole', 'at'], outputs: ['end'] }, { op: 'Slice', inputs: ['x', 'at', 'end', 'axis'], outputs: ['even'] },
            { op: 'Loop', name: 'each', inputs: [count, ''], outputs: ['y'], attr: { body: { g: {
                inputs: [{ name: 'i', type: 'int64', shape: [] }, { name: 'c', type: 'bool', shape: [] }], outputs: [{ name: 'd' }, { name: 'z' }], nodes: [
                    goOn, binary('Add', 'i', 'one', 'j'), binary('Mul', 'i', 'four', 'i4'), binary('Add', 'i4', 'four', 'j4'), binary('Add', 'j', 'four', 'j5'),
                    { op: 'Unsqueeze', inputs: [first, 'at'], outputs: ['from'] }, { op: 'Unsqueeze', inputs: [past, 'at'], outputs: ['to'] },
                    { op: 'Slice', inputs: [from, 'from', 'to', 'axis'], outputs: ['z'] }] } } } }] }));
    assert.deepEqual(sizes('i', 'j').get('y').shape, ['T', 'B', 1, 6]);
    assert.deepEqual(sizes('i4', 'j4', 'chunks').get('y').shape, ['floor(T/4)', 'B', 4, 6]);
    assert.deepEqual(sizes('i4', 'j4', 'chunks', undefined, 'even').get('y').shape, ['floor(T/4)', 'B', 4, 6]);
    assert.deepEqual(sizes('i', 'j5', 'windows').get('y').shape, ['Max(T - 4, 0)', 'B', 5, 6]);
    assert.deepEqual(sizes('i', 'j', 't', binary('Less', 'j', 'four', 'd')).get('y').shape, ['Min(T, 4)', 'B', 1, 6]);
    assert.deepEqual(sizes('one', 'j').get('z', 'each/body').shape, ['B', 'unk__1', 6]);
    assert.deepEqual(sizes('i', 'j').assumptions, []);
});

// By hand; onnx's reference evaluator gives such sizes on each turn.
test('what holds on the first turn of a loop is not taken for what holds on all', () => {
    const scalar = (name, v) => ({ name, type: 'int64', dims: [], data: [v] }), int = (name) => ({ name, type: 'int64', shape: [] }), bool = (name) => ({ name, type: 'bool', shape: [] });
    const goOn = { op: 'Identity', inputs: ['c'], outputs: ['d'] }, longer = { op: 'Concat', inputs: ['t', 'x'], outputs: ['u'], attr: { axis: 0 } };
    const loop = (body, inputs, outputs, inside) => ({ op: 'Loop', inputs: [inputs[0], '', inputs[1]], outputs, attr: { body: { g: { inputs: [int('i'), bool('c'), body], ...inside } } } });
    const infer = (...nodes) => inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N'])], outputs: [{ name: 'y' }],
        initializers: [scalar('zero', 0), scalar('one', 1), scalar('three', 3), { name: 'axis', type: 'int64', dims: [1], data: [0] }], nodes }));
    // What the first turn required of a size that each turn makes.
    const required = infer(loop({ name: 't', type: 'float' }, ['three', 'x'], ['y'], { outputs: [{ name: 'd' }, { name: 'u' }], nodes: [goOn, longer,
        { op: 'NonZero', inputs: ['t'], outputs: ['z'] }, { op: 'Squeeze', inputs: ['z', 'axis'], outputs: ['at'] }, { op: 'Cast', inputs: ['at'], outputs: ['w'], attr: { to: 1 } },
        { op: 'MatMul', inputs: ['t', 'w'], outputs: ['dot'] }] }));
    assert.deepEqual([['y'], ['t', 'Loop#0/body'], ['at', 'Loop#0/body']].map((at) => required.get(...at).shape), [['4*N'], ['N + unk__0'], ['N + unk__0']]);
    // The size of the first item of a sequence that the loop makes.
    const listed = infer({ op: 'SequenceEmpty', outputs: ['none'] }, loop({ name: 's', type: 'seq(float)' }, ['three', 'none'], ['y'], { outputs: [{ name: 'd' }, { name: 'u' }], nodes: [goOn,
        binary('Add', 'i', 'one', 'j'), { op: 'Unsqueeze', inputs: ['j', 'axis'], outputs: ['to'] }, { op: 'Slice', inputs: ['x', 'axis', 'to'], outputs: ['part'] },
        { op: 'SequenceInsert', inputs: ['s', 'part'], outputs: ['u'] }, { op: 'SequenceAt', inputs: ['u', 'zero'], outputs: ['first'] }] }));
    assert.deepEqual(['part', 'first'].map((name) => listed.get(name, 'Loop#1/body').shape[0].replace(/\d+/, '')), ['Min(N, unk__ + 1)', 'unk__']);
    // How far the first turn counts in a loop inside.
    const counted = infer(loop(int('m'), ['three', 'one'], ['y'], { outputs: [{ name: 'd' }, { name: 'n' }], nodes: [goOn, binary('Add', 'm', 'one', 'n'),
        loop({ name: 't', type: 'float' }, ['m', 'x'], ['z'], { outputs: [{ name: 'd2' }, { name: 'v' }], nodes: [{ ...goOn, outputs: ['d2'] }, binary('Greater', 'i', 'zero', 'more'),
            { op: 'If', inputs: ['more'], outputs: ['v'], attr: { then_branch: { g: { outputs: [{ name: 'u' }], nodes: [longer] } },
                else_branch: { g: { outputs: [{ name: 'u2' }], nodes: [{ op: 'Identity', inputs: ['t'], outputs: ['u2'] }] } } } }] })] }));
    assert.deepEqual([['t', 'Loop#0/body/Loop#2/body'], ['z', 'Loop#0/body']].map((at) => counted.get(...at).shape[0].replace(/\d+/, '')), ['unk__', 'unk__']);
});

// By hand; onnxruntime 1.32 gives these for N = 5, 6, 3.
test('parts of an open axis: the first, the second, the last, and all of them again', () => {
    const shapes = (size) => {
        const at = (from, i, y) => ({ op: 'SequenceAt', inputs: [from, i], outputs: [y] }), result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N', 'T'])], outputs: [{ name: 'y' }],
            initializers: [['zero', 0], ['one', 1], ['minus', -1], ['two', 2]].map(([name, v]) => ({ name, type: 'int64', dims: [], data: [v] })), nodes: [
                { op: 'Shape', inputs: ['x'], outputs: ['s'] }, { op: 'Gather', inputs: ['s', 'zero'], outputs: ['n'] }, binary('Add', 'n', 'one', 'n1'), binary('Div', 'n1', 'two', 'half'),
                { op: 'SplitToSequence', inputs: ['x', size], outputs: ['q'], attr: { axis: 0 } }, at('q', 'zero', 'a'), at('q', 'one', 'b'), at('q', 'minus', 'c'),
                { op: 'ConcatFromSequence', inputs: ['q'], outputs: ['y'], attr: { axis: 0 } }, { op: 'SequenceInsert', inputs: ['q', 'x'], outputs: ['more'] },
                { op: 'ConcatFromSequence', inputs: ['more'], outputs: ['z'], attr: { axis: 0 } }] }));
        return [...['a', 'b', 'c', 'y'].map((name) => result.get(name).shape[0]), /^unk__/.test(result.get('z').shape[0])];
    };
    assert.deepEqual(shapes('two'), ['Min(N, 2)', 'Min(N - 2, 2)', '2 - Mod(N, 2)', 'N', true]);
    assert.deepEqual(shapes('half').slice(0, 2), ['floor((N + 1)/2)', 'floor(N/2)']);       // x.chunk(2)
});

// By hand; numpy: x[5:3], x[5:9] and x[4:] of 5 and of 4 rows.
test('a slice from the end on is empty, wherever it ends', () => {
    const of = (start, end) => { const { values, assumptions } = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N', 'T'])], outputs: [{ name: 'y' }], initializers: [ints('at', [0, 1]), ints('far', [1e9])].map((i) => ({ ...i, dims: [i.data.length] })),
        nodes: [shapeOf('s'), { op: 'Split', inputs: ['s'], outputs: ['n', 't'], attr: { num_outputs: 2 } }, { op: 'Slice', inputs: ['x', start, end], outputs: ['y'] }] }));
    return [values.find((v) => v.name === 'y').shape[0], assumptions.length]; };
    assert.deepEqual([of('n', 't'), of('n', 'far')], [[0, 0], [0, 0]]);
});

// onnxruntime 1.32 gives these shapes.
test('items by their places: the end where none is given, from the end where that is negative', () => {
    const at = (from, i) => ({ op: 'SequenceAt', inputs: [from, i], outputs: [`${from}${i}`] });
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N', 4]), float('a', [1]), float('b', [2]), float('c', [3])], outputs: [{ name: 'more0' }],
        initializers: [['0', 0], ['1', 1], ['-1', -1], ['-2', -2], ['two', 2]].map(([name, v]) => ({ name, type: 'int64', dims: [], data: [v] })), nodes: [
            { op: 'SequenceConstruct', inputs: ['a', 'b'], outputs: ['q'] }, { op: 'SequenceInsert', inputs: ['q', 'c'], outputs: ['more'] }, { op: 'SequenceInsert', inputs: ['q', 'c', '-1'], outputs: ['between'] },
            { op: 'SequenceErase', inputs: ['more'], outputs: ['less'] }, { op: 'SequenceErase', inputs: ['more', '-2'], outputs: ['ends'] }, { op: 'SplitToSequence', inputs: ['x', 'two'], outputs: ['cut'] },
            ...['more', 'between', 'less', 'ends'].flatMap((q) => [at(q, '0'), at(q, '1'), at(q, '-1')]), at('cut', '1'), at('cut', '-2')] }));
    const shapes = (q) => ['0', '1', '-1'].map((i) => result.get(q + i).shape[0]);
    assert.deepEqual(['more', 'between', 'less', 'ends'].map(shapes), [[1, 2, 3], [1, 3, 2], [1, 2, 2], [1, 3, 3]]);
    assert.deepEqual(['cut1', 'cut-2'].map((y) => result.get(y).shape), [['Min(N - 2, 2)', 4], [2, 4]]);
});

// By hand; onnxruntime 1.32: 1, 2, 4, 8 rows, the last of which ends the loop.
test('a loop without a count that a condition on known sizes ends', () => {
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', [1, 'N'])], outputs: [{ name: 'y' }], initializers: [{ name: 'go', type: 'bool', dims: [], data: [1] }, { name: 'five', type: 'int64', dims: [], data: [5] }], nodes: [
        { op: 'Loop', inputs: ['', 'go', 'x'], outputs: ['y'], attr: { body: { g: {
            inputs: [{ name: 'i', type: 'int64', shape: [] }, { name: 'c', type: 'bool', shape: [] }, float('v', null)], outputs: [{ name: 'd' }, { name: 'w' }],
            initializers: [{ name: 'zero', type: 'int64', dims: [], data: [0] }], nodes: [
                { op: 'Concat', inputs: ['v', 'v'], outputs: ['w'], attr: { axis: 0 } }, { op: 'Shape', inputs: ['w'], outputs: ['s'] }, { op: 'Gather', inputs: ['s', 'zero'], outputs: ['rows'] }, binary('Less', 'rows', 'five', 'd')] } } } }] }));
    assert.deepEqual(result.get('y').shape, [8, 'N']);
});

// By hand: how many of x are not 0 is one number, inside the body and after it.
test('a size that data decide outside of a body is the same when it leaves one', () => {
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N']), { name: 'k', type: 'int64', shape: [] }], outputs: [{ name: 'y' }], initializers: [{ name: 'go', type: 'bool', dims: [], data: [1] }], nodes: [
        { op: 'NonZero', inputs: ['x'], outputs: ['nz'] }, { op: 'Loop', inputs: ['k', 'go'], outputs: ['y'], attr: { body: { g: {
            inputs: [{ name: 'i', type: 'int64', shape: [] }, { name: 'c', type: 'bool', shape: [] }], outputs: [{ name: 'd' }, { name: 'w' }], nodes: [
                { op: 'Identity', inputs: ['c'], outputs: ['d'] }, { op: 'Neg', inputs: ['nz'], outputs: ['w'] }] } } } }] }));
    assert.deepEqual(result.get('y').shape.slice(1), result.get('nz').shape);
});

// onnxruntime 1.32: of rank 0 for N = 3 (items of 1 and of 2 rows), of rank 2 for N = 4.
test('items at the same place in two sequences need not be alike', () => {
    const { values } = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N', 3])], outputs: [{ name: 'y' }],
        initializers: [['zero', 0], ['two', 2]].map(([name, v]) => ({ name, type: 'int64', dims: [], data: [v] })), nodes: [
            { op: 'SplitToSequence', inputs: ['x', 'two'], outputs: ['q'], attr: { axis: 0 } }, { op: 'SequenceErase', inputs: ['q', 'zero'], outputs: ['rest'] },
            { op: 'SequenceMap', inputs: ['rest', 'q', 'q'], outputs: ['y'], attr: { body: { g: { inputs: [{ name: 'a' }, { name: 'b' }, { name: 'c' }], outputs: [{ name: 'o' }], nodes: [
                { op: 'Shape', inputs: ['a'], outputs: ['s'] }, { op: 'Shape', inputs: ['b'], outputs: ['t'] }, binary('Equal', 's', 't', 'k'), { op: 'Gather', inputs: ['k', 'zero'], outputs: ['same'] },
                { op: 'If', inputs: ['same'], outputs: ['o'], attr: { then_branch: { g: { outputs: [{ name: 'u' }], nodes: [{ op: 'Neg', inputs: ['a'], outputs: ['u'] }] } },
                    else_branch: { g: { outputs: [{ name: 'v' }], nodes: [{ op: 'ReduceSum', inputs: ['b'], outputs: ['v'], attr: { keepdims: 0 } }] } } } }] } } } }] }));
    const shape = (name) => values.find((v) => v.name === name).shape;
    assert.deepEqual(['a', 'b', 'c', 'y'].map(shape), [['unk__1', 3], ['unk__2', 3], ['unk__2', 3], null]);
});

test('what an assumption says already is not said again', () => {
    const first = (from, to) => ({ op: 'Slice', inputs: [from, 'zero', 'one'], outputs: [to] });
    const { assumptions } = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['S', 4])], outputs: [{ name: 'c' }],
        initializers: [['zero', 0], ['one', 1]].map(([name, v]) => ({ name, type: 'int64', dims: [1], data: [v] })),
        nodes: [first('x', 'a'), { op: 'Concat', inputs: ['x', 'x'], outputs: ['b'], attr: { axis: 0 } }, first('b', 'c')] }));
    assert.deepEqual(assumptions.map(({ lhs, rhs }) => [lhs, rhs]), [['S', 1]]);        // not 2*S >= 1 too
});

test('how often a condition lets a loop run that compares a counter', () => {
    const scalar = (name, type) => ({ name, type, shape: [] });
    const start = (k, steps) => inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['T', 3])], outputs: [{ name: 'y' }],
        initializers: [['zero', 0], ['one', 1], ['two', 2]].map(([name, v]) => ({ name, type: 'int64', dims: [], data: [v] })), nodes: [
            { op: 'Shape', inputs: ['x'], outputs: ['s'] }, { op: 'Gather', inputs: ['s', 'zero'], outputs: ['t'] }, { op: 'Cast', inputs: ['t'], outputs: ['limit'], attr: { to: 1 } },
            { op: 'Cast', inputs: [k], outputs: ['f'], attr: { to: 1 } }, { op: 'Less', inputs: ['f', 'limit'], outputs: ['first'] },
            { op: 'Loop', inputs: ['', 'first', 'zero'], outputs: ['count', 'y'], attr: { body: { g: {
                inputs: [scalar('i', 'int64'), scalar('c', 'bool'), scalar('v', 'int64')], outputs: [{ name: 'd' }, { name: 'w' }, { name: 'v' }], nodes: [
                    binary('Add', 'v', steps, 'w'), { op: 'Cast', inputs: ['w'], outputs: ['g'], attr: { to: 1 } }, binary('Less', 'g', 'limit', 'less'),
                    binary('Greater', 'limit', 'g', 'more'), binary('And', 'less', 'more', 'd')] } } } }] })).get('y').shape[0];
    assert.deepEqual([start('zero', 'one'), start('zero', 'two')], ['T', 'floor((T + 1)/2)']);
    assert.match(start('one', 'one'), /^unk__/);        // another condition than that of the turns
    assert.match(start('zero', 't'), /^unk__/);
});

test('a branch that pads where there is something to pad', () => {
    const padded = (more) => inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['T', 3])], outputs: [{ name: 'y' }],
        initializers: [['zero', [], [0]], ['four', [], [4]], ['one', [1], [1]], ['more', [], [more]], ['three', [1], [3]]].map(([name, dims, data]) => ({ name, type: 'int64', dims, data })), nodes: [
            { op: 'Shape', inputs: ['x'], outputs: ['s'] }, { op: 'Gather', inputs: ['s', 'zero'], outputs: ['t'] }, binary('Sub', 'zero', 't', 'minus'), binary('Mod', 'minus', 'four', 'pad'),
            binary('Greater', 'pad', 'zero', 'some'), { op: 'If', inputs: ['some'], outputs: ['y'], attr: {
                then_branch: { g: { outputs: [{ name: 'p' }], nodes: [binary('Add', 'pad', 'more', 'rows'), { op: 'Unsqueeze', inputs: ['rows', 'none'], outputs: ['r'] },
                    { op: 'Concat', inputs: ['r', 'three'], outputs: ['to'], attr: { axis: 0 } }, { op: 'ConstantOfShape', inputs: ['to'], outputs: ['z'] }, { op: 'Concat', inputs: ['x', 'z'], outputs: ['p'], attr: { axis: 0 } }],
                initializers: [{ name: 'none', type: 'int64', dims: [1], data: [0] }] } },
                else_branch: { g: { outputs: [{ name: 'q' }], nodes: [{ op: 'Identity', inputs: ['x'], outputs: ['q'] }] } } } }] }));
    assert.deepEqual(padded(0).get('y').shape, ['4*floor((T + 3)/4)', 3]);
    const more = padded(1);         // one row more than the 1 and 3 that are missing
    assert.deepEqual([3, 4, 5, 8].map((T) => more.evaluate(more.get('y').shape, { T })), [[5, 3], [4, 3], [9, 3], [8, 3]]);
});

// By hand; onnxruntime 1.32 gives these for T = 1, 4, 5, 64 and 65.
test('a choice by a condition that is made of sizes', () => {
    const identity = (x, y) => ({ g: { outputs: [{ name: y }], nodes: [{ op: 'Identity', inputs: [x], outputs: [y] }] } });
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['T', 'S']), { name: 'any', type: 'bool', shape: [1] }], outputs: [{ name: 'as' }],
        initializers: [['zero', 0], ['one', 1], ['two', 2], ['cap', 64]].map(([name, v]) => ({ name, type: 'int64', dims: [1], data: [v] })), nodes: [
            { op: 'Shape', inputs: ['x'], outputs: ['s'] }, { op: 'Gather', inputs: ['s', 'zero'], outputs: ['t'] }, { op: 'Gather', inputs: ['s', 'one'], outputs: ['u'] },
            binary('Mod', 't', 'two', 'odd'), binary('Less', 't', 'cap', 'few'), binary('Equal', 't', 'zero', 'none'), binary('GreaterOrEqual', 't', 'u', 'tall'), binary('Equal', 'odd', 'one', 'isOdd'),
            ...[['few', 't', 'cap', 'a'], ['few', 'cap', 't', 'b'], ['none', 'one', 't', 'c'], ['tall', 't', 'u', 'd'], ['any', 't', 'u', 'e'], ['isOdd', 'cap', 't', 'f']].map(([c, yes, no, y]) => ({ op: 'Where', inputs: [c, yes, no], outputs: [y] })),
            ...['a', 'b', 'c', 'd', 'e', 'f'].map((n) => ({ op: 'ConstantOfShape', inputs: [n], outputs: [`${n}s`] })),
            { op: 'Slice', inputs: ['x', 'one', 'cap', 'zero'], outputs: ['rest'] }, { op: 'Transpose', inputs: ['x'], outputs: ['turned'] },
            ...[['isOdd', 'rest', 'even'], ['tall', 'turned', 'wide'], ['any', 'turned', 'either'], ['isOdd', 'u', 'value']].map(([c, yes, y]) => ({ op: 'If', inputs: [c], outputs: [y],
                attr: { then_branch: identity(yes, `${y}1`), else_branch: identity(y === 'value' ? 't' : 'x', `${y}2`) } }))] }));
    const shape = (name) => result.get(name).shape;
    assert.deepEqual(['as', 'bs', 'cs', 'ds'].map((n) => shape(n)[0]), ['Min(T, 64)', 'Max(T, 64)', 'Max(T, 1)', 'Max(S, T)']);
    assert.deepEqual([1, 4, 5, 64, 65].map((T) => result.evaluate(shape('fs'), { T })[0]), [64, 4, 64, 64, 64]);
    assert.deepEqual([1, 4, 5, 64, 65].map((T) => result.evaluate(shape('even'), { T, S: 3 })), [[0, 3], [4, 3], [4, 3], [64, 3], [63, 3]]);
    assert.deepEqual(shape('wide'), ['Min(S, T)', 'Max(S, T)']);
    assert.deepEqual([1, 4, 5].map((T) => result.evaluate(result.get('value').content[0], { T, S: 7 })), [7, 4, 7]);
    for (const d of [...shape('es'), ...shape('either')]) assert.match(d, /^unk__/);        // data decides
});

// By hand: what one bool chooses from two sizes is one size, whichever node chooses.
test('sizes that one condition chooses', () => {
    const branch = (x, y) => ({ g: { outputs: y.map((name) => ({ name })), nodes: y.map((name) => ({ op: 'Neg', inputs: [x], outputs: [name] })) } });
    const choice = (c, yes, no, outputs) => ({ op: 'If', inputs: [c], outputs, attr: { then_branch: branch(yes, outputs.map((y) => `${y}1`)), else_branch: branch(no, outputs.map((y) => `${y}2`)) } });
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['T', 3]), float('z', ['S', 3]), ...['c', 'd'].map((name) => ({ name, type: 'bool', shape: [] }))], outputs: [{ name: 'y' }],
        nodes: [choice('c', 'x', 'z', ['p', 'q']), choice('c', 'x', 'z', ['r']), choice('c', 'z', 'x', ['u']), choice('d', 'x', 'z', ['v']), binary('Add', 'p', 'q', 'y')] }));
    const [p, q, r, u, v, y] = ['p', 'q', 'r', 'u', 'v', 'y'].map((name) => result.get(name).shape[0]);
    assert.deepEqual([q, r, y], [p, p, p]);
    assert.equal(new Set([p, u, v]).size, 3);
});

// By hand: a size is that of what decides it, not of the tensor that is cut.
test('tensors that the same data cuts', () => {
    const slice = (x, start, y) => ({ op: 'Slice', inputs: [x, start, 'to'], outputs: [y] }), compress = (x, y) => ({ op: 'Compress', inputs: [x, 'keep'], outputs: [y], attr: { axis: 0 } });
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('cos', ['N', 8]), float('sin', ['N', 8]), float('other', ['M', 8]), ...['from', 'to'].map((name) => ({ name, type: 'int64', shape: [1] })),
        { name: 'keep', type: 'bool', shape: ['N'] }], outputs: [{ name: 'y' }], nodes: [slice('cos', 'from', 'a'), slice('sin', 'from', 'b'), slice('sin', 'to', 'c'), slice('other', 'from', 'd'), binary('Add', 'a', 'b', 'y'),
        compress('cos', 'e'), compress('sin', 'f'), compress('other', 'k'), { op: 'NonZero', inputs: ['keep'], outputs: ['g'] }, { op: 'Slice', inputs: ['cos', 'to', 'from'], outputs: ['h'] }] }));
    const size = (name) => result.get(name).shape.find((d) => typeof d === 'string');
    assert.deepEqual(['b', 'y'].map(size), [size('a'), size('a')]);
    assert.deepEqual(['f', 'g'].map(size), [size('e'), size('e')]);
    assert.equal(new Set(['a', 'c', 'd', 'e', 'h', 'k'].map(size)).size, 6);       // k: of the first M
});

// By hand; onnxruntime 1.32 gives these for T = 0, 1, 5 and 100.
test('what is counted in sizes: turns, bools, parts', () => {
    const scalar = (name, type) => ({ name, type, shape: [] });
    const count = (limit, start, step) => ({ op: 'Loop', inputs: [limit, '', start], outputs: [`${limit}${step}`], attr: { body: { g: {
        inputs: [scalar('i', 'int64'), scalar('c', 'bool'), scalar('v', 'int64')], outputs: [{ name: 'd' }, { name: 'w' }], nodes: [
            { op: 'Identity', inputs: ['c'], outputs: ['d'] }, binary('Add', 'v', step, 'w')] } } } });
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['T', 8]), { name: 'any', type: 'bool', shape: [2] }], outputs: [{ name: 'p' }],
        initializers: [['zero', [], [0]], ['two', [], [2]], ['many', [], [50]], ['few', [2], [4, 9]], ['unit', [1], [1]]].map(([name, dims, data]) => ({ name, type: 'int64', dims, data })), nodes: [
            { op: 'Shape', inputs: ['x'], outputs: ['s'] }, { op: 'Gather', inputs: ['s', 'zero'], outputs: ['t'] }, count('t', 't', 'two'), count('many', 'zero', 't'), count('t', 'zero', 'i'),
            binary('Less', 's', 'few', 'less'), ...[['less', 'a'], ['any', 'b']].map(([c, y]) => ({ op: 'NonZero', inputs: [c], outputs: [y] })), { op: 'Compress', inputs: ['x', 'less'], outputs: ['kept'], attr: { axis: 1 } },
            { op: 'Shape', inputs: ['x'], outputs: ['rows'], attr: { end: 1 } }, { op: 'Expand', inputs: ['unit', 'rows'], outputs: ['ones'] },
            { op: 'SplitToSequence', inputs: ['x', 'ones'], outputs: ['parts'] }, { op: 'SequenceLength', inputs: ['parts'], outputs: ['p'] }] }));
    const content = (name) => result.get(name).content[0];
    assert.deepEqual(['ttwo', 'manyt', 'p'].map(content), ['3*T', '50*T', 'T']);
    assert.equal(result.get('ti').content, undefined);      // each turn adds its number
    assert.deepEqual(result.get('parts').shape, [1, 8]);
    for (const shape of [result.get('a').shape.slice(1), result.get('kept').shape.slice(1)])
        assert.deepEqual([0, 1, 3, 4, 5].map((T) => result.evaluate(shape, { T })[0]), [2, 2, 2, 1, 1]);
    assert.match(result.get('b').shape[1], /^unk__/);       // data decides
});

test('two tensors of one size, resized by the same factor that floats do not hold, have one size again', () => {
    const scales = (name, data) => ({ name, type: 'float', dims: [2], data });
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N', 'H']), float('y', ['M', 'H']), float('z', null)],
        outputs: [{ name: 'xs' }], initializers: [scales('some', [1, 0.12345]), scales('others', [1, 0.54321])],
        nodes: [['x', 'some'], ['y', 'some'], ['x', 'others'], ['z', 'some']].map(([of, by], i) => ({ op: 'Resize', inputs: [of, '', by], outputs: [`r${i}`] })) }));
    const size = (i) => result.get(`r${i}`).shape[1];
    assert.equal(size(0), size(1));
    assert.equal(new Set([size(0), size(2), size(3), 'H']).size, 4);
});

// onnxruntime: Range(0, 7, 1) has 7 elements, resized by 2 they are 14.
test('a size that data decides is resized like one of an input', () => {
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [{ name: 'k', type: 'int64', shape: [] }], outputs: [{ name: 'y' }],
        initializers: [['zero', 0], ['one', 1]].map(([name, v]) => ({ name, type: 'int64', dims: [], data: [v] })).concat({ name: 'twice', type: 'float', dims: [1], data: [2] }),
        nodes: [{ op: 'Range', inputs: ['zero', 'k', 'one'], outputs: ['r'] }, { op: 'Resize', inputs: ['r', '', 'twice'], outputs: ['y'] }] }));
    assert.deepEqual([result.get('r').shape, result.get('y').shape], [['Max(unk__0, 0)'], ['2*Max(unk__0, 0)']]);
    assert.deepEqual(result.assumptions.map(({ lhs, rhs, reason }) => [lhs, rhs, reason]), [[262143, 'Max(unk__0, 0)', 'float32']]);
});

// R1: a size is >= 0 wherever its node runs; a mask cut to it is as long, also where 1 <= T < 4 would make it negative and count from the end.
// Of a branch that may not be taken that is not known: T = 1 leaves 1 of [0 : -3] of 4 elements.
test('a size that some node makes is not negative for those after it', () => {
    const length = [{ op: 'Shape', inputs: ['x'], outputs: ['s'], attr: { start: 2 } }, { op: 'Sub', inputs: ['s', 'four'], outputs: ['to'] }];
    const cut = { op: 'Pad', inputs: ['x', 'pads'], outputs: ['c'] }, slice = { op: 'Slice', inputs: ['m', 'zero', 'to', 'one'], outputs: ['y'] };
    const ask = (nodes) => inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['B', 8, 'T']), float('m', ['B', 'U']), { name: 'b', type: 'bool', shape: [] }], outputs: [{ name: 'y' }],
        initializers: [['pads', [0, 0, 0, 0, 0, -4]], ['four', [4]], ['zero', [0]], ['one', [1]]].map(([name, data]) => ({ name, type: 'int64', dims: [data.length], data })), nodes }));
    const plain = ask([cut, ...length, slice]);
    assert.deepEqual([plain.get('y').shape, plain.assumptions], [['B', 'Min(T - 4, U)'], []]);
    const branch = (node) => ({ g: { nodes: [node], outputs: [{ name: node.outputs[0] }] } });
    const inside = ask([{ op: 'If', inputs: ['b'], outputs: ['i'], attr: { then_branch: branch(cut), else_branch: branch({ op: 'Identity', inputs: ['x'], outputs: ['o'] }) } }, ...length, slice]);
    assert.deepEqual([[1, 4], [3, 4], [9, 4], [9, 8]].map(([T, U]) => inside.evaluate(inside.get('y').shape, { B: 2, T, U })), [[2, 1], [2, 3], [2, 4], [2, 5]]);
});

// By hand: of T - 1 elements [0 : T - 2] takes T - 2, and none of those of T = 1. That T - 1 >= 0 does not say it of T - 2, nor may T >= 2 be assumed (R2a).
test('what is known of a size is not taken for one that is less', () => {
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['T'])], outputs: [{ name: 'y' }],
        initializers: [['pads', [0, -1]], ['two', [2]], ['zero', [0]]].map(([name, data]) => ({ name, type: 'int64', dims: [data.length], data })),
        nodes: [{ op: 'Pad', inputs: ['x', 'pads'], outputs: ['c'] }, { op: 'Shape', inputs: ['x'], outputs: ['s'] }, { op: 'Sub', inputs: ['s', 'two'], outputs: ['to'] }, { op: 'Slice', inputs: ['c', 'zero', 'to'], outputs: ['y'] }] }));
    assert.deepEqual([1, 2, 5].map((T) => result.evaluate(result.get('y').shape, { T })), [[0], [0], [3]]);
});

// R1: a convolution's window fits, so that there is one position at least (onnxruntime refuses less): [-positions:] is never all.
test('a size that a window has fitted is not 0', () => {
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['B', 2, 'T']), float('m', ['B', 'T'])], outputs: [{ name: 'y' }],
        initializers: [{ name: 'w', type: 'float', dims: [2, 2, 5], data: Array(20).fill(0) }, ...[['zero', [0]], ['one', [1]], ['end', [2 ** 31 - 1]]].map(([name, data]) => ({ name, type: 'int64', dims: [1], data }))],
        nodes: [{ op: 'Conv', inputs: ['x', 'w'], outputs: ['c'] }, { op: 'Shape', inputs: ['c'], outputs: ['s'], attr: { start: 2 } }, { op: 'Sub', inputs: ['zero', 's'], outputs: ['from'] },
            { op: 'Slice', inputs: ['m', 'from', 'end', 'one'], outputs: ['y'] }] }));
    assert.deepEqual([result.get('y').shape, result.assumptions], [['B', 'T - 4'], []]);
});

// R1: inner sizes of a product are equal.
test('what a node requires of a size that data decide holds for those after it', () => {
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N'])], outputs: [{ name: 'y' }], initializers: [{ name: 'one', type: 'float', dims: [1, 1], data: [1] }],
        nodes: [{ op: 'NonZero', inputs: ['x'], outputs: ['a'] }, { op: 'Cast', inputs: ['a'], outputs: ['f'], attr: { to: 1 } }, { op: 'MatMul', inputs: ['f', 'one'], outputs: ['p'] }, { op: 'Squeeze', inputs: ['f'], outputs: ['y'] }] }));
    assert.deepEqual(['a', 'p', 'y'].map((name) => result.get(name).shape), [[1, 1], [1, 1], []]);
});

// R1: 3*a == 3*b elements.
test('a Reshape to the shape of another tensor that data cut makes their sizes one', () => {
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N', 2, 2]), float('z', ['N', 2, 2])], outputs: [{ name: 'y' }],
        nodes: [{ op: 'NonZero', inputs: ['x'], outputs: ['a'] }, { op: 'NonZero', inputs: ['z'], outputs: ['b'] }, { op: 'Shape', inputs: ['b'], outputs: ['to'] }, { op: 'Reshape', inputs: ['a', 'to'], outputs: ['y'] }] }));
    assert.deepEqual(['a', 'y'].map((name) => result.get(name).shape), [result.get('b').shape, result.get('b').shape]);
});

// onnxruntime 1.32: of 100 ones, one mask leaves 52 and the other 44.
test('two Dropouts in training do not drop the same', () => {
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N'])], outputs: [{ name: 'p' }], initializers: [{ name: 'on', type: 'bool', dims: [], data: [1] }],
        nodes: ['a', 'b'].flatMap((y) => [{ op: 'Dropout', inputs: ['x', '', 'on'], outputs: [y] }, { op: 'NonZero', inputs: [y], outputs: [`${y}n`] }]) }));
    assert.notEqual(result.get('an').shape[1], result.get('bn').shape[1]);
});

// onnxruntime: two calls count 15 and 10 of the same x.
test('what may give another value each time has a value of its own at each node', () => {
    const randoms = [{ op: 'RandomUniformLike', inputs: ['a'], outputs: ['r'] }, { op: 'Round', inputs: ['r'], outputs: ['g'] }, { op: 'NonZero', inputs: ['g'], outputs: ['c'] }];
    const call = (y) => ({ op: 'Rnd', domain: 'f', inputs: ['x'], outputs: [y] }), custom = (y) => ({ op: 'Foo', domain: 'f', inputs: ['x'], outputs: [y] });
    const bytes = model({ opsets: { '': 18, f: 1 }, inputs: [float('x', ['N'])], outputs: [{ name: 'p' }, { name: 'q' }, { name: 'm' }, { name: 'n' }],
        nodes: [call('p'), call('q'), custom('u'), custom('v'), { op: 'NonZero', inputs: ['u'], outputs: ['m'] }, { op: 'NonZero', inputs: ['v'], outputs: ['n'] }],
        functions: [{ domain: 'f', name: 'Rnd', inputs: ['a'], outputs: ['c'], opsets: { '': 18 }, nodes: randoms }] });
    for (const operators of [{}, { 'f::Foo': () => [{ type: 'float', shape: [null] }] }]) {
        const result = inferShapesSync(bytes, { operators }), size = (name) => result.get(name).shape[1];
        assert.notEqual(size('p'), size('q'));
        assert.notEqual(size('m'), size('n'));
        if (operators['f::Foo']) assert.notEqual(result.get('u').shape[0], result.get('v').shape[0]);
    }
});

test('the same operator on the same input gives the same size, however many outputs are named', () => {
    const result = inferShapesSync(model({ opsets: { '': 17 }, inputs: [float('x', ['N', 'T'])], outputs: [{ name: 'b' }],
        nodes: [['a', 'ai'], ['b']].map((outputs) => ({ op: 'Unique', inputs: ['x'], outputs, attr: { axis: 0 } })) }));
    assert.deepEqual(['a', 'ai', 'b'].map((name) => result.get(name).shape[0]), ['unk__0', 'unk__0', 'unk__0']);
});

test('one name declared for two counts does not make them equal, nor leave a body', () => {
    const nonzero = (x, y) => ({ op: 'NonZero', inputs: [x], outputs: [y] }), k = (name) => ({ name, type: 'int64', shape: [1, 'k'] });
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N']), float('z', ['M'])], outputs: [{ name: 'd' }],
        valueInfo: [k('a'), k('b'), k('c')], nodes: [nonzero('x', 'a'), nonzero('z', 'b'), nonzero('x', 'c'), binary('Add', 'a', 'b', 'd')] }));
    assert.deepEqual(['a', 'b', 'c', 'd'].map((name) => result.get(name).shape[1]), ['k', 'unk__0', 'k', 'broadcast(k, unk__0)']);
});

// onnxruntime 1.32 runs it with any number of rows, and warns that the output's is not 3.
test('a number declared for an output does not decide an input\'s open size', () => {
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', [null, 4])], outputs: [float('y', [3, 4]), { name: 'n', type: 'int64', shape: [2, 5] }],
        nodes: [{ op: 'Relu', inputs: ['x'], outputs: ['y'] }, { op: 'NonZero', inputs: ['x'], outputs: ['n'] }] }));
    assert.deepEqual(['x', 'y', 'n'].map((name) => result.get(name).shape), [['unk__0', 4], ['unk__0', 4], [2, 5]]);
});

// onnxruntime 1.32 leaves zeros out where the target has one: for T = 0 it makes [8*B, 0] of this.
test('Reshape: a size beside -1 that allowzero lets be 0 is taken as not 0', () => {
    const { values, assumptions } = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['B', 'T', 8])], outputs: [{ name: 'y' }],
        initializers: [{ name: 'minus', type: 'int64', dims: [1], data: [-1] }],
        nodes: [{ op: 'Shape', inputs: ['x'], outputs: ['t'], attr: { start: 1, end: 2 } }, binary('Add', 't', 't', 'two'),
            { op: 'Concat', inputs: ['minus', 'two'], outputs: ['to'], attr: { axis: 0 } }, { op: 'Reshape', inputs: ['x', 'to'], outputs: ['y'], attr: { allowzero: 1 } }] }));
    assert.deepEqual(values.find((v) => v.name === 'y').shape, ['4*B', '2*T']);
    assert.deepEqual(assumptions.map(({ lhs, rhs }) => [lhs, rhs]), [['2*T', 1]]);
});

// ONNX OpSchema::Verify and onnxruntime 1.32 let such names pass; onnxoptimizer leaves __control_inputs.
test('an attribute whose name begins with two underscores is a tool\'s own', () => {
    const told = (name) => inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', [2])], outputs: [float('y')],
        nodes: [{ op: 'Relu', inputs: ['x'], outputs: ['y'], attr: { [name]: 1 } }] })).diagnostics.map((d) => [d.severity, d.code]);
    assert.deepEqual(told('__control_inputs'), []);
    assert.deepEqual(told('_control_inputs'), [['error', 'attribute']]);
});

// onnx.compose.expand_out_dim writes 0 for every symbol of an output.
test('a 0 declared for a size that nothing determines is told, and does not hold', () => {
    const { values, diagnostics } = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N'])], outputs: [{ name: 'n', type: 'int64', shape: [1, 0] }],
        nodes: [{ op: 'NonZero', inputs: ['x'], outputs: ['n'] }] }));
    assert.deepEqual(values.find((v) => v.name === 'n').shape, [1, 'unk__0']);
    assert.deepEqual(diagnostics.map((d) => [d.severity, d.code, d.value]), [['info', 'declared-narrower', 'n']]);
});

test('a declaration that holds for some sizes is less than holds; one that holds for none is wrong', () => {
    const told = (name) => inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['S']), float('z', ['T'])], outputs: [float('y', [name])],
        initializers: [['two', 2], ['end', 1e9]].map(([name, v]) => ({ name, type: 'int64', dims: [1], data: [v] })),
        nodes: [{ op: 'Slice', inputs: ['x', 'two', 'end'], outputs: ['y'] }] })).diagnostics.map((d) => [d.severity, d.code]);
    for (const name of ['S - 2', 'T', 'S']) assert.deepEqual(told(name), [['info', 'declared-narrower']]);
    assert.deepEqual(told('S + 1'), [['warning', 'declared-mismatch']]);
});

test('ConcatFromSequence: an axis along which the items differ stays open, whatever comes after', () => {
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('a', [2, 2]), float('b', [16, 1]), float('c', [3, 1])], outputs: [{ name: 'y' }],
        nodes: [{ op: 'SequenceConstruct', inputs: ['a', 'b', 'c'], outputs: ['q'] }, { op: 'ConcatFromSequence', inputs: ['q'], outputs: ['y'], attr: { axis: 1 } }] }));
    assert.match(result.get('y').shape[0], /^unk__/);
    assert.deepEqual(result.diagnostics.map((d) => [d.severity, d.code]), [['error', 'shape']]);
});

test('int32 holds a size; what is more is assumed to fit', () => {
    const of = (...nodes) => inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N', 'T'])], outputs: [{ name: 'y' }],
        initializers: [{ name: 'seven', type: 'int32', dims: [1], data: [7] }],
        nodes: [shapeOf('s'), { op: 'Cast', inputs: ['s'], outputs: ['i'], attr: { to: 6 } }, ...nodes, { op: 'ConstantOfShape', inputs: ['c'], outputs: ['y'] }] }));
    const wide = (from) => ({ op: 'Cast', inputs: [from], outputs: ['c'], attr: { to: 7 } });
    assert.deepEqual(of(wide('i')).assumptions, []);
    const result = of({ op: 'ReduceProd', inputs: ['i'], outputs: ['p'] }, binary('Mod', 'p', 'seven', 'm'),
        wide('m'));
    assert.deepEqual(result.assumptions.map(({ lhs, rhs, reason }) => [lhs, rhs, reason]), [[2147483647, 'N*T', 'int32']]);
    assert.throws(() => result.evaluate(['N'], { N: 60000, T: 60000 }), /int32/);
    assert.deepEqual(result.evaluate(['N'], { N: 6, T: 5 }), [6]);
});

// onnxruntime: float32 makes 524327 of 243873 * 2.15, where floor(2.15*N) is 524326; by hand: 1 over the float32 nearest to 1/7 is below 7.
test('floating point: what a fraction stands for holds as far as the assumption goes; casts truncate', () => {
    const size = [float('x', ['N'])], data = [{ name: 'k', type: 'int64', shape: [1] }];
    const of = (c, op, inputs) => inferShapesSync(model({ opsets: { '': 18 }, inputs, outputs: [{ name: 'y' }],
        initializers: [{ name: 'c', type: 'float', dims: [1], data: [c] }],
        nodes: [...(inputs === size ? [shapeOf('k')] : []), { op: 'Cast', inputs: ['k'], outputs: ['f'], attr: { to: 1 } }, binary(op, 'f', 'c', 'g'),
            { op: 'Cast', inputs: ['g'], outputs: ['i'], attr: { to: 7 } }, { op: 'ConstantOfShape', inputs: ['i'], outputs: ['y'] }] }));
    assert.deepEqual(of(2.5, 'Mul', size).get('y').shape, ['2*N + floor(N/2)']);
    assert.match(of(2.15, 'Mul', size).get('y').shape[0], /^unk__/);
    assert.match(of(Math.fround(1 / 7), 'Div', size).get('y').shape[0], /^unk__/);
    assert.match(of(0.25, 'Sub', data).get('y').shape[0], /^unk__/);
    assert.deepEqual(of(0.25, 'Sub', data).assumptions.filter((a) => a.reason === 'division'), []);
    assert.deepEqual(of(0.25, 'Sub', size).get('y').shape, ['Max(N - 1, 0)']);
    const thirds = inferShapesSync(model({ opsets: { '': 18 }, inputs: size, outputs: [{ name: 'y' }], initializers: [{ name: 'c', type: 'float', dims: [1], data: [3] }], nodes: [shapeOf('k'), { op: 'Cast', inputs: ['k'], outputs: ['f'], attr: { to: 1 } },
        binary('Div', 'f', 'c', 'g'), { op: 'Round', inputs: ['g'], outputs: ['h'] }, { op: 'Cast', inputs: ['h'], outputs: ['i'], attr: { to: 7 } }, { op: 'ConstantOfShape', inputs: ['i'], outputs: ['y'] }] }));
    assert.deepEqual([1, 2, 3, 4, 5].map((N) => thirds.evaluate(thirds.get('y').shape, { N })[0]), [0, 1, 1, 1, 2]);
});

// onnxruntime: fmod(0, 0) is no number.
test('floating point: the rest of a division by a size takes the size as at least 1', () => {
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N'])], outputs: [{ name: 'm' }],
        nodes: [shapeOf('s'), { op: 'Cast', inputs: ['s'], outputs: ['f'], attr: { to: 1 } },
            { op: 'Mod', inputs: ['f', 'f'], outputs: ['m'], attr: { fmod: 1 } }] }));
    assert.deepEqual(result.get('m').content, [0]);
    assert.throws(() => result.evaluate(['N'], { N: 0 }), /division/);
});

// By hand: a size has no fraction to cut off, below 0 neither; N below 3 makes a negative size, which ConstantOfShape refuses.
test('floating point: a size less a number is back what it was, below 0 too', () => {
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N'])], outputs: [{ name: 'i' }], initializers: [{ name: 'c', type: 'int64', dims: [1], data: [3] }],
        nodes: [shapeOf('s'), binary('Sub', 's', 'c', 'd'), { op: 'Cast', inputs: ['d'], outputs: ['f'], attr: { to: 1 } }, { op: 'Cast', inputs: ['f'], outputs: ['i'], attr: { to: 7 } }] }));
    assert.deepEqual(result.get('i').content, ['N - 3']);
});

// By hand: M times the same number, which is the greatest of them.
test('floating point: a cast to the same type keeps what is known of elements too many to list', () => {
    const result = inferShapesSync(model({ opsets: { '': 17 }, inputs: [float('x', ['N', 'M'])], outputs: [{ name: 'y' }],
        nodes: [{ op: 'Shape', inputs: ['x'], outputs: ['a'], attr: { end: 1 } }, { op: 'Shape', inputs: ['x'], outputs: ['b'], attr: { start: 1 } },
            { op: 'Cast', inputs: ['a'], outputs: ['f'], attr: { to: 1 } }, binary('Expand', 'f', 'b', 'e'), { op: 'Cast', inputs: ['e'], outputs: ['g'], attr: { to: 1 } },
            { op: 'ReduceMax', inputs: ['g'], outputs: ['m'], attr: { axes: [0] } }, { op: 'Cast', inputs: ['m'], outputs: ['i'], attr: { to: 7 } }, { op: 'ConstantOfShape', inputs: ['i'], outputs: ['y'] }] }));
    assert.deepEqual(result.get('y').shape, ['N']);
});

// ONNX Range-11: max(ceil((limit - start)/delta), 0) elements.
test('floating point: a Range up to a size', () => {
    for (const [start, delta] of [[0, 1], [0, 0.5], [1, 0.5], [2, 4], [0, -1], [3, -1]]) {
        const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N'])], outputs: [{ name: 'y' }],
            initializers: [['a', start], ['d', delta]].map(([name, v]) => ({ name, type: 'float', dims: [], data: [v] })),
            nodes: [shapeOf('s'), { op: 'Squeeze', inputs: ['s'], outputs: ['q'] }, { op: 'Cast', inputs: ['q'], outputs: ['f'], attr: { to: 1 } }, { op: 'Range', inputs: ['a', 'f', 'd'], outputs: ['y'] }] }));
        for (const N of [0, 1, 2, 3, 5, 10]) assert.equal(result.evaluate(result.get('y').shape, { N })[0], Math.max(Math.ceil((N - start) / delta), 0), `${start} ${delta} ${N}`);
    }
});

test('a rule of the host may name sizes by names that are no expressions', () => {
    const result = inferShapesSync(model({ opsets: { '': 18, h: 1 }, inputs: [float('x', ['batch size', 3])], outputs: [{ name: 'y' }], nodes: [{ op: 'Host', domain: 'h', inputs: ['x'], outputs: ['y'] }] }),
        { operators: { 'h::Host': (node) => [{ type: 'float32', shape: node.inputs[0].shape }] } });
    assert.deepEqual([result.get('y').shape, result.symbols.length, result.diagnostics], [['batch size', 3], 1, []]);
});

// ONNX And-7, Or-7, Xor-7, by hand at the sizes around 2.
test('flags that sizes make are joined at every size', () => {
    const ops = { And: (p, q) => p && q, Or: (p, q) => p || q, Xor: (p, q) => p !== q };
    for (const [op, want] of Object.entries(ops)) {
        const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N', 'M'])], outputs: [{ name: 'y' }], initializers: [{ name: 'c', type: 'int64', dims: [1], data: [2] }],
            nodes: [{ op: 'Shape', inputs: ['x'], outputs: ['n'], attr: { end: 1 } }, { op: 'Shape', inputs: ['x'], outputs: ['m'], attr: { start: 1 } }, binary('Greater', 'n', 'c', 'p'),
                binary('Greater', 'm', 'c', 'q'), binary(op, 'p', 'q', 'o'), { op: 'Cast', inputs: ['o'], outputs: ['i'], attr: { to: 7 } }, { op: 'ConstantOfShape', inputs: ['i'], outputs: ['y'] }] }));
        for (const N of [0, 1, 2, 3, 9])
            for (const M of [0, 1, 2, 3, 9]) assert.deepEqual(result.evaluate(result.get('y').shape, { N, M }), [+want(N > 2, M > 2)], `${op} ${N} ${M}`);
    }
});

// ONNX Reshape: only 0 and -1 mean something else than a size.
test('Reshape takes data that is at least 1 for sizes', () => {
    const shape = (op) => inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N', 4]), { name: 'k', type: 'int64', shape: [1] }], outputs: [{ name: 'y' }],
        initializers: [{ name: 'c', type: 'int64', dims: [1], data: [1] }, { name: 'm', type: 'int64', dims: [1], data: [-1] }],
        nodes: [binary(op, 'k', 'c', 'q'), { op: 'Concat', inputs: ['q', 'm'], outputs: ['t'], attr: { axis: 0 } }, binary('Reshape', 'x', 't', 'y')] })).get('y').shape;
    assert.deepEqual(shape('Max'), ['Max(unk__0, 1)', 'floor(4*N/Max(unk__0, 1))']);
    assert.deepEqual(shape('Add'), ['unk__0', 'unk__1'], '1 + k may be 0 or -1');
});

// By hand: N - 2 is -1 or 0 for N = 1 or 2, where [N, 4] has 4 or 8 elements: what the exporter meant is at least 1.
test('Reshape takes what sizes make for sizes, and says from where on', () => {
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N', 4])], outputs: [{ name: 'y' }],
        initializers: [{ name: 'c', type: 'int64', dims: [1], data: [2] }, { name: 'm', type: 'int64', dims: [1], data: [-1] }],
        nodes: [{ op: 'Shape', inputs: ['x'], outputs: ['s'], attr: { end: 1 } }, binary('Sub', 's', 'c', 'q'), { op: 'Concat', inputs: ['q', 'm'], outputs: ['t'], attr: { axis: 0 } }, binary('Reshape', 'x', 't', 'y')] }));
    assert.deepEqual(result.get('y').shape[0], 'N - 2');
    assert.deepEqual(result.assumptions.map(({ lhs, rhs, reason }) => [lhs, rhs, reason]), [['N - 2', 1, 'reshape']]);
    for (const N of [3, 4, 6, 10]) assert.deepEqual(result.evaluate(result.get('y').shape, { N }), [N - 2, 4 * N / (N - 2)]);
});

// By hand: floor division takes 1 off a truncated one where the signs differ and there is a rest. With another operator in its place there is no such thing:
// N - 3 is not 0 where N = 0 has not the sign of 3, and -N is never 1.
test('what exporters write for a floor division is told by its operators', () => {
    const of = (rest, sign) => {
        const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N', 3])], outputs: [{ name: 'y' }],
            nodes: [{ op: 'Shape', inputs: ['x'], outputs: ['a'], attr: { end: 1 } }, { op: 'Shape', inputs: ['x'], outputs: ['b'], attr: { start: 1 } }, binary(rest, 'a', 'b', 'm'),
                { op: 'Cast', inputs: ['m'], outputs: ['r'], attr: { to: 9 } }, { op: sign, inputs: ['a'], outputs: ['g'] }, { op: 'Sign', inputs: ['b'], outputs: ['h'] }, binary('Equal', 'g', 'h', 'e'),
                { op: 'Not', inputs: ['e'], outputs: ['o'] }, binary('And', 'o', 'r', 'w'), { op: 'Cast', inputs: ['w'], outputs: ['i'], attr: { to: 7 } }, { op: 'ConstantOfShape', inputs: ['i'], outputs: ['y'] }] }));
        return [0, 1, 2, 3, 4, 6].map((N) => result.evaluate(result.get('y').shape, { N })[0]);
    };
    assert.deepEqual(of('Mod', 'Sign'), [0, 0, 0, 0, 0, 0]);
    assert.deepEqual(of('Sub', 'Sign'), [1, 0, 0, 0, 0, 0]);
    assert.deepEqual(of('Mod', 'Neg'), [0, 1, 1, 0, 1, 0]);
});

// numpy: 1 over round, ceil and floor of these.
test('floating point: what rounds to 0 keeps its sign', () => {
    const of = (op) => inferShapesSync(model({ opsets: { '': 18 }, inputs: [], outputs: [{ name: 'y' }], initializers: [{ name: 'x', type: 'float', dims: [3], data: [-0.25, 0, -0] }],
        nodes: [{ op, inputs: ['x'], outputs: ['r'] }, { op: 'Reciprocal', inputs: ['r'], outputs: ['y'] }] })).get('y').content;
    assert.deepEqual([of('Round'), of('Ceil'), of('Floor')], [[-Infinity, Infinity, -Infinity], [-Infinity, Infinity, -Infinity], [-1, Infinity, -Infinity]]);
});

// Arithmetic: float32 holds whole numbers up to 2^24, whatever their sign: not -(60001*60001).
test('floating point: sizes are small below 0, too', () => {
    const result = inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N', 'T'])], outputs: [{ name: 'f' }],
        nodes: [shapeOf('s'), { op: 'ReduceProd', inputs: ['s'], outputs: ['p'] }, { op: 'Neg', inputs: ['p'], outputs: ['n'] },
            { op: 'Cast', inputs: ['n'], outputs: ['f'], attr: { to: 1 } }] }));
    assert.deepEqual(result.get('f').content, ['-N*T']);
    assert.throws(() => result.evaluate('-N*T', { N: 60001, T: 60001 }), /float32/);
    assert.equal(result.evaluate('-N*T', { N: 6, T: 5 }), -30);
});

// numpy and onnxruntime 1.32 for N = 5; by hand: half precision does not hold 2049.
test('floating point: half precision holds no size', () => {
    const of = (to) => inferShapesSync(model({ opsets: { '': 18 }, inputs: [float('x', ['N'])], outputs: [{ name: 'y' }],
        nodes: [shapeOf('s'), { op: 'Cast', inputs: ['s'], outputs: ['f'], attr: { to } }, { op: 'Cast', inputs: ['f'], outputs: ['i'], attr: { to: 7 } },
            { op: 'ConstantOfShape', inputs: ['i'], outputs: ['y'] }] })).get('y').shape[0];
    assert.deepEqual([of(1), of(11)], ['N', 'N']);
    for (const to of [10, 16]) assert.match(of(to), /^unk__/);
});

// onnxruntime 1.32 (and ONNX IR: what refers to an attribute that is not given is not given either).
test('functions: an attribute passed on that was not given is the default of the function called', () => {
    const attr = { axis: { ref: 'axis', type: 'int' } }, opsets = { '': 18, l: 1 }, common = { domain: 'l', inputs: ['a'], outputs: ['b'], opsets };
    const flat = { ...common, name: 'Flat', defaults: { axis: 0 }, nodes: [{ op: 'Flatten', inputs: ['a'], outputs: ['b'], attr }] };
    const pass = { ...common, name: 'Pass', attributes: ['p'], nodes: [{ op: 'Flat', domain: 'l', inputs: ['a'], outputs: ['b'], attr: { axis: { ref: 'p', type: 'int' } } }] };
    const call = (y, attr) => ({ op: 'Pass', domain: 'l', inputs: ['x'], outputs: [y], attr });
    const result = inferShapesSync(model({ opsets, functions: [flat, pass], inputs: [float('x', ['A', 'B', 'C'])], outputs: [{ name: 'y' }], nodes: [call('y', {}), call('z', { p: 2 })] }));
    assert.deepEqual(['y', 'z'].map((name) => result.get(name).shape), [[1, 'A*B*C'], ['A*B', 'C']]);
});

test('functions: calls with other attributes give other values, however deep they are used', () => {
    const opsets = { '': 18, l: 1 }, common = { domain: 'l', inputs: ['a'], outputs: ['b'], opsets };
    const count = { ...common, name: 'Count', attributes: ['axis'], nodes: [{ op: 'ArgMax', inputs: ['a'], outputs: ['m'], attr: { axis: { ref: 'axis', type: 'int' } } }, { op: 'NonZero', inputs: ['m'], outputs: ['b'] }] };
    const pass = { ...common, name: 'Pass', attributes: ['p'], nodes: [{ op: 'Count', domain: 'l', inputs: ['a'], outputs: ['b'], attr: { axis: { ref: 'p', type: 'int' } } }] };
    const result = inferShapesSync(model({ opsets, functions: [count, pass], inputs: [float('x', ['A', 'B'])], outputs: [{ name: 'y0' }],
        nodes: [0, 1, 0].map((p, i) => ({ op: 'Pass', domain: 'l', inputs: ['x'], outputs: [`y${i}`], attr: { p } })) }));
    const [first, second, third] = [0, 1, 2].map((i) => result.get(`y${i}`).shape[1]);
    assert.notEqual(first, second);
    assert.equal(first, third);
});

test('a host\'s rule is for its domain alone, and a name that only value_info has is known', () => {
    const result = inferShapesSync(model({ opsets: { '': 18, f: 1, g: 1 }, inputs: [float('x', ['N'])], outputs: [{ name: 'z' }], valueInfo: [float('y', ['Q'])],
        nodes: [{ op: 'Foo', domain: 'g', inputs: ['x'], outputs: ['y'] }, { op: 'Foo', domain: 'f', inputs: ['x'], outputs: ['z'] }] }),
    { operators: { 'f::Foo': () => [{ type: 'float32', shape: [3] }] }, freeDimensionOverrides: { Q: 5 } });
    assert.deepEqual([result.get('y').shape, result.get('z').shape], [[5], [3]]);
    assert.deepEqual(result.diagnostics.map((d) => d.code), ['unknown-operator']);
});

test('rules of the host', async () => {
    const bytes = model({ opsets: { '': 18, my: 3 }, inputs: [float('x', ['N', 3])], outputs: [{ name: 'y' }],
        initializers: [{ name: 'k', type: 'int64', dims: [2], data: [4, 5] }],
        nodes: [{ op: 'Foo', domain: 'my', name: 'foo', inputs: ['x', '', 'k'], outputs: ['a', 'b'], attr: { axis: 2, scale: { f: 0.5 }, mode: 'up', list: [1, 2], t: { t: ['int64', [1], [9]] } } },
            { op: 'Relu', inputs: ['a'], outputs: ['y'] }] });
    const seen = [];
    const rule = (node) => {
        seen.push(node);
        return [{ type: 'float', shape: [...node.inputs[0].shape, 'Q', '2*N + 1', null] }, { type: 'int64', shape: [2], content: [1, 'N'] }];
    };
    const result = inferShapesSync(bytes, { operators: { 'my::Foo': rule } });
    assert.deepEqual({ ...seen[0] }, { domain: 'my', op: 'Foo', name: 'foo', opset: 3, outputs: ['a', 'b'],
        inputs: [{ name: 'x', type: 'float32', shape: ['N', 3], content: null }, null, { name: 'k', type: 'int64', shape: [2], content: [4, 5] }],
        attributes: { axis: 2, scale: 0.5, mode: 'up', list: [1, 2], t: { type: 'int64', shape: [1], content: [9] } } });
    assert.deepEqual(result.get('y').shape, ['N', 3, 'Q', '2*N + 1', 'unk__0']);
    assert.deepEqual([result.get('b').type, result.get('b').content], ['int64', [1, 'N']]);
    const slow = await inferShapes(bytes, { operators: { 'my::Foo': async (node) => rule(node) } });
    assert.equal(slow.stringify(), result.stringify());
    assert.throws(() => inferShapesSync(bytes, { operators: { 'my::Foo': async (node) => rule(node) } }), TypeError);
    assert.equal(inferShapesSync(bytes, { operators: new Map([['my::Foo', rule]]) }).stringify(), result.stringify());
    for (const broken of [() => { throw new Error('no\nidea'); }, () => 3, () => [{ shape: [-1] }]]) {
        const { diagnostics, values } = inferShapesSync(bytes, { operators: { 'my::Foo': broken } });
        assert.deepEqual(diagnostics.map((d) => [d.severity, d.code, d.node, d.op]), [['error', 'host-rule', 'foo', 'my::Foo']]);
        assert.match(diagnostics[0].message, /^Foo foo: the host's rule failed: (no idea|it answers 3: return an array|outputs\[0\]\.shape\[0\] is -1: pass an integer)[^\n]* \(x \[N, 3\], k \[2\]\)$/);
        assert.equal(values.find((v) => v.name === 'y').shape, null);
    }
    const negative = inferShapesSync(bytes, { operators: { 'my::Foo': () => [{ type: 'float', shape: ['3 - 5'] }] } });
    assert.deepEqual([negative.get('a').shape, negative.diagnostics[0].message], [['unk__0'], "Foo foo: the host's rule gives axis 0 of output 0 the size -2"]);
    for (const odd of [{ shape: [1], content: [1, 2] }, { shape: ['N'], content: [1, 2] }, { content: [1] }]) {
        const own = inferShapesSync(bytes, { operators: { 'my::Foo': () => [{ type: 'float', shape: [] }, { type: 'int64', ...odd }] } });
        assert.deepEqual([own.get('b').content, own.diagnostics.map((d) => d.code)], [undefined, ['host-rule']]);
    }
    assert.deepEqual(inferShapesSync(bytes, { operators: { 'my::Foo': () => [null, null, { type: 'float' }] } }).diagnostics.map((d) => d.code), ['host-rule']);
    assert.equal(inferShapesSync(relu(['N']), { operators: { Relu: () => [{ type: 'int8', shape: [1] }] } }).get('y').type, 'int8');
});

test('branches, functions and loops around what waits: asked once, told once', () => {
    const wait = (name, input) => ({ op: 'Relu', name, inputs: [input], outputs: [name] });
    const branch = (name, input, ...nodes) => ({ g: { nodes: [...nodes, wait(name, input)], outputs: [{ name }] } });
    const cast = (name, input) => ({ op: 'Cast', name, inputs: [input], outputs: [`${name}_`], attr: { to: 1, saturate: 1 } });      // opset 19 has saturate
    const unsure = (name, attr) => ({ op: 'If', name, inputs: ['scalar'], outputs: [name], attr });                                 // a condition that is no bool
    const loop = { op: 'Loop', name: 'loop', inputs: ['trips', '', 'inner'], outputs: ['loop'], attr: { body: { g: {
        inputs: [{ name: 'i', type: 'int64', shape: [] }, { name: 'go', type: 'bool', shape: [] }, { name: 'v', type: 'float' }],
        nodes: [cast('d', 'v'), { op: 'Concat', inputs: ['v', 'd_'], outputs: ['twice'], attr: { axis: 0 } }, wait('grown', 'twice')],
        outputs: [{ name: 'go' }, { name: 'grown' }] } } } };
    const bytes = model({ opsets: { '': 18, f: 1 }, inputs: [float('x', ['N', 3]), float('s', []), { name: 'n', type: 'int64', shape: [] }], outputs: [{ name: 'y' }],
        functions: [{ domain: 'f', name: 'Outer', inputs: ['a', 'scalar', 'trips'], outputs: ['loop'], opsets: { '': 18 }, nodes: [
            wait('first', 'a'), unsure('outer', { then_branch: branch('left', 'first', cast('c', 'first')),
                else_branch: branch('right', 'inside', wait('between', 'first'), unsure('inside', { then_branch: branch('up', 'between'), else_branch: branch('down', 'between', cast('e', 'between')) })) }),
            wait('inner', 'outer'), loop] }],
        nodes: [cast('b', 'x'), { op: 'Outer', domain: 'f', inputs: ['x', 's', 'n'], outputs: ['z'] }, wait('y', 'z')] });
    const asked = [];
    const result = inferShapesSync(bytes, { operators: { Relu: (node) => { asked.push(node.name); return [{ shape: node.inputs[0].shape }]; } } });
    const plain = inferShapesSync(bytes);
    const text = ({ values, diagnostics }) => JSON.stringify([values.map((v) => v.shape), diagnostics]).replaceAll(/unk__\d/g, '?');       // a host's symbols are numbered as it sees them
    assert.equal(text(result), text(plain));
    assert.ok(plain.diagnostics.filter((d) => d.op === 'If').length === 2 && plain.diagnostics.filter((d) => d.op === 'Cast').length === 4, plain.stringify());
    assert.deepEqual(asked, ['first', 'left', 'between', 'up', 'down', 'right', 'inner', 'grown', 'grown', 'y']);
});

test('a host\'s rule for a node in whose bodies are nodes of a host\'s rule: each is asked about once', () => {
    const branch = (name, node) => ({ g: { nodes: [{ ...node, name, outputs: [name] }], outputs: [{ name }] } }), relu = { op: 'Relu', inputs: ['x'] };
    const inner = { op: 'If', inputs: ['c'], attr: { then_branch: branch('a', relu), else_branch: branch('b', relu) } };
    const bytes = model({ inputs: [float('x', ['N']), { name: 'c', type: 'bool', shape: [] }], outputs: [{ name: 'y' }],
        nodes: [{ ...inner, name: 'y', outputs: ['y'], attr: { then_branch: branch('d', inner), else_branch: branch('e', relu) } }] });
    const asked = [], rule = (node) => { asked.push(node.name); return [{ type: 'float', shape: [2] }]; };
    const result = inferShapesSync(bytes, { operators: { If: rule, Relu: rule } });
    assert.deepEqual([asked, result.get('y').shape, result.get('d', 'y/then_branch').shape], [['a', 'b', 'd', 'e', 'y'], [2], [2]]);
});

test('external data: beside the model, given, missing, outside', async () => {
    const external = (location, offset = 8, length = 24) => model({ inputs: [float('x', ['N', 6])], outputs: [{ name: 'y' }],
        initializers: [{ name: 'to', type: 'int64', dims: [3], external: { location, offset, length } }],
        nodes: [{ op: 'Reshape', inputs: ['x', 'to'], outputs: ['y'] }] });
    const data = new Uint8Array(BigInt64Array.of(-7n, 0n, 2n, 3n).buffer), folder = join(temp, 'external');
    mkdirSync(join(folder, 'sub'), { recursive: true });
    writeFileSync(join(folder, 'sub', 'w.bin'), data);
    writeFileSync(join(temp, 'outside.bin'), data);
    symlinkSync(join(temp, 'outside.bin'), join(folder, 'link.bin'));
    const infer = (location, options) => { writeFileSync(join(folder, 'm.onnx'), external(location)); return inferShapes(join(folder, 'm.onnx'), options); };
    assert.deepEqual((await infer('sub/w.bin')).get('y').shape, ['N', 2, 3]);
    assert.deepEqual((await infer('else', { externalData: { else: data } })).get('y').shape, ['N', 2, 3]);
    assert.deepEqual((await infer('../outside.bin', { externalData: new Map([['../outside.bin', new Blob([data])]]) })).get('y').shape, ['N', 2, 3]);
    assert.deepEqual(inferShapesSync(external('w'), { externalData: { w: data } }).get('y').shape, ['N', 2, 3]);
    const parts = { size: data.length, read: (offset, length) => data.subarray(offset, offset + Math.min(length, 5)) };
    assert.deepEqual(inferShapesSync(external('w'), { externalData: { w: parts } }).get('y').shape, ['N', 2, 3], 'in parts');
    for (const offset of ['abc', '-8', 2n ** 60n]) {
        writeFileSync(join(folder, 'm.onnx'), external('sub/w.bin', offset));
        assert.match((await inferShapes(join(folder, 'm.onnx'))).diagnostics.map((d) => d.message).join(), /offset/, `${offset}`);
    }
    assert.match(inferShapesSync(external('w')).diagnostics[0].message, /'w' cannot be read \(it is not given\): .*options\.externalData\)$/);
    assert.match(inferShapesSync(external('w'), { externalData: { w: new Blob([data]) } }).diagnostics[0].message, /'w' cannot be read \(it is given as a Blob: pass its bytes, or use inferShapes\)/);
    const short = inferShapesSync(external('w', 8, 16), { externalData: { w: data } });
    assert.deepEqual([short.get('to').content, short.diagnostics.map((d) => d.code)], [[0, 2, null], ['data-size']]);      // and not what stands behind
    assert.deepEqual((await infer('sub/../sub/./w.bin')).get('y').shape, ['N', 2, 3]);
    for (const location of ['absent.bin', '../outside.bin', join(temp, 'outside.bin'), 'sub\\w.bin', 'link.bin', 'sub/../../outside.bin', 'C:w.bin']) {
        const { diagnostics, values } = await infer(location);
        assert.deepEqual(diagnostics.map((d) => d.code), ['external-data'], location);
        assert.equal(values.at(-1).shape?.length, 3, 'the target has three elements');
        if (location !== 'absent.bin') assert.match(diagnostics[0].message, /outside/, location);
    }
});

test('external data that end too early, or are nowhere', () => {
    const told = (external, nodes) => inferShapesSync(model({ inputs: [float('x', ['N', 6]), { name: 'n', type: 'int64', shape: [] }], outputs: [{ name: 'y' }],
        initializers: [{ name: 'to', type: 'int64', dims: [2], external }], nodes: nodes ?? [{ op: 'Reshape', inputs: ['x', 'to'], outputs: ['y'] }] }),
    { externalData: { broken: { size: 16, read() { throw new Error(`${'why '.repeat(50)}not`); } }, w: Uint8Array.from({ length: 18 }, (_, i) => (i === 8 ? 6 : 0)) } }).diagnostics.map(({ severity, code, value, message }) => [severity, code, value, message]);
    const short = (have, offset) => [['error', 'data-size', 'to', `tensor 'to': file 'w' has ${have} bytes from byte ${offset} on, 16 expected`]];
    assert.deepEqual(told({ location: 'w' }), []);
    assert.deepEqual(told({ location: 'w', offset: 8 }), short(10, 8));
    assert.deepEqual(told({ location: 'w', offset: 1000, length: 16 }), short(0, 1000));
    for (const [external, what] of [[{ location: '' }, 'location'], [{ offset: 8 }, 'location'], [{ location: 'w', offset: 'abc' }, 'offset'],
        [{ location: 'w', offset: -8 }, 'offset'], [{ location: 'w', length: '1e3' }, 'length']]) {
        assert.deepEqual(told(external), [['warning', 'external-data', 'to',
            `the external data of tensor 'to' have no ${what} that can be used: its elements stay unknown`]]);
    }
    assert.deepEqual(told({ offset: 8 }, [{ op: 'Relu', inputs: ['x'], outputs: ['y'] }]).map((d) => d[1]), ['external-data'], 'also where nothing asks for them');
    const body = { inputs: [{ name: 'i' }, { name: 'go' }, { name: 'v' }], outputs: [{ name: 'go' }, { name: 'v2' }], nodes: [{ op: 'Reshape', inputs: ['v', 'to'], outputs: ['v2'] }] };
    const loop = [{ op: 'Loop', inputs: ['n', '', 'x'], outputs: ['y'], attr: { body: { g: body } } }];
    assert.deepEqual(told({ location: 'w', offset: 8 }, loop).map((d) => d[1]), ['data-size'], 'once, from inside a body that is done again');
    assert.deepEqual(told({ location: 'absent' }, loop).map((d) => d[1]), ['external-data']);
    const [[, , , message]] = told({ location: 'broken' });
    assert.match(message, /stay unknown, and so do the sizes that Reshape #0 makes of them/);
    assert.match(message, /cannot be read \((why ){50}not\)/);
});

test('an initializer with a negative size, types in types', () => {
    const { diagnostics, values } = inferShapesSync(model({ inputs: [{ name: 'x', type: 'seq('.repeat(15) + 'float' + ')'.repeat(15), shape: [3] }], outputs: [],
        initializers: [{ name: 'w', type: 'float', dims: [2, -2] }], nodes: [] }));
    assert.deepEqual(diagnostics.map((d) => [d.severity, d.code, d.value]), [['warning', 'negative-dim', 'w']]);
    assert.deepEqual([values[0].type, values[0].shape], ['seq('.repeat(15) + 'float32' + ')'.repeat(15), [3]]);
});

test('limits leave things unknown, and contradict nothing', () => {
    const bytes = model({ inputs: [float('x', [2, 3, 4]), float('z', ['N'])], outputs: [{ name: 'y' }], nodes: [
        { op: 'Transpose', inputs: ['x'], outputs: ['t'], attr: { perm: [2, 0, 1] } }, { op: 'Unsqueeze', inputs: ['t', 'a'], outputs: ['y'] }],
    initializers: [{ name: 'a', type: 'int64', dims: [1], data: [0] }] });
    const { diagnostics, values } = inferShapesSync(bytes, { limits: { elements: 1, rank: 3 } }), shape = (name) => values.find((v) => v.name === name).shape;
    assert.deepEqual([shape('t'), shape('y')], [[4, 2, 3], null]);
    assert.deepEqual(diagnostics.map((d) => [d.severity, d.code, d.message]), [['info', 'limit', 'Unsqueeze #1: rank 4 is outside [0, 3] (t [4, 2, 3], a [1])']]);
});

test('external data: links, as in a cache that keeps files under their hashes', async () => {
    const bytes = model({ inputs: [float('x', ['N', 6])], outputs: [{ name: 'y' }], initializers: [{ name: 'to', type: 'int64', dims: [3], external: { location: 'w.bin', offset: 0, length: 24 } }],
        nodes: [{ op: 'Reshape', inputs: ['x', 'to'], outputs: ['y'] }] });
    const data = new Uint8Array(BigInt64Array.of(0n, 2n, 3n).buffer), root = join(temp, 'cache'), shown = join(root, 'snapshots', '1');
    for (const folder of [shown, join(root, 'blobs'), join(root, 'else')]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(root, 'blobs', 'a1'), bytes);
    writeFileSync(join(root, 'blobs', 'b2'), data);
    writeFileSync(join(root, 'else', 'w.bin'), data);
    symlinkSync('../../blobs/a1', join(shown, 'm.onnx'));
    const infer = async (path) => {
        const { values, diagnostics } = await inferShapes(path);
        return [values.at(-1).shape.join(), ...diagnostics.map((d) => d.message.match(/outside|no such file/)[0])];
    };
    const unknown = 'unk__0,unk__1,unk__2', model2 = join(root, 'm.onnx');
    assert.deepEqual(await infer(join(shown, 'm.onnx')), [unknown, 'no such file']);
    symlinkSync('../../else/w.bin', join(shown, 'w.bin'));
    assert.deepEqual(await infer(join(shown, 'm.onnx')), [unknown, 'outside'], 'neither beside the name nor beside the file');
    rmSync(join(shown, 'w.bin'));
    symlinkSync('../../blobs/b2', join(shown, 'w.bin'));
    assert.deepEqual(await infer(join(shown, 'm.onnx')), ['N,2,3']);
    assert.deepEqual(await infer(pathToFileURL(join(shown, 'm.onnx'))), ['N,2,3']);
    writeFileSync(join(root, 'else', 'm.onnx'), bytes);
    symlinkSync('else/m.onnx', model2);
    assert.deepEqual(await infer(model2), ['N,2,3'], 'beside the file alone');
});

test('strict, limits, errors', () => {
    const bad = model({ inputs: [float('x', [2]), float('y', [3])], outputs: [{ name: 'z' }], nodes: [{ op: 'Add', name: 'sum', inputs: ['x', 'y'], outputs: ['z'] }] });
    const { diagnostics } = inferShapesSync(bad);
    assert.deepEqual(diagnostics.map((d) => [d.severity, d.code, d.graph, d.node, d.value, d.op]), [['error', 'shape', '', 'sum', 'z', 'Add']]);
    assert.throws(() => inferShapesSync(bad, { strict: true }), (error) => error instanceof ModelError && error.code === 'shape' && error.message === diagnostics[0].message);
    const png = new TextEncoder().encode('\x89PNG\r\n\x1a\n and more'), cut = relu(['N']).subarray(0, -1);
    assert.throws(() => inferShapesSync(png), (error) => error.code === 'not-onnx' && error.path === undefined && error.message.startsWith('not an ONNX model: '));
    assert.throws(() => inferShapesSync(cut), (error) => error.code === 'truncated' && typeof error.path === 'string');
    assert.throws(() => inferShapesSync(relu(['N']), { limits: { values: 1 } }), { name: 'ModelError', code: 'values-limit', message: /limits\.values/ });
    assert.throws(() => inferShapesSync(relu(['N']), { limits: { memory: 1000 } }), { name: 'ModelError', code: 'memory-limit', message: /limits\.memory/ });
    assert.throws(() => inferShapesSync(relu(['N']), { limits: { operations: 0 } }), { name: 'ModelError', code: 'operations-limit', message: 'too many operations: more than 0 (limits.operations can be raised)' });
    const turns = model({ inputs: [float('x', ['N'])], outputs: [], nodes: [{ op: 'Relu', inputs: ['b'], outputs: ['a'] }, { op: 'Relu', inputs: ['a'], outputs: ['b'] }] });
    assert.match(inferShapesSync(turns).diagnostics[0].message, /^Relu #0: waits/);
});

test('wrong options are TypeErrors that name the option', async () => {
    for (const [options, message] of [
        [null, /options/], [{ foo: 1 }, /"foo"/], [{ strict: 1 }, /strict/], [{ merge: 'x' }, /merge/], [{ freeDimensionOverrides: { N: -1 } }, /"N"/],
        [{ freeDimensionOverrides: { N: 1.5 } }, /"N"/], [{ freeDimensionOverrides: { N: '1' } }, /"N"/], [{ freeDimensionOverrides: { N: 2n ** 63n } }, /"N"/],
        [{ freeDimensionOverrides: { N: 2 ** 53 } }, /"N".*: pass a bigint below 2\^63/],
        [{ inputs: { x: 3 } }, /"x"/], [{ inputs: { x: { shape: 3 } } }, /shape/], [{ inputs: { x: [-1] } }, /shape\[0\]/], [{ inputs: { x: { type: 'flaot', shape: [1] } } }, /"x".*type/],
        [{ operators: { Foo: 3 } }, /"Foo"/], [{ limits: { speed: 3 } }, /"speed"/], [{ limits: { rank: -1 } }, /limits\.rank/],
        [{ inputs: { x: { dims: [1, 2] } } }, /"x".*has "dims": it knows type, shape, data/], [{ externalData: 3 }, /^options\.externalData is 3/],
        [3, /^options is 3/], [{ signal: {} }, /^options\.signal is an object: pass an AbortSignal/], [{ reuse: 1 }, /^options\.reuse is 1: pass true or false/], [{ onProgress: 1 }, /onProgress/]]) {
        const told = (error) => error instanceof TypeError && message.test(error.message);
        assert.throws(() => inferShapesSync(relu(['N']), options), told, message.source);
        await assert.rejects(inferShapes(relu(['N']), options), told, message.source);
    }
    const nothing = { freeDimensionOverrides: null, inputs: { x: null }, externalData: null, strict: null, merge: null, operators: null, reuse: null, limits: { memory: null, rank: undefined }, onProgress: null, signal: null };
    assert.equal(inferShapesSync(relu(['N']), nothing).stringify(), inferShapesSync(relu(['N'])).stringify());
    assert.equal((await inferShapes(relu(['N']), nothing)).stringify(), inferShapesSync(relu(['N'])).stringify());
});

// DESIGN of names: the whole string, unless it is an expression over others.
test('a name with blanks around it is another name', () => {
    const result = inferShapesSync(model({ inputs: [float('x', ['N', 'N ', ' N', 'N + 1'])], outputs: [], nodes: [shapeOf('s'), { op: 'Add', inputs: ['s', 's'], outputs: ['t'] }] }));
    assert.deepEqual(result.get('s').content, ['N', 'N ', ' N', 'N + 1']);
    assert.deepEqual(result.get('t').content, ['2*N', '2*`N `', '2*` N`', '2*N + 2']);
});

test('a tensor without elements has none: that is known', () => {
    const { values } = inferShapesSync(model({ inputs: [], outputs: [], initializers: [{ name: 'e', type: 'float', dims: [0, 2] }],
        nodes: [{ op: 'Constant', inputs: [], outputs: ['c'], attr: { value: { t: ['int64', [0], []] } } }] }));
    assert.deepEqual(values.map((v) => [v.name, v.content]), [['e', []], ['c', []]]);
});

test('evaluate', () => {
    const slice = model({ inputs: [float('x', ['S', 'T'])], outputs: [{ name: 'y' }],
        initializers: [['a', [0]], ['b', [-1]], ['c', [0]]].map(([name, data]) => ({ name, type: 'int64', dims: [1], data })),
        nodes: [{ op: 'Slice', name: 'cut', inputs: ['x', 'a', 'b', 'c'], outputs: ['y'] }] });
    const result = inferShapesSync(slice), { shape } = result.get('y');
    assert.deepEqual(shape, ['S - 1', 'T']);
    assert.deepEqual(result.assumptions.map((a) => a.node), ['cut']);
    assert.deepEqual(result.evaluate(shape, { S: 5, T: 2 }), [4, 2]);
    assert.equal(result.evaluate('S - 1', { S: 2n ** 60n }), 2n ** 60n - 1n);
    assert.deepEqual(result.evaluate(['floor(S/2)', 7, 'Max(S, T)'], { S: 5, T: 9 }), [2, 7, 9]);
    assert.throws(() => result.evaluate(shape, { S: 0, T: 2 }), { name: 'RangeError', message: /cut assumes S/ });
    const small = inferShapesSync(model({ inputs: [float('x', ['S'])], outputs: [{ name: 'y' }], nodes: [{ op: 'Shape', inputs: ['x'], outputs: ['s'] },
        { op: 'Cast', name: 'cast', inputs: ['s'], outputs: ['y'], attr: { to: 1 } }, { op: 'Floor', inputs: ['y'], outputs: ['f'] }] }));
    assert.throws(() => small.evaluate('S', { S: 300000 }), { name: 'RangeError', message: /^S is 300000, and cast assumes 262143 >= S \(float32\)/ });
    assert.throws(() => result.evaluate('T', { T: -1 }), { name: 'RangeError', message: 'T is negative: it is a size' });
    for (const none of [undefined, null]) assert.throws(() => result.evaluate(shape, none), { name: 'RangeError', message: 'S has no value; add it to the bindings' });
    assert.throws(() => result.evaluate(shape, { S: 4 }), { name: 'RangeError', message: 'T has no value; add it to the bindings' });
    assert.deepEqual(result.evaluate(shape, new Map([['S', 5], ['T', 9]])), result.evaluate(shape, { S: 5, T: 9 }));
    assert.equal(result.evaluate('Max(S, 2)*Max(T, 3)*Max(S, T)*Max(S, 5)*Max(T, 7)', { S: 5, T: 9 }), 5 * 9 * 9 * 5 * 9, 'too many terms, but numbers here');
    assert.throws(() => result.evaluate(['S +'], { S: 4 }), { name: 'RangeError', message: /not an expression/ });
    const odd = inferShapesSync(relu(['batch size', '2', '16H']));
    assert.deepEqual(odd.evaluate(odd.get('y').shape, { 'batch size': 3, 2: 4, '16H': 5 }), [3, 4, 5]);
    assert.equal(odd.evaluate('2*`16H`', { '16H': 5 }), 10);
    assert.throws(() => odd.evaluate('2', { 'batch size': -3, 2: 4 }), { name: 'RangeError', message: /^batch size is negative/ });
    const value = inferShapesSync(model({ inputs: [{ name: 'k', type: 'int64', shape: [1] }], outputs: [{ name: 'y' }],
        nodes: [{ op: 'Neg', inputs: ['k'], outputs: ['n'] }, { op: 'ConstantOfShape', inputs: ['n'], outputs: ['y'] }] }));
    assert.deepEqual(value.evaluate(value.get('y').shape, { [value.get('k').content[0]]: -3 }), [3], 'an element may be negative');
    assert.throws(() => odd.evaluate('2', {}), { name: 'RangeError', message: /2 has no value/ });      // a name here, not a number
    assert.throws(() => odd.evaluate('batch size', { 2: 4 }), { name: 'RangeError', message: /batch size has no value/ });
});

test('why: the way back to the inputs', () => {
    const bytes = model({ inputs: [float('x', ['N', 3])], outputs: [{ name: 'z' }], nodes: [
        { op: 'NonZero', name: 'nz', inputs: ['x'], outputs: ['i'] }, { op: 'Cast', inputs: ['i'], outputs: ['f'], attr: { to: 1 } }, { op: 'Relu', inputs: ['f'], outputs: ['z'] }] });
    const result = inferShapesSync(bytes), steps = result.why('z');
    assert.deepEqual(steps.map((s) => [s.name, s.op, s.from.map((f) => f.value).join()]), [['z', 'Relu', 'f'], ['f', 'Cast', 'i'], ['i', 'NonZero', '']]);
    assert.match(steps[2].notes[0], /^unk__0: the data decide/);
    assert.deepEqual(inferShapesSync(relu(['N'])).why('y').map((s) => s.name), ['y', 'x']);
    assert.throws(() => result.why('nothing'), { name: 'RangeError' });
    const unknown = inferShapesSync(model({ opsets: { '': 18, u: 1 }, inputs: [float('x', [1])], outputs: [], nodes: [
        { op: 'What', domain: 'u', inputs: ['x'], outputs: ['a'] }, { op: 'Relu', inputs: ['a'], outputs: ['y'] }] }));
    assert.match(unknown.why('y').at(-1).notes.join(), /u::What/);
});

test('why: what no rule has come to, what the file does not say', () => {
    const of = (name, rest) => inferShapesSync(model({ inputs: [{ name: 'x', type: 'float' }], outputs: [{ name: 'y' }], ...rest })).why(name).at(-1).notes;
    assert.deepEqual(of('y', { nodes: [{ op: 'Relu', inputs: ['x'], outputs: ['y'] }] }), ['the file says no shape']);
    assert.deepEqual(of('y', { nodes: [{ op: 'Add', inputs: ['x', 'b'], outputs: ['a'] }, { op: 'Relu', inputs: ['a'], outputs: ['b'] }, { op: 'Relu', inputs: ['b'], outputs: ['y'] }] }),
        ['it waits for a cycle of nodes']);
    const [elements, missing] = of('y', { initializers: [{ name: 'to', type: 'int64', dims: [3], external: { location: 'absent' } }], nodes: [{ op: 'Reshape', inputs: ['x', 'to'], outputs: ['y'] }] });
    assert.equal(elements, 'elements that are unknown');
    assert.match(missing, /^external file 'absent' cannot be read .* of tensor 'to' stay unknown/);
});

test('branches of which none can run', () => {
    const branch = (name) => ({ g: { nodes: [{ op: 'MatMul', inputs: ['x', 'x'], outputs: [name] }], outputs: [{ name }] } });
    const bytes = model({ inputs: [float('x', [2, 3]), { name: 'c', type: 'bool', shape: [] }], outputs: [{ name: 'y' }],
        nodes: [{ op: 'If', inputs: ['c'], outputs: ['y'], attr: { then_branch: branch('a'), else_branch: branch('b') } }] });
    assert.deepEqual(inferShapesSync(bytes).diagnostics.map((d) => `${d.severity} ${d.graph}`), ['warning If#0/then_branch', 'warning If#0/else_branch', 'error ']);
    assert.throws(() => inferShapesSync(bytes, { strict: true }), { code: 'shape' });
});

test('why: back to the inputs whose elements are missing', () => {
    const scalar = (name) => ({ name, type: 'int64', shape: [] }), ints = (name, data) => ({ name, type: 'int64', dims: [data.length], data });
    const way = (nodes, inputs) => inferShapesSync(model({ inputs: [float('x', ['N', 'T']), ...inputs], outputs: [{ name: 'y' }], initializers: [ints('zero', [0]), ints('minus', [-1]), { ...ints('one', [1]), dims: [] }], nodes }))
        .why('y').map((s) => [s.name, ...s.from.map((f) => `${f.value} ${f.read}`)].join());
    const unsqueeze = { op: 'Unsqueeze', inputs: ['k', 'zero'], outputs: ['u'] };
    assert.deepEqual(way([unsqueeze, { op: 'Concat', inputs: ['u', 'minus'], outputs: ['t'], attr: { axis: 0 } }, { op: 'Reshape', inputs: ['x', 't'], outputs: ['y'] }], [scalar('k')]),
        ['y,t elements', 't,u elements', 'u,k elements', 'k']);
    assert.deepEqual(way([unsqueeze, { op: 'Slice', inputs: ['x', 'zero', 'u', 'zero'], outputs: ['y'] }], [scalar('k')]), ['y,u elements', 'u,k elements', 'k']);
    assert.deepEqual(way([{ op: 'ReduceMax', inputs: ['l'], outputs: ['m'], attr: { keepdims: 0 } }, { op: 'Range', inputs: ['one', 'm', 'one'], outputs: ['y'] }], [{ name: 'l', type: 'int64', shape: ['L'] }]),
        ['y,m elements', 'm,l elements', 'l']);
    assert.deepEqual(way([{ op: 'Shape', inputs: ['x'], outputs: ['s'] }, { op: 'Cast', inputs: ['s'], outputs: ['f'], attr: { to: 1 } }, { op: 'Sqrt', inputs: ['f'], outputs: ['q'] },
        { op: 'Cast', inputs: ['q'], outputs: ['r'], attr: { to: 7 } }, { op: 'ConstantOfShape', inputs: ['r'], outputs: ['y'] }], []), ['y,r elements', 'r,q elements', 'q']);
});

test('progress and abort', async () => {
    const nodes = Array.from({ length: 20000 }, (_, i) => ({ op: 'Relu', inputs: [`v${i}`], outputs: [`v${i + 1}`] }));
    const bytes = model({ inputs: [float('v0', ['N'])], outputs: [{ name: 'v20000' }], nodes }), seen = [];
    const result = await inferShapes(new Blob([bytes]), { onProgress: (progress) => seen.push(progress) });
    assert.deepEqual(result.get('v20000').shape, ['N']);
    assert.deepEqual([...new Set(seen.map((p) => p.phase))], ['read', 'infer']);
    assert.deepEqual([seen.at(-1).nodesDone, seen.at(-1).nodes], [20000, 20000], 'the end is told');
    assert.ok(seen.every((p, i) => p.size === bytes.length && (!i || p.bytesRead >= seen[i - 1].bytesRead)));
    const control = new AbortController();
    await assert.rejects(inferShapes(new Blob([bytes]), { signal: control.signal, onProgress: ({ phase }) => phase === 'infer' && control.abort() }), { name: 'AbortError' });
    await assert.rejects(inferShapes(bytes, { signal: AbortSignal.abort() }), { name: 'AbortError' });
});

test('calls at the same time do not meet', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, (_, i) => inferShapes(new Blob([relu([i, 'N'])]))));
    results.forEach((result, i) => assert.deepEqual(result.get('y').shape, [i, 'N']));
});

test('a call leaves nothing to the next', () => {
    const first = inferShapesSync(branchy), want = first.stringify(), { memory } = first.stats;
    inferShapesSync(model({ inputs: [float('x', ['N'])], outputs: [], nodes: Array.from({ length: 20000 }, (_, i) =>
        ({ op: 'Relu', inputs: [i ? `v${i - 1}` : 'x'], outputs: [`v${i}`] })) }));
    assert.throws(() => inferShapesSync(branchy.subarray(0, -1)), ModelError);
    first.evaluate('1 + 1', {});
    const again = inferShapesSync(branchy);
    assert.equal(again.stringify(), want);
    assert.equal(first.stringify(), want);
    assert.equal(again.stats.memory, memory);
});

test('load takes the module in any form', async () => {
    const url = new URL('../wasm/model.wasm', import.meta.url), bytes = readFileSync(url);
    for (const source of [undefined, url, url.href, bytes, new Response(bytes), new WebAssembly.Module(bytes)]) {
        await load(source);
        assert.deepEqual(inferShapesSync(relu([2])).get('y').shape, [2]);
    }
    await assert.rejects(load(new Uint8Array(3)), WebAssembly.CompileError);
    await assert.rejects(load(5), { name: 'TypeError', message: 'load() has 5: pass a URL, bytes, a Response or a WebAssembly.Module' });
    await assert.rejects(load(new Response('', { status: 404 })), { name: 'Error', message: 'the response cannot be read (404): pass load() the place of model.wasm' });
    await assert.rejects(load(new URL('absent.wasm', url)), { name: 'Error', message: /\/absent\.wasm cannot be read \(ENOENT: [^\n]+\): pass load\(\) the place of model\.wasm$/ });
    await assert.rejects(load(new URL('../wasm/shape.wasm', import.meta.url)), { name: 'TypeError', message: /model\.wasm/ });
    assert.deepEqual(inferShapesSync(relu([2])).get('y').shape, [2]);
});

test('js/layout.js is what the headers say', () => {
    assert.equal(readFileSync(new URL('../js/layout.js', import.meta.url), 'utf8'), layout(), 'run node tools/layout.mjs');
});

test('a field of another wire type, a group, an unknown field: skipped', () => {
    const extra = Uint8Array.from([...varint(100 * 8 + 3), ...varint(8), 5, ...varint(100 * 8 + 4), ...varint(1000 * 8 + 2), 2, 1, 2, ...varint(7 * 8), 3]);
    const bytes = relu(['N']), joined = new Uint8Array(bytes.length + extra.length);
    joined.set(extra);
    joined.set(bytes, extra.length);
    assert.deepEqual(inferShapesSync(joined).get('y').shape, ['N']);
});

// By arithmetic: the parts are all of the axis. onnxruntime 1.32 gives these shapes for N = 5 and sizes 2, 3 and 0, 5.
test('sizes of parts that nobody knows add up to the axis', () => {
    const parts = { inputs: [float('x', ['N', 2]), { name: 'k', type: 'int64', shape: [2] }], outputs: [{ name: 'y' }] }, joined = { inputs: ['b', 'a'], outputs: ['y'], op: 'Concat', attr: { axis: 0 } };
    const result = inferShapesSync(model({ ...parts, nodes: [{ op: 'Split', inputs: ['x', 'k'], outputs: ['a', 'b'], attr: { axis: 0 } }, joined] }));
    assert.deepEqual(['a', 'b', 'y'].map((name) => result.get(name).shape), [['unk__0', 2], ['N - unk__0', 2], ['N', 2]]);
    assert.deepEqual(inferShapesSync(model({ ...parts, nodes: [{ op: 'SplitToSequence', inputs: ['x', 'k'], outputs: ['s'], attr: { axis: 0 } },
        { op: 'ConcatFromSequence', inputs: ['s'], outputs: ['y'], attr: { axis: 0 } }] })).get('y').shape, ['N', 2]);
});

// onnxruntime 1.32 gives [1, 3] or [2, 3]. Exporters declare what the branch gave that they saw (microsoft/onnxruntime#7486).
test('a declared size does not hold where branches differ in it', () => {
    const slice = (to) => ({ g: { outputs: [{ name: 'o' }], initializers: [{ name: 'a', type: 'int64', dims: [1], data: [0] }, { name: 'b', type: 'int64', dims: [1], data: [to] }],
        nodes: [{ op: 'Slice', inputs: ['x', 'a', 'b'], outputs: ['o'] }] } });
    const { values, diagnostics } = inferShapesSync(model({ inputs: [float('x', [4, 3]), { name: 'c', type: 'bool', shape: [] }], outputs: [float('y', [1, 3])],
        nodes: [{ op: 'If', inputs: ['c'], outputs: ['y'], attr: { then_branch: slice(1), else_branch: slice(2) } }] }));
    assert.deepEqual(values.find((v) => v.name === 'y').shape, ['unk__0', 3]);
    assert.deepEqual(diagnostics.map((d) => [d.severity, d.code, d.value]), [['info', 'declared-narrower', 'y']]);
});

// onnxruntime 1.32 gives [3] or [1, 3]; what torch saw when it traced is in the file (sonos/tract#1231).
test('a declared rank does not hold where branches differ in it', () => {
    const branch = (op, ...more) => ({ g: { outputs: [{ name: 'o' }], nodes: [{ op, inputs: ['x', ...more], outputs: ['o'] }] } });
    const shape = (declared) => inferShapesSync(model({ inputs: [float('x', [1, 3]), { name: 'c', type: 'bool', shape: [] }], outputs: [float('y', declared)],
        initializers: [{ name: 'a', type: 'int64', dims: [1], data: [0] }],
        nodes: [{ op: 'If', inputs: ['c'], outputs: ['y'], attr: { then_branch: branch('Squeeze', 'a'), else_branch: branch('Identity') } }] })).get('y').shape;
    assert.deepEqual([shape([3]), shape([1, 3]), shape(null)], [null, null, null]);
});

// ONNX Squeeze: N = 1 gives [3], N = 2 gives [2, 3].
test('a declared rank does not hold where sizes decide it', () => {
    const squeezed = (sizes) => {
        const result = inferShapesSync(model({ inputs: [float('x', sizes)], outputs: [float('y', ['N', 3]), float('z', ['N', 3])],
            nodes: ['y', 'z'].map((y) => ({ op: 'Squeeze', inputs: ['x'], outputs: [y] })) }));
        assert.deepEqual(result.get('y').shape, result.get('z').shape, 'of nodes that are alike, too');
        assert.deepEqual(result.why('z').map((step) => step.name), ['z', 'x']);
        return result.get('y').shape;
    };
    assert.deepEqual([squeezed(['N', 3]), squeezed([2, 3]), squeezed([null, 3])], [null, [2, 3], null]);
});

// onnxruntime: N = 1 gives [3], N = 2 gives [2, 3] (a model of speechmos declares what N = 1 gave).
test('a declared rank does not hold further down from one that sizes decide', () => {
    const body = { g: { inputs: [{ name: 'i', type: 'int64', shape: [] }, { name: 'c', type: 'bool', shape: [] }, { name: 's' }], outputs: [{ name: 'c' }, { name: 't' }],
        nodes: [{ op: 'Neg', inputs: ['s'], outputs: ['t'] }] } };
    const made = (n) => inferShapesSync(model({ inputs: [float('x', [n, 3]), float('u', null), { name: 'k', type: 'int64', shape: [] }],
        outputs: ['y', 'z', 'w', 'q'].map((name) => float(name, [3])),
        nodes: [{ op: 'Squeeze', inputs: ['x'], outputs: ['s'] }, { op: 'Sigmoid', inputs: ['s'], outputs: ['y'] }, binary('Add', 'y', 'y', 'z'),
            { op: 'Loop', inputs: ['k', '', 'z'], outputs: ['w'], attr: { body } },
            { op: 'SequenceConstruct', inputs: ['u', 's'], outputs: ['list'] }, { op: 'ConcatFromSequence', inputs: ['list'], outputs: ['q'], attr: { axis: 0 } }] }));
    const open = made('N'), bound = made(1);
    for (const name of ['y', 'z', 'w']) assert.deepEqual([open.get(name).shape, bound.get(name).shape], [null, [3]]);
    assert.deepEqual([open.diagnostics, bound.diagnostics], [[], []]);
    assert.deepEqual(open.why('z').map((step) => step.name), ['z', 'y', 's', 'x']);
});
