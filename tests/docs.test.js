// Whether what the documents say is so: code blocks run, commands give the output shown, lists are not stale, links lead somewhere.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { text } from '../examples/model.mjs';
import { markdown } from '../tools/diagnostics.mjs';
import { CODES } from '../js/layout.js';

const root = fileURLToPath(new URL('..', import.meta.url)), examples = join(root, 'examples');
const temp = mkdtempSync(join(tmpdir(), 'onnx-shape-'));
after(() => rmSync(temp, { recursive: true, force: true }));

const read = (path) => readFileSync(join(root, path), 'utf8');
/** Fenced blocks of a language: their text, and the line they begin at. */
const blocks = (path, language) => [...read(path).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))]
    .map((match) => ({ code: match[1], at: `${path}:${read(path).slice(0, match.index).split('\n').length + 1}` }));

// ---- code ----

/** In front of a block: `is` compares a value with what the comment behind it says; of an object, only the keys that are said. */
const CHECK = `import $assert from 'node:assert/strict';
let $count = 0;
const $plain = (v) => (ArrayBuffer.isView(v) ? Array.from(v) : v);
const $is = (got, want) => {
    got = $plain(got); $count++;
    if (want && typeof want === 'object' && !Array.isArray(want)) got = Object.fromEntries(Object.keys(want).map((key) => [key, got[key]]));
    $assert.deepEqual(got, want);
};
process.on('exit', () => console.log($count));
`;
const checked = (code) => CHECK + code.replace(/^(?!(?:const|let|import) )(\S.*);\s+\/\/ ([[{'\d]\S*.*|true)$/gm, '$is($1, ($2));');

for (const { code, at } of blocks('README.md', 'js')) {
    test(`${at} runs, and gives what it says`, () => {
        const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-'], { input: checked(code), cwd: examples, encoding: 'utf8' });
        assert.equal(status, 0, stderr);
        assert.ok(Number(stdout) > 0, 'no line of the block says what it gives');
    });
}

test('a comment that lies is found', () => {
    for (const lie of ['1 + 1;  // 3', '({ a: 1 });  // { a: 2 }', '[1];  // [1, 2]']) {
        assert.equal(spawnSync(process.execPath, ['--input-type=module', '-'], { input: checked(lie), encoding: 'utf8' }).status, 1, lie);
    }
    const [{ code }] = blocks('README.md', 'js');
    assert.ok(checked(code).split('$is(').length > 4);
});

// ---- commands ----

/** npx as the shell finds it, with this package in place of an installed one. */
const npx = join(temp, 'npx');
writeFileSync(npx, `#!/bin/sh\nshift\nexec "${process.execPath}" "${join(root, 'js/cli.js')}" "$@"\n`);
chmodSync(npx, 0o755);
const path = [temp, dirname(process.execPath), process.env.PATH].join(delimiter);

/** Without progress, which a busy machine may tell, and the measured memory. */
const steady = (output) => output.replace(/^onnx-shape: .*, \d+\.\d s\n/gm, '').replace(/\d+\.\d MiB of memory/g, '# MiB of memory');

for (const { code, at } of ['README.md', 'examples/cli.md'].flatMap((file) => blocks(file, 'console'))) {
    for (const [, command, output] of code.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)) {
        test(`${at}: ${command}`, () => {
            const { stdout, stderr } = spawnSync('/bin/sh', ['-c', command], { cwd: examples, encoding: 'utf8', env: { ...process.env, PATH: path, COLUMNS: '' } });
            assert.equal(steady(stdout + stderr), steady(output));
            const [told, shown] = [stdout, output].map((text) => Number(/(\d+\.\d) MiB of memory/.exec(text)?.[1] ?? 0));
            assert.ok(Math.abs(told - shown) < 0.25, `${told} MiB of memory`);
        });
    }
}

test('the documents have commands and code', () => {
    assert.ok(blocks('README.md', 'js').length >= 5);
    assert.ok(blocks('README.md', 'console').length >= 1);
    assert.ok(blocks('examples/cli.md', 'console').length >= 4);
});

test('examples/text.onnx is what examples/model.mjs writes', () => {
    assert.ok(readFileSync(join(examples, 'text.onnx')).equals(text()), 'run node examples/model.mjs');
});

test('examples/node/shapes.mjs', () => {
    const run = (...args) => spawnSync(process.execPath, ['node/shapes.mjs', ...args], { cwd: examples, encoding: 'utf8' });
    const { status, stdout } = run('text.onnx', 'batch=1');
    assert.equal(status, 0);
    assert.match(stdout, /^input tokens: int64 \[1, seq\]\noutput weights: float32 \[1, 4, seq, seq\]\noutput label: unknown type of unknown rank\nseq \(declared\): axis 1 of tokens\n/);
    for (const path of ['model.mjs', 'absent.onnx']) assert.match(run(path).stderr, new RegExp(`^${path}: [^\\n]+\\n$`));
    assert.equal(run('model.mjs').status, 1);
    assert.equal(run().status, 2);
});

test('goals that the README names are in the Makefile', () => {
    const goals = [...read('README.md').matchAll(/\bmake ([a-z]+)/g)].map((match) => match[1]);
    assert.ok(goals.includes('run') && goals.includes('test'));
    for (const goal of goals) assert.match(read('Makefile'), new RegExp(`^${goal}:`, 'm'));
});

test('options and members that the README names exist', () => {
    const types = read('js/model.d.ts');
    const named = [...read('README.md').matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap((match) => match[1].match(/\w+/g));
    assert.ok(named.length >= 5);
    for (const name of named) assert.match(types, new RegExp(`^ {4}(?:readonly )?${name}\\??:`, 'm'), name);
});

// ---- lists and links ----

test('docs/diagnostics.md is what tools/diagnostics.mjs writes', () => {
    assert.ok(read('docs/diagnostics.md') === markdown(), 'run node tools/diagnostics.mjs');
});

test('every code of the package is in docs/diagnostics.md', () => {
    const told = [...read('docs/diagnostics.md').matchAll(/^\| `([\w-]+)`/gm)].map((match) => match[1]);
    assert.deepEqual(CODES.filter((code) => code && !told.includes(code)), ['bad-option']);
});

for (const file of ['README.md', 'CONTRIBUTING.md', 'examples/cli.md', 'docs/diagnostics.md']) {
    test(`links of ${file} lead somewhere`, () => {
        for (const [, target] of read(file).matchAll(/\]\((?!https?:)([^)#]+)/g)) assert.ok(existsSync(join(root, dirname(file), target)), target);
    });
}
