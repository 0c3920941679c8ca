// Who knows less says less, never anything else: each row of tests/data/ops that has an answer, with one thing forgotten of an input (its shape, its
// elements, one size, which becomes a symbol), gives that answer as far as it gives any.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inferShapesSync } from 'onnx-shape/model';
import { build, families, opsets } from './rows.js';

/** What an input may be once something of it is forgotten: [what, input, the symbol's binding]. */
function lesser([type, shape, content]) {
    if (content) return [['elements', [type, shape]], ['shape', [type, null]]];
    const sizes = (shape ?? []).flatMap((dim, i) => (typeof dim === 'number' ? [[`size ${i}`, [type, shape.with(i, 'forgotten')], { forgotten: dim }]] : []));
    return shape === null || shape === undefined ? [] : [['shape', [type, null]], ...sizes];
}

const show = (shape) => (shape ? `[${shape}]` : 'unknown rank');
const errors = ({ diagnostics }) => diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);
const value = (result, dim, bindings) => { try { return result.evaluate(dim, bindings); } catch { return dim; } };

/** What `less` says otherwise than `full` does, or undefined. */
function contradiction(full, less, bindings, outputs) {
    const [error] = errors(less);
    if (error) return error;
    for (let i = 0; i < outputs; i++) {
        const want = full.get(`y${i}`), got = less.get(`y${i}`);
        if (!want) continue;
        const differs = `y${i}: ${want.type} ${show(want.shape)}, then ${got.type} ${show(got.shape)}`;
        if (got.type && got.type !== want.type) return differs;
        if (!got.shape) continue;
        if (got.shape.length !== want.shape?.length) return differs;
        if (got.shape.some((dim, k) => { const n = value(less, dim, bindings); return typeof n === 'number' && n !== want.shape[k]; })) return differs;
    }
    return undefined;
}

for (const [file, rows] of families) {
    test(`${file}: who knows less says nothing else`, () => {
        const wrong = rows.filter(({ error }) => !error).flatMap((row) => {
            const opset = opsets(row).at(-1), full = inferShapesSync(build(row, opset), { reuse: true });
            return row.in.flatMap((input, i) => (input ? lesser(input) : []).flatMap(([what, less, bindings = {}]) => {
                const result = inferShapesSync(build({ ...row, in: row.in.with(i, less) }, opset), { reuse: true });
                if (Object.keys(bindings).length && typeof value(result, 'forgotten', bindings) !== 'number') return [];     // an assumption does not hold
                const problem = contradiction(full, result, bindings, (row.out ?? [0]).length);
                return problem ? [`${row.op} ${opset}, ${row.name}, without ${what} of input ${i}: ${problem}`] : [];
            }));
        });
        assert.equal(wrong.join('\n'), '');
    });
}
