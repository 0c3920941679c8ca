// Bytes of what is shipped, against wasm/budget.json: rows { what, files, imports?, raw?, gzip? }. `imports` adds the
// project's files that a .js file imports. A gzip size is the sum over the files. Fails above a budget.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(root, path));

/** The file and, by static imports with a relative path, those it needs. */
function closure(path, found = new Set()) {
    if (found.has(path)) return found;
    found.add(path);
    if (path.endsWith('.js')) {
        for (const [, to] of read(path).toString().matchAll(/^(?:import|export)\b[^;]*?['"](\.[^'"]+)['"]/gm)) {
            closure(normalize(join(dirname(path), to)), found);
        }
    }
    return found;
}

let over = 0;
for (const { what, files, imports, ...budget } of JSON.parse(read('wasm/budget.json'))) {
    const missing = files.filter((path) => !existsSync(join(root, path)));
    if (missing.length > 0) {
        console.log(`${what}: ${missing} is not built`);
        continue;
    }
    const all = [...new Set(files.flatMap((path) => imports ? [...closure(path)] : path))].map(read);
    const size = { raw: all.reduce((sum, bytes) => sum + bytes.length, 0),
        gzip: all.reduce((sum, bytes) => sum + gzipSync(bytes, { level: 9 }).length, 0) };
    for (const [kind, limit] of Object.entries(budget)) {
        if (size[kind] > limit) over++;
        console.log(`${what}: ${size[kind]} bytes ${kind}, ${size[kind] > limit ? 'OVER THE' : 'of a'} budget of ${limit} (${files.join(', ')})`);
    }
}
process.exitCode = over > 0 ? 1 : 0;
