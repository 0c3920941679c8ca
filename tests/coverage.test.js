// Whether every operator version has a rule, and every operator rows in tests/data/ops; what is left out stands with its reason in
// tests/data/exceptions.json. And whether docs/coverage.md tells the same.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { exceptions, markdown, operators, ours, rules } from '../tools/coverage.mjs';

const data = new URL('data/', import.meta.url);
const name = (domain, op) => `${domain || 'ai.onnx'}::${op}`;
const list = operators();
const left = exceptions();

/** Domains whose operators each need rows; the others hold ONNX Runtime's internal layouts of the same operators, and PyTorch's. */
const ROWS = ['', 'ai.onnx.ml', 'ai.onnx.preview', 'ai.onnx.preview.training', 'com.microsoft'];

const rows = new Set(readdirSync(new URL('ops/', data)).filter((file) => file.endsWith('.json'))
    .flatMap((file) => JSON.parse(readFileSync(new URL(`ops/${file}`, data), 'utf8')))
    .map(({ domain = '', op }) => name(domain, op)));

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

test('every operator version has a rule, or is excepted', () => {
    const has = ours();
    const missing = list.map(({ domain, op, versions }) => ({ domain, op, versions: versions.filter((v) => !has(domain, op, v)) }))
        .filter(({ versions }) => versions.length);
    assert.deepEqual(compare(missing, left.rules), none);
});

test('every operator has rows in tests/data/ops, or is excepted', () => {
    const missing = list.filter(({ domain, op }) => ROWS.includes(domain) && !rows.has(name(domain, op)));
    assert.deepEqual(compare(missing, left.rows), none);
});

test('each row of the table of rules is of an operator that a schema has, and comes once', () => {
    const known = new Set(list.map(({ domain, op }) => name(domain, op)));
    assert.deepEqual(rules().filter(({ domain, op }) => !known.has(name(domain, op))), []);
    const keys = rules().map(({ domain, op, since }) => `${name(domain, op)} ${since}`);
    assert.deepEqual(keys.filter((item, i) => keys.indexOf(item) !== i), []);
});

test('no source names an attribute whose default the schema table leaves out', () => {
    const src = new URL('../src/', import.meta.url), table = readFileSync(new URL('schema_table.c', src), 'utf8');
    const unread = new Set(/Defaults left out[^:]*:([^/]*)/.exec(table)[1].match(/\w+/g));
    const sources = ['', 'ops/'].flatMap((folder) => readdirSync(new URL(folder, src)).filter((file) => /\.[ch]$/.test(file) && file !== 'schema_table.c')
        .map((file) => readFileSync(new URL(folder + file, src), 'utf8')));
    const words = sources.flatMap((text) => [...text.matchAll(/["=!](\w+)(?=[": ])/g)].map(([, word]) => word));
    assert.ok(unread.size > 100);
    assert.deepEqual(words.filter((word) => unread.has(word)), [], 'run node tools/schema.mjs');
});

test('docs/coverage.md is what tools/coverage.mjs writes', () => {
    assert.equal(readFileSync(new URL('../docs/coverage.md', import.meta.url), 'utf8') === markdown(), true, 'run node tools/coverage.mjs');
});
