#!/usr/bin/env node
/* onnx-shape MODEL…: every tensor of a model, on a terminal. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { CODES, SENTENCES } from './layout.js';
import { ModelError, inferShapes } from './model-node.js';

/** @import { Dim, Diagnostic, InferResult, Progress, Value, WhyStep } from './model.d.ts' */

const HELP = `Usage: onnx-shape [options] MODEL…

Lists the type and shape of every tensor in each ONNX model, without reading its weights. MODEL is a path, a URL,
or - for standard input.

  --json                 one line of JSON for each model
  --bind NAME=VALUE      give the free dimension NAME a size; may be repeated
  --input NAME=1,3,H,?   give an input a shape: sizes, names, ? for an unknown one; may be repeated
  --strict               stop at the first contradiction, missing type or unknown operator
  --why NAME             the way back from a value to the inputs through which its shape, or the lack of it, came
  --help, --version

Exit codes: 0 done; 1 a model contradicts itself, or --strict stopped; 2 usage; 3 the input could not be read as a model, or the output not written.
`;
const DONE = 0, CONTRADICTION = 1, USAGE = 2, UNREADABLE = 3;
const MISTYPED = 'unknown-name';     // of --bind and --input: always told
const SHOWN = 20;                   // diagnostics of a model; --json has all
const PATIENCE = 500;               // milliseconds before progress is told

class UsageError extends Error {}

/** Text of a model's on one line, and nothing that a terminal would obey. @param {string} text */
const clean = (text) => text.replace(/[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '\ufffd');

/** A message without the advice that only a program can follow. @param {string} message */
const plain = (message) => clean(message.replace(/ \([^()]*\b(?:options|limits)\.\w[^()]*\)/g, ''));

/** @param {string} message */
const complain = (message) => process.stderr.write(`onnx-shape: ${plain(message)}\n`);

/** @param {string} text @param {string} option @returns {[string, string]} */
function splitOption(text, option) {
    const at = text.lastIndexOf('=');
    if (at < 1) throw new UsageError(`${option} ${text}: write it as ${option === '--bind' ? '--bind NAME=VALUE' : '--input NAME=1,3,224,224'}`);
    return [text.slice(0, at), text.slice(at + 1)];
}

/** A size, where a text is one. @param {string} text */
const size = (text) => /^\d+$/.test(text) && BigInt(text) < 2n ** 63n ? BigInt(text) : undefined;

/** @param {string[]} args */
function parse(args) {
    let parsed;
    try {
        parsed = parseArgs({ args, allowPositionals: true, options: {
            json: { type: 'boolean' }, strict: { type: 'boolean' }, help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' },
            bind: { type: 'string', multiple: true }, input: { type: 'string', multiple: true }, why: { type: 'string' },
        } });
    } catch (error) {
        throw new UsageError(`${/** @type {Error} */ (error).message.split('. ')[0]}; try onnx-shape --help`);
    }
    const { values, positionals } = parsed;
    // Without a prototype, for a name may be __proto__.
    /** @type {Record<string, bigint>} */
    const freeDimensionOverrides = Object.create(null);
    /** @type {Record<string, (bigint | string | null)[]>} */
    const inputs = Object.create(null);
    for (const text of values.bind ?? []) {
        const [name, value] = splitOption(text, '--bind'), given = size(value);
        if (given === undefined) throw new UsageError(`--bind ${text}: ${value ? `${value} is no size` : 'no size is given'}; give an integer, 0 to 2^63 - 1`);
        freeDimensionOverrides[name] = given;
    }
    for (const text of values.input ?? []) {
        const [name, value] = splitOption(text, '--input'), shape = value.trim().replace(/^\[(.*)\]$/, '$1');       // as the table writes it, too
        inputs[name] = shape.trim() === '' ? [] : shape.split(',').map((dim) => dim.trim()).map((dim) => {
            const given = size(dim);
            if (dim === '' || dim[0] === '-' || given === undefined && /^[\d.][\d. x]*$/.test(dim)) throw new UsageError(`--input ${text}: ${dim ? `${dim} is no size` : 'one size is left out'}; give sizes, names or ?`);
            return dim === '?' ? null : given ?? dim;
        });
    }
    if (!values.help && !values.version && positionals.length === 0) throw new UsageError('no model is named; try onnx-shape --help');
    if (positionals.indexOf('-') !== positionals.lastIndexOf('-')) throw new UsageError('- is standard input, which is read once: name it once');
    if (values.json && values.why !== undefined) throw new UsageError('--json and --why exclude each other');
    return { ...values, models: positionals, options: { freeDimensionOverrides, inputs, strict: !!values.strict } };
}

/* ---- the table ---- */

/** @param {Dim[] | null} shape */
const shapeText = (shape) => shape ? `[${shape.join(', ')}]` : '?';

/** Columns of a terminal. Wide characters take two, as those beyond the first plane have two units. @param {string} text */
const columns = (text) => text.replace(/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]/g, '  ').length;

/** @param {string} text @param {number} width */
function fit(text, width) {
    if (columns(text) > width) {
        const letters = [...text], half = Math.floor((width - 1) / 2);
        let head = '', tail = '';
        for (const c of letters) if (columns(head += c) > width - 1 - half) { head = head.slice(0, -c.length); break; }
        for (const c of letters.reverse()) if (columns(tail = c + tail) > half) { tail = tail.slice(c.length); break; }
        text = `${head}…${tail}`;
    }
    return text + ' '.repeat(Math.max(0, width - columns(text)));
}

/** A shape whose long names give way first, so that each axis is seen. @param {Dim[] | null} shape @param {number} width */
function fitShape(shape, width) {
    const text = clean(shapeText(shape));
    if (!shape || columns(text) <= width) return fit(text, width);
    const dims = shape.map((dim) => clean(String(dim)));
    for (let most = Math.max(...dims.map(columns)) - 1; most > 2; most--) {
        const shorter = `[${dims.map((dim) => fit(dim, most).trimEnd()).join(', ')}]`;
        if (columns(shorter) <= width) return fit(shorter, width);
    }
    return fit(text, width);
}

const HEAD = ['name', 'type', 'shape', 'kind', 'operator'], NAME = 0, SHAPE = 2, OPERATOR = 4;

/** Widths of columns that together fit: names and operators give way before shapes do. @param {number[]} width what each would take @param {number} room */
function narrow(width, room) {
    let over = width.reduce((a, b) => a + b, 2 * (width.length - 1)) - room;
    for (const [columns, least] of /** @type {[number[], number][]} */ ([[[NAME, OPERATOR], 16], [[SHAPE], 24], [[NAME, OPERATOR], 10], [width.map((_, i) => i), 1]])) {
        for (; over > 0; over--) {
            const widest = columns.reduce((a, b) => (width[b] > width[a] ? b : a));
            if (width[widest] <= least) break;
            width[widest]--;
        }
    }
    return width;
}

const PIECE = 1000;                 // rows between two words of progress

/** The table and its summary in pieces, and how far that is. What takes long comes without text. @param {InferResult} result @param {number} room
 * @returns {Generator<[text: string, progress: () => string]>} */
function* table(result, room) {
    /** Of each graph what makes its values. @type {Map<string, Map<string, string>>} */
    const graphs = new Map();
    let done = 0, out = '', graph = '';
    for (const { graph, domain, op, outputs } of result.each('nodes')) {
        let ops = graphs.get(graph);
        if (!ops) graphs.set(graph, ops = new Map());
        for (const name of outputs) ops.set(name, domain ? `${domain}::${op}` : op);
        if (++done % PIECE === 0) yield ['', () => `${grouped(done)} nodes looked at`];
    }
    /** @param {Value} v */
    const cells = (v) => [v.name, v.type ?? '?', shapeText(v.shape), v.kind, v.node === null ? '' : graphs.get(v.graph)?.get(v.name) ?? ''].map(clean);
    const wanted = HEAD.map(columns), counts = { values: 0, known: 0, symbolic: 0 };
    for (const v of result.each('values')) {
        cells(v).forEach((text, i) => { wanted[i] = Math.max(wanted[i], columns(text)); });
        if (v.type !== null && v.shape !== null) counts[v.shape.every((dim) => typeof dim !== 'string') ? 'known' : 'symbolic']++;
        if (++counts.values % PIECE === 0) yield ['', () => `${grouped(counts.values)} values looked at`];
    }
    const width = narrow(wanted, room);
    /** @param {string[]} row @param {Dim[] | null} [shape] */
    const line = (row, shape) => `${row.map((text, i) => (shape && i === SHAPE ? fitShape(shape, width[i]) : fit(text, width[i]))).join('  ').trimEnd()}\n`;
    const progress = () => `${grouped(done)} of ${grouped(counts.values)} values written`;
    out += line(HEAD);
    done = 0;
    for (const v of result.each('values')) {
        if (v.graph !== graph) out += `\n${fit(clean(graph = v.graph), Math.min(room, columns(graph))).trimEnd()}\n`;
        out += line(cells(v), v.shape);
        if (++done % PIECE) continue;
        yield [out, progress];
        out = '';
    }
    yield [`${out}\n${summary(counts, result.stats, room)}`, progress];
}

/** @param {number} n */
const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

/** @param {{ values: number, known: number, symbolic: number }} counts @param {InferResult['stats']} stats @param {number} room */
function summary({ values, known, symbolic }, stats, room) {
    const text = `${grouped(values)} values: ${grouped(known)} fully known, ${grouped(symbolic)} symbolic, ${grouped(values - known - symbolic)} unknown; `
        + `read ${grouped(stats.bytesRead)} of ${grouped(stats.size)} bytes; ${(stats.memory / 2 ** 20).toFixed(1)} MiB of memory at most`;
    let line = 0;
    return `${text.replace(/ ?\S+/g, (word) => {
        line += word.length;
        if (line <= room) return word;
        line = word.length - 1;
        return `\n${word.slice(1)}`;
    })}\n`;
}

/** @param {readonly Diagnostic[]} diagnostics */
function problems(diagnostics) {
    const told = diagnostics.filter((d) => d.severity !== 'info' || d.code === MISTYPED);
    const lines = told.slice(0, SHOWN).map((d) => `${d.severity} ${d.code}: ${plain(d.message)}${d.graph && ` (in ${clean(d.graph)})`}\n`);
    if (told.length > SHOWN) lines.push(`… and ${told.length - SHOWN} more; --json has all\n`);
    return lines.join('');
}

/** @param {InferResult} result @param {string} asked */
function explain(result, asked) {
    const value = result.get(asked) ?? result.values.find((v) => `${v.graph}/${v.name}` === asked) ?? result.values.find((v) => v.name === asked);
    if (!value) {
        const near = result.values.filter((v) => v.name && (v.name.includes(asked) || asked.includes(v.name))).slice(0, 3).map((v) => v.name);
        throw new UsageError(`--why ${asked}: no value has that name${near.length ? `; did you mean ${near.join(', ')}` : ''}`);
    }
    const steps = result.why(value.name, value.graph), passes = steps.map((step, i) => step.from.length === 1 && step.notes.length === 0
        && i > 0 && step.from[0].value === steps[i + 1]?.name && shapeText(step.shape) === shapeText(steps[i + 1].shape)
        && shapeText(step.shape) === shapeText(steps[i - 1].shape));
    let out = '';
    for (let i = 0; i < steps.length; i++) {
        let run = 0;
        while (passes[i + run]) run++;
        if (run < 2) out += stepText(steps[i]);
        else out += `    … ${run} nodes that keep the shape\n`, i += run - 1;
    }
    return out;
}

/** @param {WhyStep} step */
function stepText(step) {
    const made = step.op ? `${step.op} ${step.node}` : step.kind, name = step.graph ? `${step.graph}/${step.name}` : step.name;
    const from = step.from.map((f) => `${f.value} (${f.read})`).join(', ');
    return `${clean(`${name}  ${step.type ?? '?'} ${shapeText(step.shape)}  ${made}${from && `, from ${from}`}`)}\n`
        + step.notes.map((note) => `    ${plain(note)}\n`).join('');
}

/* ---- a model ---- */

/** Tells how far it is, once it takes long. @param {string} name */
function watch(name) {
    const { stderr } = process, start = performance.now();
    let what = () => 'opening', told = start;
    const tell = (wait = PATIENCE) => {
        const now = performance.now();
        if (now - told < wait || now - start < PATIENCE) return;
        const line = `onnx-shape: ${clean(name)}: ${what()}, ${((now - start) / 1000).toFixed(1)} s`;
        stderr.write(stderr.isTTY ? `\r\x1b[K${fit(line, Math.min(columns(line), (stderr.columns || 80) - 1))}` : `${line}\n`);
        told = now;
    };
    const timer = setInterval(() => tell(), PATIENCE / 2).unref();      // where nothing comes; else it is told while nobody waits, too
    return {
        /** @param {() => string} now how far it is, when that is told @param {number} [wait] milliseconds since it was told last */
        at(now, wait) {
            what = now;
            tell(wait);
        },
        /** @param {Progress} progress */
        onProgress({ phase, bytesRead, nodesDone, nodes }) {        // of standard input also what is passed by
            this.at(() => (phase === 'read' ? `${grouped(name === '-' ? process.stdin.bytesRead : bytesRead)} bytes read` : `${grouped(nodesDone)} of ${grouped(nodes)} nodes`));
        },
        stop() {
            clearInterval(timer);
            if (told > start && told < Infinity && stderr.isTTY) stderr.write('\r\x1b[K');
            told = Infinity;        // nothing more is
        },
    };
}

/** @param {unknown} error @param {string} path */
function reason(error, path) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ENOENT') return 'no such file; check the path';
    if (code === 'EACCES') return 'not permitted to read it';
    if (error instanceof ModelError) return message;
    return message.replace(/^the source is .*/, 'no address; check the URL').replace(`${path} `, '');
}

/** What is to be written, in pieces, and how far that is. @param {InferResult} result @param {ReturnType<typeof parse>} settings
 * @returns {Generator<[text: string, progress: () => string]>} */
function* output(result, { json, why }) {
    let done = 0;
    if (why !== undefined) yield [explain(result, why), () => 'written'];
    else if (json) {
        for (const text of result.pieces()) {
            done += text.length;
            yield [text, () => `${grouped(done)} characters written`];
        }
        yield ['\n', () => 'written'];
    } else yield* table(result, process.stdout.columns || Number(process.env.COLUMNS) || Infinity);
}

/**
 * @param {string} path @param {ReturnType<typeof parse>} settings
 * @returns {Promise<number>} the exit code
 */
async function run(path, settings) {
    const watcher = watch(path);
    let result;
    try {
        result = await inferShapes(path === '-' ? process.stdin : path, { ...settings.options, reuse: true, onProgress: (progress) => watcher.onProgress(progress) });
    } catch (error) {
        watcher.stop();
        if (error instanceof TypeError && /^options\./.test(error.message)) throw new UsageError(error.message.replace('options.inputs', '--input').replace('limits.rank allows', 'a tensor may have'));
        complain(`${path}: ${reason(error, path)}`);
        return error instanceof ModelError && !SENTENCES[CODES.indexOf(error.code)] ? CONTRADICTION : UNREADABLE;
    }
    const tabled = !settings.json && settings.why === undefined;
    watcher.at(() => 'writing', 0);
    if (!settings.json && settings.models.length > 1) await write(`${clean(path)}\n`);
    for (const [text, progress] of output(result, settings)) {
        if (text && process.stdout.isTTY) watcher.stop();       // what is written tells by itself
        await write(text);
        watcher.at(progress);
    }
    watcher.stop();
    if (!settings.json) process.stderr.write(problems(tabled ? result.diagnostics : result.diagnostics.filter((d) => d.code === MISTYPED)));
    return result.diagnostics.some((d) => d.severity === 'error') ? CONTRADICTION : DONE;
}

/** @param {any} error */
function unwritten(error) {
    if (error.code === 'EPIPE') process.exit(DONE);
    complain(`standard output: ${error.message}`);
    process.exit(UNREADABLE);
}

/** Some versions of Node tell of an error at once. @param {string} text */
const write = (text) => new Promise((resolve) => { process.stdout.write(text, resolve); }).catch(unwritten);

async function main() {
    const settings = parse(process.argv.slice(2));
    if (settings.help) return await write(HELP), DONE;
    if (settings.version) {
        const { name, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
        return await write(`${name} ${version}\n`), DONE;
    }
    let code = DONE;
    for (const path of settings.models) code = Math.max(code, await run(path, settings));
    return code;
}

process.stderr.on('error', () => {});          // nobody listens; what the exit code says stays
process.stdout.on('error', unwritten);
main().then((code) => { process.exitCode = code; }, (error) => {
    if (!(error instanceof UsageError)) throw error;
    complain(error.message);
    process.exitCode = USAGE;
});
