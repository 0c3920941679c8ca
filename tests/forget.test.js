// Who knows less says less, and nothing else: each row of tests/data/ops that has an answer gives it, as far as it gives any, with one thing
// forgotten of an input: its shape, its elements, or one size, which becomes a symbol.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inferShapesSync } from 'onnx-shape/model';
import { build, families, opsets } from './rows.js';

/** Rows that say something else without what is named, and why that is right. */
const EXCEPT = new Map([
    ['Concat, an empty input after others, without size 1 of input 1', 'only an input that is known to be empty may have other sizes'],
    ['GatedDeltaNet, updates, without the shape of input 6', 'two symbols of the row name one size'],
]);

/** What may be forgotten of an input: [what, the input without it, the size that the symbol stands for]. */
function lesser([type, shape, content]) {
    if (!shape) return [];
    const whole = ['the shape', [type, null]];
    if (content) return [whole, ['the elements', [type, shape]]];
    return [whole, ...shape.flatMap((dim, axis) => (typeof dim === 'number' ? [[`size ${axis}`, [type, shape.with(axis, 'forgotten')], dim]] : []))];
}

/** A dim as a number, where it is one at these sizes of what it names and keeps what was assumed. */
function size(result, dim, bindings) {
    try { return typeof dim === 'string' ? result.evaluate(dim, bindings) : dim; } catch { return undefined; }
}

/** What `less` says otherwise than `full`, which it was made from: a text, or undefined. */
function contradiction(full, less, forgotten, outputs) {
    const error = less.diagnostics.find(({ severity }) => severity === 'error'), known = forgotten === undefined ? {} : { forgotten }, names = { ...known };
    if (less.assumptions.length && forgotten !== undefined && size(less, 'forgotten', known) === undefined) return undefined;      // another size was assumed
    if (error) return error.message;
    for (const { name, origin } of [...full.symbols, ...less.symbols]) if (origin === 'declared') names[name] ??= 600 + 60 * Object.keys(names).length;
    for (let i = 0; i < outputs; i++) {
        const want = full.get(`y${i}`), got = less.get(`y${i}`);
        const other = (dim, k) => {
            if (dim === want.shape[k]) return false;
            const a = size(full, want.shape[k], names), b = size(less, dim, typeof want.shape[k] === 'string' ? names : known);
            return b !== undefined && a !== b && (a !== undefined || typeof dim !== 'string');
        };
        const element = (value, k) => (typeof value === 'number' || typeof value === 'boolean') && value !== want.content?.[k];
        if ((got?.type && got.type !== want.type) || (got?.shape && (got.shape.length !== want.shape?.length || got.shape.some(other)))) {
            return `y${i} is ${want.type} [${want.shape}], then ${got.type} [${got.shape}]`;
        }
        if (got?.content?.some(element)) return `y${i} has the elements ${want.content}, then ${got.content}`;
    }
    return undefined;
}

const needed = new Set(EXCEPT.keys());

for (const [file, rows] of families) {
    test(`${file}: who knows less says nothing else`, () => {
        const wrong = rows.filter(({ error }) => !error).flatMap((row) => {
            const opset = opsets(row).at(-1), infer = (inputs) => inferShapesSync(build({ ...row, in: inputs }, opset), { reuse: true }), full = infer(row.in);
            return row.in.flatMap((input, i) => (input ? lesser(input) : []).flatMap(([what, less, forgotten]) => {
                const name = `${row.op}, ${row.name}, without ${what} of input ${i}`;
                const problem = contradiction(full, infer(row.in.with(i, less)), forgotten, (row.out ?? [0]).length);
                return problem && !needed.delete(name) ? [`${name}: ${problem}`] : [];
            }));
        });
        assert.equal(wrong.join('\n'), '');
    });
}

test('no exception is needless', () => assert.deepEqual([...needed], []));
