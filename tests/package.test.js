// What a user installs: the packed package, its entries, and what a bundler makes of them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const temp = mkdtempSync(join(tmpdir(), 'onnx-shape-'));
after(() => rmSync(temp, { recursive: true, force: true }));

const [packed] = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', temp], { cwd: root, encoding: 'utf8' }));

test('the packed package holds what its manifest names, and no more', () => {
    const files = packed.files.map((file) => file.path);
    const named = [manifest.types, ...Object.values(manifest.bin), ...Object.values(manifest.exports).flatMap((entry) =>
        typeof entry === 'string' ? entry : Object.values(entry))].map((path) => path.replace(/^\.\//, ''));
    for (const path of named) assert.ok(files.includes(path), `${path} is not in the package`);
    for (const path of files) {
        assert.match(path, /^(js\/[\w-]+(\.d\.ts|\.js)|wasm\/(\w+\.wasm|build\.json)|docs\/\w+\.md|examples\/(cli\.md|text\.onnx|node\/shapes\.mjs)|bench\/RESULTS\.md|package\.json|(README|CHANGELOG|CONTRIBUTING)\.md|LICENSE)$/);
    }
    for (const [, target] of readFileSync(join(root, 'README.md'), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)) {
        assert.ok(files.some((path) => path.startsWith(target)), `${target}, to which README.md leads, is not in the package`);
    }
    assert.deepEqual(manifest.dependencies ?? {}, {});
});

test('answers at once in Node, whatever it gives away of its own modules', () => {
    const code = `delete process.getBuiltinModule;
        const { inferShapesSync } = await import('onnx-shape/model'), { readFileSync } = await import('node:fs');
        console.log(inferShapesSync(readFileSync('examples/text.onnx')).get('cls').shape);`;
    assert.equal(execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: root, encoding: 'utf8' }), "[ 'batch', 1, 16 ]\n");
});

test('publint', async () => {
    const tarball = readFileSync(join(temp, packed.filename));
    const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.length) } });
    assert.deepEqual(messages.map((message) => formatMessage(message, pkg)), []);
});

for (const lib of ['ES2022', 'ES2022,DOM']) {
    test(`the types stand alone with ${lib}`, () => {
        const file = join(temp, 'use.mts');
        writeFileSync(file, `import { inferShapes, load, type ModelSource } from ${JSON.stringify(join(root, 'js/model.js'))};
            const response = await fetch('model.onnx'), sources: ModelSource[] = [response.body!, new Blob([]).stream()];
            await load(response);
            console.log(await inferShapes(sources[0]!));`);
        execFileSync(join(root, 'node_modules/.bin/tsc'), ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', lib,
            '--types', 'node', '--typeRoots', join(root, 'node_modules/@types'), file], { encoding: 'utf8' });
    });
}

test('the lock file names no registry', () => {
    assert.doesNotMatch(readFileSync(join(root, 'package-lock.json'), 'utf8'), /"resolved"|registry/);
});

for (const [entry, names] of [['onnx-shape', 'shape, shapeInto, shapeVersions'], ['onnx-shape/model', 'inferShapes'],
    ['onnx-shape/model-inline', 'inferShapes']]) {
    const path = manifest.exports[entry.replace('onnx-shape', '.')].default;
    test(`esbuild bundles ${entry} for a page without a warning`, { skip: !existsSync(join(root, path)) }, async () => {
        const result = await build({ stdin: { contents: `import { ${names} } from '${entry}'; console.log(${names});`, resolveDir: root },
            bundle: true, write: false, format: 'esm', platform: 'browser', target: 'es2022', minify: true, logLevel: 'silent' });
        assert.deepEqual([...result.errors, ...result.warnings], []);
        if (entry === 'onnx-shape') assert.match(result.outputFiles[0].text, /AGFzbQ/); // the kernel is in it
    });
}

/** What a bundle prints. */
async function bundled(contents, format) {
    const outfile = join(temp, `bundle.${format === 'esm' ? 'mjs' : 'cjs'}`);
    await build({ stdin: { contents: `import { readFileSync } from 'node:fs'; ${contents}`, resolveDir: root }, bundle: true, outfile, format, platform: 'node', logLevel: 'silent' });
    return execFileSync(process.execPath, [outfile], { cwd: root, encoding: 'utf8' });
}

test('a bundle that leaves the engine behind says what to do, until load() is told where it is', async () => {
    for (const format of ['esm', 'cjs', 'iife']) {
        for (const call of ['inferShapes', 'inferShapesSync']) {
            const use = `(async () => ${call}(readFileSync('examples/text.onnx')))().then(({ values }) => console.log(values.length), ({ message }) => console.log(message));`;
            const path = JSON.stringify(new URL('../wasm/model.wasm', import.meta.url).href);
            assert.match(await bundled(`import { ${call} } from 'onnx-shape/model'; ${use}`, format), /model\.wasm .*: pass load\(\) /, `${call}, ${format}`);
            assert.equal(await bundled(`import { ${call}, load } from 'onnx-shape/model'; load(${path}).then(() => { ${use} });`, format), '18\n', `${call}, ${format}`);
            assert.equal(await bundled(`import { ${call} } from 'onnx-shape/model-inline'; ${use}`, format), '18\n', `${call}, ${format}, embedded`);
        }
    }
});

test('what a page does not import stays out of its bundle', async () => {
    const result = await build({ stdin: { contents: "import 'onnx-shape';", resolveDir: root }, bundle: true, write: false,
        format: 'esm', platform: 'browser', logLevel: 'silent' });
    assert.doesNotMatch(result.outputFiles[0].text, /WebAssembly/);
});
