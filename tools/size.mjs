// Bytes of what is shipped, against wasm/budget.json: rows { what, files, raw?, gzip? }. A .js file marked `bundle` counts as a page
// loads it: bundled with what it imports, and minified. A gzip size is the sum over the files. Fails above a budget.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(root, path));

/** The file and all that it imports at once, as one minified module. */
function bundled(path) {
    const { outputFiles, metafile } = buildSync({ entryPoints: [join(root, path)], bundle: true, minify: true, format: 'esm', splitting: true,
        platform: 'browser', target: 'es2022', outdir: join(root, 'build/size'), write: false, metafile: true, logLevel: 'error',
        absWorkingDir: root });
    const loaded = new Set(Object.keys(metafile.outputs).filter((name) => metafile.outputs[name].entryPoint === path));
    for (const name of loaded) {
        for (const { kind, path: to } of metafile.outputs[name].imports) if (kind === 'import-statement') loaded.add(to);
    }
    return Buffer.concat([...loaded].map((name) => outputFiles.find((file) => file.path === join(root, name)).contents));
}

let over = 0;
for (const { what, files, bundle, ...budget } of JSON.parse(read('wasm/budget.json'))) {
    const missing = files.filter((path) => !existsSync(join(root, path)));
    if (missing.length > 0) {
        console.log(`${what}: ${missing} is not built`);
        continue;
    }
    const all = files.map((path) => bundle && path.endsWith('.js') ? bundled(path) : read(path));
    const size = { raw: all.reduce((sum, bytes) => sum + bytes.length, 0),
        gzip: all.reduce((sum, bytes) => sum + gzipSync(bytes, { level: 9 }).length, 0) };
    for (const [kind, limit] of Object.entries(budget)) {
        if (size[kind] > limit) over++;
        console.log(`${what}: ${size[kind]} bytes ${kind}, ${size[kind] > limit ? 'OVER THE' : 'of a'} budget of ${limit} (${files.join(', ')})`);
    }
}
process.exitCode = over > 0 ? 1 : 0;
