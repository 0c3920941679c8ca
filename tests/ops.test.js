// The rows of tests/data/ops: each is a model of one node, inferred at both ends of its range of opsets and wherever in between the
// operator has a new version. What a row may hold is told in tests/data/README.md.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inferShapesSync } from 'onnx-shape/model';
import { build, families, groupBy, opsets } from './rows.js';

/** float32 for float, also inside seq(…) and map(…). */
const typeName = (type) => type?.replace(/tensor\((\w+)\)/g, '$1').replace(/\bfloat\b/g, 'float32').replace(/\bdouble\b/g, 'float64').replaceAll(' ', '');
const invented = (dim) => typeof dim === 'string' && /\bunk__\d/.test(dim);

const FUNCTIONS = ['floor', 'ceil', 'ceiling', 'Min', 'Max', 'min', 'max', 'Mod', 'mod', 'broadcast'];
const SIZES = [53, 97, 128, 211, 1000];

/** Whether two expressions are the same, or evaluate the same at several sizes of what they name. */
function sameDim(want, got, result) {
    if (String(want) === String(got)) return true;
    if (typeof want !== 'string' && typeof got !== 'string') return false;
    const names = [...new Set(`${want} ${got}`.match(/[\p{L}_][\p{L}\p{N}_.:]*/gu))].filter((name) => !FUNCTIONS.includes(name));
    return SIZES.every((size, k) => {
        const bindings = Object.fromEntries(names.map((name, i) => [name, size + 7 * i * (k + 1)]));
        try { return result.evaluate(want, bindings) === result.evaluate(got, bindings); } catch { return false; }
    });
}

/** Whether a shape is the row's; `wild` keeps what "?a" has matched. */
function sameShape(want, got, wild, result) {
    if (want == null || got === null) return want === got;
    return want.length === got.length && want.every((dim, i) => {
        if (dim === null) return invented(got[i]);
        if (typeof dim !== 'string' || dim[0] !== '?') return sameDim(dim, got[i], result);
        if (!wild.has(dim)) wild.set(dim, got[i]);
        return invented(got[i]) && wild.get(dim) === got[i];
    });
}

const plain = (element) => (typeof element === 'boolean' ? Number(element) : element);
const sameElement = (want, got, result) => want === got || String(want) === String(plain(got)) || (typeof want === 'string' && sameDim(want, got, result))
    || (typeof want === 'number' && typeof got === 'number' && Math.fround(want) === Math.fround(got));
const show = (value) => JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? String(v) : v));

/** What is not as the row says, or undefined. */
function check(row, opset) {
    const result = inferShapesSync(build(row, opset)), wild = new Map(), { diagnostics } = result;
    const said = diagnostics.map((d) => `${d.severity} ${d.code}: ${d.message}`).join('; ');
    if (row.error && !diagnostics.some((d) => d.severity === 'error' && d.code === row.error)) return `wanted error ${row.error}, got ${said || 'none'}`;
    if (!row.error && diagnostics.some((d) => d.severity === 'error')) return said;
    if (row.warn && !diagnostics.some((d) => d.severity !== 'error' && d.code === row.warn)) return `wanted ${row.warn}, got ${said || 'none'}`;
    for (const [i, want] of (row.out ?? []).entries()) {
        if (!want) continue;
        const got = result.get(`y${i}`);
        if (typeName(want[0]) !== (got.type ?? undefined) && !(got.type === null && (want[0] === null || row.error))) return `y${i}: wanted ${typeName(want[0])}, got ${got.type}; ${said}`;
        if (want[1] !== undefined && !sameShape(want[1], got.shape, wild, result)) return `y${i}: wanted ${show(want[1])}, got ${show(got.shape)}; ${said}`;
    }
    for (const [i, want] of (row.values ?? (row.value ? [row.value] : [])).entries()) {
        if (want == null) continue;
        const got = result.get(`y${i}`)?.content ?? [];
        if (want.length !== got.length || !want.every((element, k) => sameElement(element, got[k], result))) return `content of y${i}: wanted ${show(want)}, got ${show(got)}`;
    }
    const assumed = result.assumptions.map(({ lhs, rhs }) => `${lhs} >= ${rhs}`);
    if (row.assume && show(row.assume) !== show(assumed)) return `wanted assumptions ${show(row.assume)}, got ${show(assumed)}`;
    return undefined;
}

for (const [file, rows] of families) {
    test(file, async (t) => {
        for (const [op, list] of groupBy(rows, (row) => row.op)) {
            await t.test(`${op}: ${list.length} rows`, () => {
                const wrong = list.flatMap((row) => opsets(row).flatMap((opset) => {
                    let problem;
                    try { problem = check(row, opset); } catch (error) { problem = error.message; }
                    return problem ? [`${op} ${opset}, ${row.name}: ${problem}`] : [];
                }));
                assert.equal(wrong.join('\n'), '');
            });
        }
    });
}
