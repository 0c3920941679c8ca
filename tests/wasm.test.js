// The committed modules are the ones their sources give, and need nothing from outside.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { build, compiler, embed, modules, sha256, sourceHash } from '../tools/wasm.mjs';

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url));
const record = JSON.parse(read('wasm/build.json'));

test('build.json names every module', () => {
    assert.deepEqual(Object.keys(record.modules), modules());
});

for (const name of modules()) {
    test(`${name}.wasm`, (t) => {
        const bytes = read(`wasm/${name}.wasm`), { sources, sha256: hash, bytes: size } = record.modules[name] ?? {};
        assert.equal(sourceHash(name), sources, `wasm/${name}.wasm is older than its sources: run make wasm`);
        assert.equal(sha256(bytes), hash, 'it is not the file that build.json records: run make wasm');
        assert.equal(bytes.length, size);
        const module = new WebAssembly.Module(bytes);
        assert.deepEqual(WebAssembly.Module.imports(module), []);
        assert.deepEqual(WebAssembly.Module.exports(module).map((e) => e.name).sort(),
            ['memory', ...read(`wasm/${name}.txt`).toString().trim().split('\n')].sort());
        const { path, text } = embed(name, bytes);
        assert.ok(existsSync(new URL(`../${path}`, import.meta.url)) && read(path).toString() === text,
            `${path} does not hold this module: run make wasm`);

        if (compiler() !== record.compiler) return t.diagnostic(`emcc ${record.compiler} is not here: bytes not compared`);
        assert.ok(build(name).equals(bytes), `wasm/${name}.wasm is not what its sources give: run make wasm`);
    });
}
