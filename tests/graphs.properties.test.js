// Properties of whole graphs and of their sizes: an open answer never contradicts a bound one, and expressions keep their value however they
// are written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inferShapesSync } from 'onnx-shape/model';
import { KINDS, SCALAR, SIZES, SYMBOLS, bind, contradictions, grow } from './graphs.js';
import { model } from './onnx.js';

// SEED=7 TIMES=100 node --test tests/graphs.properties.test.js looks elsewhere, and longer.
const SEED = Number(process.env.SEED ?? 20), TIMES = Number(process.env.TIMES ?? 1);
const point = (sizes) => Object.fromEntries(SYMBOLS.map((name, i) => [name, sizes[i]]));
const sizes = (size) => fc.array(size, { minLength: SYMBOLS.length, maxLength: SYMBOLS.length });
const show = (value) => JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? String(v) : v instanceof Uint8Array ? `${v.length} bytes` : v));

// ---- graphs ----

const number = fc.nat({ max: 2 ** 20 });
const lists = fc.array(fc.array(number, { minLength: 14, maxLength: 14 }), { minLength: 4, maxLength: 13, size: 'max' });

test('an open answer, evaluated, never contradicts the bound one', () => {
    const counts = { points: 0, compared: 0, nodes: 0 }, ops = new Set();
    const element = fc.integer({ min: -2, max: 6 }).map((k) => ({ k })), where = (size) => fc.tuple(sizes(size).map(point), element).map((parts) => Object.assign({}, ...parts));
    const others = fc.array(where(fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 40 }))), { minLength: 3, maxLength: 3 });
    fc.assert(fc.property(lists, where(fc.constantFrom(0, 1, 2, 3, 4, 6, 8)), others, (steps, witness, more) => {
        const graph = grow(steps, witness), bytes = graph.bytes(), open = inferShapesSync(bytes);
        counts.nodes += graph.spec.nodes.length;
        for (const { op } of graph.spec.nodes) ops.add(op);
        for (const where of [witness, ...more]) {
            const seen = contradictions(open, inferShapesSync(bytes, bind(where)), where);
            if (!seen) continue;
            counts.points++;
            counts.compared += seen.compared;
            assert.deepEqual(seen.found, [], `at ${show(where)}: ${show(graph.spec)}`);
        }
    }), { numRuns: 45 * TIMES, seed: SEED });
    // Most graphs must grow, most points count, and symbols be at stake, or nothing was shown.
    assert.ok(counts.nodes > 200 && counts.points > 100 && counts.compared > 1000 && ops.size > 45, `${show(counts)}, ${ops.size} operators`);
});

test('every kind of step can be taken', () => {
    const random = fc.sample(fc.array(number, { minLength: 14 * 80, maxLength: 14 * 80 }), { seed: SEED, numRuns: 1 })[0];
    const from = (i) => random.slice(14 * i, 14 * i + 14), before = (i) => [[1, 3, i % 6, 2, 4, 3, ...from(i)], [SIZES, ...from(i + 1)], [SCALAR]];
    for (let kind = 0; kind < KINDS; kind++) {
        const taken = Array.from({ length: 60 }, (_, i) => i).some((i) => {
            const [without, graph] = [before(i), [...before(i), [kind, ...from(i + 2)]]].map((steps) => grow(steps, { A: 4, B: 4, C: 2, k: 2 }));
            return graph.spec.nodes.length > without.spec.nodes.length;
        });
        assert.ok(taken, `step ${kind} never fits`);
    }
});

test('a contradiction is found', () => {
    const graph = (size) => inferShapesSync(model({ inputs: [{ name: 'x', type: 'float', shape: [size, 2] }], outputs: [{ name: 'y' }],
        nodes: [{ op: 'Shape', inputs: ['x'], outputs: ['y'] }] }));
    const { found, compared } = contradictions(graph('A'), graph(3), { A: 4 });
    assert.deepEqual(found, ['x[0]: open A = 4, bound 3', 'y(0): open A = 4, bound 3']);
    assert.equal(compared, 2);
    assert.deepEqual(contradictions(graph('A'), graph(3), { A: 3 }).found, []);
});

// ---- sizes ----

/** A tree: its value at a point, undefined where a division has none; and two ways of writing it. */
const leaf = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...SYMBOLS).map((name) => ({ value: (at) => at[name], text: name, other: name })) },
    fc.integer({ min: -6, max: 12 }).map((n) => ({ value: () => BigInt(n), text: n < 0 ? `(0 - ${-n})` : `${n}`, other: `(${n + 3} - 3)` })));
const floorDiv = (a, b) => { const q = a / b; return a % b !== 0n && (a < 0n) !== (b < 0n) ? q - 1n : q; };
const both = (f) => (a, b) => (at) => { const [x, y] = [a.value(at), b.value(at)]; return x === undefined || y === undefined ? undefined : f(x, y); };
const OPERATORS = {
    sum: { value: both((x, y) => x + y), text: (a, b) => `(${a} + ${b})`, other: (a, b) => `(${b} - -(${a}))` },
    difference: { value: both((x, y) => x - y), text: (a, b) => `(${a} - ${b})`, other: (a, b) => `-(${b} - ${a})` },
    product: { value: both((x, y) => x * y), text: (a, b) => `(${a} * ${b})`, other: (a, b) => `((1 + ${b})*${a} - ${a})` },
    floor: { value: both((x, y) => (y === 0n ? undefined : floorDiv(x, y))), text: (a, b) => `floor(${a}/${b})`, other: (a, b) => `-ceiling(-(${a})/${b})` },
    modulo: { value: both((x, y) => (y === 0n ? undefined : x - y * floorDiv(x, y))), text: (a, b) => `Mod(${a}, ${b})`, other: (a, b) => `(${a} - ${b}*(${a} // ${b}))` },
    least: { value: both((x, y) => (x < y ? x : y)), text: (a, b) => `Min(${a}, ${b})`, other: (a, b) => `-Max(-(${b}), -(${a}))` },
    most: { value: both((x, y) => (x > y ? x : y)), text: (a, b) => `Max(${a}, ${b})`, other: (a, b) => `(${b} + ${a} - Min(${b}, ${a}))` },
};
const trees = (names) => fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, leaf, fc.record({ name: fc.constantFrom(...names), a: tie('tree'), b: tie('tree') }).map(({ name, a, b }) => {
        const { value, text, other } = OPERATORS[name];
        return { value: value(a, b), text: text(a.text, b.text), other: other(a.other, b.other) };
    })),
})).tree;

/** How a model's size is printed that an input declares by this text. */
function printed(...texts) {
    const result = inferShapesSync(model({ inputs: [{ name: 's', type: 'float', shape: SYMBOLS }, { name: 'x', type: 'float', shape: texts }], outputs: [] }));
    return { result, dims: result.get('x').shape };
}
/** Text without a symbol is a name to a model. */
const expression = (text) => (/[A-C]/.test(text) ? text : `${text} + 0*A`);
const evaluated = (result, dim, at) => { try { return BigInt(result.evaluate(dim, at)); } catch (error) { return error.message; } };
const points = fc.array(sizes(fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 1000 }))), { minLength: 6, maxLength: 6 });

test('an expression keeps its value through parsing, the canonical form and printing', () => {
    let compared = 0;
    fc.assert(fc.property(trees(Object.keys(OPERATORS)), points, (tree, wheres) => {
        const { result, dims } = printed(expression(tree.text), expression(tree.other));
        const again = printed(...dims.map((dim) => expression(`${dim}`)));
        for (const where of wheres.map(point)) {
            const want = tree.value(Object.fromEntries(SYMBOLS.map((name) => [name, BigInt(where[name])])));
            if (want === undefined) continue;
            const texts = [...dims, ...again.dims].filter((dim) => !/unk__/.test(dim));
            for (const dim of texts) assert.equal(evaluated(result, dim, where), want, `${tree.text} printed as ${dim} at ${show(where)}`);
            compared += texts.length;
        }
    }), { numRuns: 100 * TIMES, seed: SEED });
    assert.ok(compared > 700, `${compared} compared`);
});

test('what is printed reads as itself', () => {
    fc.assert(fc.property(trees(['sum', 'difference', 'product', 'floor', 'modulo']), (tree) => {
        const { dims: [dim] } = printed(expression(tree.text));
        if (typeof dim === 'string' && !/unk__/.test(dim)) assert.deepEqual(printed(dim).dims, [dim], tree.text);
    }), { numRuns: 100 * TIMES, seed: SEED });
});

test('polynomials are the same text where they are equal, and only there', () => {
    fc.assert(fc.property(trees(['sum', 'difference', 'product']), trees(['sum', 'difference', 'product']), points, (one, two, wheres) => {
        const { dims: [a, b, c] } = printed(expression(one.text), expression(one.other), expression(two.text));
        if ([a, b, c].some((dim) => /unk__/.test(dim))) return;
        assert.equal(a, b);
        const at = wheres.map(point).map((where) => Object.fromEntries(SYMBOLS.map((name) => [name, BigInt(where[name])])));
        if (a === c) for (const where of at) assert.equal(one.value(where), two.value(where));
        const { dims: [difference] } = printed(expression(`(${one.text}) - (${two.text})`));
        if (!/unk__/.test(difference)) assert.equal(a === c, difference === 0, `${a} and ${c} differ by ${difference}`);
    }), { numRuns: 100 * TIMES, seed: SEED });
});
