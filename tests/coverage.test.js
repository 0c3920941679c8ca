// Whether every operator has a rule, and rows in tests/data/ops, and every rule rows for what rules rely on; what is
// left out stands with its reason in tests/data/exceptions.json. And whether docs/coverage.md tells the same.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { exceptions, markdown, operators, ours, rules } from '../tools/coverage.mjs';
import { named } from '../tools/schema.mjs';
import { families, groupBy } from './rows.js';

const name = (domain, op) => `${domain || 'ai.onnx'}::${op}`;
const list = operators();
const left = exceptions();

/** Domains whose operators each need rows; the others hold ONNX Runtime's internal layouts of the same operators, and PyTorch's. */
const ROWS = ['', 'ai.onnx.ml', 'ai.onnx.preview', 'ai.onnx.preview.training', 'com.microsoft'];

const rows = groupBy(families.flatMap(([, list]) => list), ({ domain = '', op }) => name(domain, op));

/** What is missing and not excepted, and what is excepted and not missing. */
function compare(missing, excepted) {
    const reasons = new Map(excepted.map(({ domain, op, reason }) => [name(domain, op), reason]));
    const found = new Set(missing.map(({ domain, op }) => name(domain, op)));
    for (const { domain, op, versions } of missing) {
        const reason = reasons.get(name(domain, op));
        console.log(`${name(domain, op)} ${versions.join(' ')}: ${reason ?? 'MISSING'}`);
    }
    return {
        missing: [...found].filter((op) => !reasons.has(op)),
        needless: [...reasons.keys()].filter((op) => !found.has(op)),
        withoutReason: excepted.filter(({ reason }) => !reason).map(({ domain, op }) => name(domain, op)),
    };
}

const none = { missing: [], needless: [], withoutReason: [] };

test('every operator has a rule, or is excepted', () => {
    const has = ours(), missing = list.filter(({ domain, op }) => !has(domain, op));
    assert.deepEqual(compare(missing, left.rules), none);
});

test('every operator has rows in tests/data/ops, or is excepted', () => {
    const missing = list.filter(({ domain, op }) => ROWS.includes(domain) && !rows.has(name(domain, op)));
    assert.deepEqual(compare(missing, left.rows), none);
});

/** What a rule may rely on in an input's shape without noticing. */
const SHAPES = { 'unknown rank': (shape) => shape == null, 'rank 0': (shape) => shape?.length === 0, 'size 0': (shape) => !!shape?.includes(0) };

test('every rule has rows with an input of unknown rank, of rank 0 and with a size of 0, or is excepted', () => {
    const served = groupBy(rules(), ({ op, rule }) => (rule.startsWith('infer_') ? rule : `pattern of ${op}`));
    const lacks = [...served].flatMap(([rule, list]) => {
        const shapes = list.flatMap(({ domain, op }) => rows.get(name(domain, op)) ?? []).flatMap((row) => row.in.filter(Boolean).map(([, shape]) => shape));
        return Object.keys(SHAPES).filter((kind) => !shapes.some(SHAPES[kind])).map((kind) => `${rule}: ${kind}`);
    });
    const excepted = left.shapes.flatMap(({ rule, lacks: kinds, reason }) => kinds.map((kind) => `${rule}: ${kind}${reason ? '' : ' without a reason'}`));
    assert.deepEqual(lacks.sort(), excepted.sort());
});

test('each row of the table of rules is of an operator that a schema has, and comes once', () => {
    const known = new Set(list.map(({ domain, op }) => name(domain, op)));
    assert.deepEqual(rules().filter(({ domain, op }) => !known.has(name(domain, op))), []);
    const keys = rules().map(({ domain, op }) => name(domain, op));
    assert.deepEqual(keys.filter((item, i) => keys.indexOf(item) !== i), []);
});

test('no source names an attribute whose default the schema table leaves out', () => {
    const table = readFileSync(new URL('../src/schema_table.c', import.meta.url), 'utf8');
    const unread = /Defaults left out[^:]*:([^/]*)/.exec(table)[1].match(/\w+/g), words = named();
    assert.ok(unread.length > 100 && words.size > 100);
    assert.deepEqual(unread.filter((word) => words.has(word)), [], 'run node tools/schema.mjs');
});

test('docs/coverage.md is what tools/coverage.mjs writes', () => {
    assert.equal(readFileSync(new URL('../docs/coverage.md', import.meta.url), 'utf8') === markdown(), true, 'run node tools/coverage.mjs');
});
