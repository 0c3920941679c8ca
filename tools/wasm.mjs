// Builds the WebAssembly modules, their embedded forms in js/, and wasm/build.json. Run by `make wasm`;
// `node tools/wasm.mjs shape` builds only that one.
//
// build.json records, for each module, a hash of its sources and flags, so that a test finds a module that was not
// built again, and the hashes and sizes of what came out, so that it can be compared where the compiler is the same.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { pack } from './pack.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(root, path));
/** SHA-256 in hex. */
export const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');
const files = (dir, pattern) => existsSync(join(root, dir))
    ? readdirSync(join(root, dir)).filter((name) => pattern.test(name)).sort().map((name) => `${dir}/${name}`) : [];

const FLAGS = ['-std=c11', '-Wall', '-Wextra', '-Wconversion', '-Wshadow', '-Werror', '-DNDEBUG', '-flto', '--no-entry',
    '-sSTANDALONE_WASM', '-Wl,--stack-first'];

// Emscripten inlines nothing on its own; what the sources call inline is worth it.
const FAST = ['-O1', '-finline-hint-functions'];

// A function with one caller becomes part of it while it is short. Engines begin to optimise what runs often during the first call: of whole
// functions, and longer ones take the processor from the call itself. One that does less than a call costs becomes part of all its callers.
const INLINED = '--one-caller-inline-max-function-size=124', TINY = '--always-inline-max-function-size=5';

// The kernel is built for speed: its calls inlined, its loop not unrolled, for most shapes have 2 to 5 dims.
// The model engine is built for size, but for `fast`: what runs for each field of a file, each size of a node and each row of a report. Instructions that
// every engine has had since 2021 make it smaller and faster. `apart` are files that link-time optimization does not see: it would have
// each caller pass what a function reads of its argument, which makes many callers longer. The lowest memory is the end of the stack: no
// pointer leads there, so that constants added to one may stand in its loads.
const MODULES = {
    shape: {
        flags: [...FLAGS, '-O2', '-fno-unroll-loops', '-sINITIAL_MEMORY=65536', '-sTOTAL_STACK=1024'],
        optimise: ['-O2'],
        sources: () => ['src/shape.c', 'src/shape.h', 'wasm/shape_exports.c', 'wasm/shape.txt'],
    },
    model: {
        flags: [...FLAGS, '-Oz', '-mbulk-memory', '-msign-ext', '-mnontrapping-fptoint', '-sINITIAL_MEMORY=1048576',
            '-sTOTAL_STACK=262144', '-sALLOW_MEMORY_GROWTH=1', `-sBINARYEN_EXTRA_PASSES=${INLINED}`],
        optimise: [INLINED, TINY, '--low-memory-unused', '--flatten', '--rereloop', '-Oz', '-Oz', '-tnh'],
        fast: ['src/wire.c', 'src/graph.c', 'src/skim.c', 'src/arena.c', 'src/dim.c', 'src/infer.c', 'src/report.c'],
        apart: ['src/ops/common.c'],
        sources: () => [...files('src', /\.(c|h|def)$/), ...files('src/ops', /\.(c|h|def)$/),
            ...files('wasm', /^(model.*\.(c|h|txt))$/)],
    },
};
const FEATURES = ['--enable-bulk-memory', '--enable-sign-ext', '--enable-nontrapping-float-to-int'];

/** Hash of everything that decides a module's bytes but the compiler. */
export function sourceHash(name) {
    const { flags, optimise, fast = [], apart = [], sources } = MODULES[name];
    return sha256(flags.join(' '), optimise.join(' '), fast.join(' '), FAST.join(' '), apart.join(' '), read('tools/pack.mjs'), ...sources().flatMap((path) => [`\n${path}\n`, read(path)]));
}

/** The installed emcc's version, or undefined. */
export function compiler() {
    try {
        return /\d+\.\d+\.\d+/.exec(execFileSync('emcc', ['--version'], { encoding: 'utf8' }))?.[0];
    } catch {
        return undefined;
    }
}

/** Names of the modules whose sources exist. */
export const modules = () => Object.keys(MODULES).filter((name) => existsSync(join(root, `wasm/${name}_exports.c`)));

/** Compiles a module from its sources and returns its bytes. */
export function build(name) {
    const { flags, optimise, fast = [], apart = [], sources } = MODULES[name];
    const out = join(root, 'build/wasm');
    mkdirSync(out, { recursive: true });
    const file = (suffix) => join(out, name + suffix);
    const run = (command, args) => execFileSync(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });

    const exported = read(`wasm/${name}.txt`).toString().split('\n').filter(Boolean);
    const compiled = sources().filter((path) => path.endsWith('.c')).map((path) => {
        if (!fast.includes(path) && !apart.includes(path)) return path;
        const object = file(`.${basename(path)}.o`), own = fast.includes(path) ? FAST : ['-fno-lto'];
        run('emcc', [...flags.filter((flag) => !/^-s[A-Z]|^-Wl,|^--/.test(flag)), ...own, '-c', path, '-o', object]);
        return object;
    });
    run('emcc', [...flags, `-sEXPORTED_FUNCTIONS=${exported.map((f) => `_${f}`)}`, '-o', file('.linked.wasm'),
        ...compiled]);
    // What Emscripten adds (its stack and start functions) is not reachable from the names exported.
    const reaches = ['memory', ...exported];
    writeFileSync(file('.json'), JSON.stringify([{ name: 'root', root: true, reaches },
        ...reaches.map((n) => ({ name: n, export: n }))]));
    run('wasm-metadce', [...FEATURES, file('.linked.wasm'), '-f', file('.json'), '-o', file('.kept.wasm')]);
    run('wasm-opt', [...FEATURES, ...optimise, file('.kept.wasm'), '-o', file('.wasm')]);

    const bytes = pack(readFileSync(file('.wasm')));
    const imports = WebAssembly.Module.imports(new WebAssembly.Module(bytes));
    if (imports.length > 0) throw new Error(`${name}.wasm imports ${imports.map((i) => i.name)}: it must need nothing`);
    return bytes;
}

/** Where a module stands embedded, and the text of that file with it: base64, which gzip packs into a third more than
 *  the module itself. The kernel is a line of js/index.js, so that the operator is one file; the engine has its own. */
export function embed(name, bytes) {
    const base64 = bytes.toString('base64');
    if (name !== 'shape') {
        return { path: `js/${name}-wasm.js`,
            text: `// ${name}.wasm in base64, made by \`make wasm\`.\nexport const bytes = '${base64}';\n` };
    }
    const text = read('js/index.js').toString(), line = /^const WASM = '.*';$/m;
    if (!line.test(text)) throw new Error("js/index.js has no line `const WASM = '';`: the kernel goes there");
    return { path: 'js/index.js', text: text.replace(line, `const WASM = '${base64}';`) };
}

function main(names) {
    const version = compiler();
    if (!version) throw new Error('emcc is not installed: run tools/setup.sh wasm');
    const file = join(root, 'wasm/build.json');
    const old = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    const record = { compiler: version, modules: old.compiler === version ? old.modules : {} };
    for (const name of names.length > 0 ? names : modules()) {
        const bytes = build(name), { path, text } = embed(name, bytes);
        writeFileSync(join(root, `wasm/${name}.wasm`), bytes);
        writeFileSync(join(root, path), text);
        record.modules[name] = { sources: sourceHash(name), sha256: sha256(bytes), bytes: bytes.length,
            gzip: gzipSync(bytes, { level: 9 }).length };
        writeFileSync(file, `${JSON.stringify(record, null, 4)}\n`);
        console.log(`wasm/${name}.wasm ${bytes.length} bytes, ${record.modules[name].gzip} gzip; `
            + `with it ${path} is ${gzipSync(text, { level: 9 }).length} gzip`);
    }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    try {
        main(process.argv.slice(2));
    } catch (error) {
        console.error(error.message);
        process.exitCode = 1;
    }
}
