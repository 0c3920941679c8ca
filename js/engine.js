/* model.wasm: its instances and their memory, which nothing else touches. What passes between the two is told in src/shp.h. */
import * as L from './layout.js';
import { byName, encodeBindings, encodeOutputs } from './options.js';
import { nodeView, Report } from './report.js';

/** @import { InferOptions } from './model.d.ts' */
/** @import { Source } from './source.js' */
/** What a call turns to: a file of external data, and a moment to do something else.
 * @typedef {{ external: (location: string) => Source | Promise<Source>, breathe: () => unknown }} Host */
/** @typedef {{ bytesRead: number, reads: number, nodesDone: number, nodes: number, memory: number }} Stats */

/** A file that is no model, or that the options do not let pass. */
export class ModelError extends Error {
    name = 'ModelError';

    /** @param {string} code @param {string} message @param {number} [offset] @param {string} [path] */
    constructor(code, message, offset, path) {
        super(message);
        this.code = code;
        this.offset = offset;
        this.path = path;
    }
}

const PUFFS = 16;                   // windows after which there may be something else to do: 1 MiB of the widest in memory
const decoder = new TextDecoder(), encoder = new TextEncoder();

/** One instance and its memory. */
class Instance {
    /** @param {WebAssembly.Module} module */
    constructor(module) {
        this.module = module;
        const exports = /** @type {any} */ (new WebAssembly.Instance(module).exports);
        this.exports = exports;
        /** @type {WebAssembly.Memory} */
        this.memory = exports.memory;
        this.block = exports.model_request();
        this.words = new Uint32Array(0);
    }

    /** A word of the request block. @param {number} i */
    word(i) {
        if (!this.words.length) this.words = new Uint32Array(this.memory.buffer, this.block);      /* memory that grows leaves an empty view */
        return this.words[i];
    }

    /** Two words as a number; undefined for all ones. @param {number} i */
    wide(i) {
        const low = this.word(i), high = this.word(i + 1);
        return low === 0xffffffff && high === low ? undefined : high * 2 ** 32 + low;
    }

    /** @param {number} i */
    text(i) { return decoder.decode(new Uint8Array(this.memory.buffer, this.word(i), this.word(i + 1))); }

    /** @param {number} size @returns {number} */
    alloc(size) {
        const at = this.exports.model_alloc(size || 1) >>> 0;
        if (!at) throw new ModelError('memory-limit', `${L.SENTENCES[L.CODES.indexOf('memory-limit')]}: raise limits.memory`);
        return at;
    }

    /** Copies bytes to an address, or to new memory. @param {ArrayLike<number>} bytes */
    put(bytes, at = this.alloc(bytes.length)) {
        new Uint8Array(this.memory.buffer).set(bytes, at);
        return at;
    }

    /** The tables of a report, copied out. */
    report() {
        const head = new Uint32Array(this.memory.buffer, this.word(L.WORD_REPORT), 2 * L.WIDTHS.length);
        const tables = L.WIDTHS.slice(0, L.CHARS).map((width, i) => new Uint32Array(this.memory.buffer, head[2 * i], head[2 * i + 1] * width).slice());
        return new Report(tables, new Uint8Array(this.memory.buffer, head[2 * L.CHARS], head[2 * L.CHARS + 1]).slice());
    }

    failure() {
        const number = this.word(L.WORD_CODE), code = L.CODES[number], path = this.text(L.WORD_PATH), said = this.text(L.WORD_MESSAGE);
        if (code === 'bad-option') return new TypeError(`options.inputs[${JSON.stringify(path)}]: ${said}`);
        const offset = this.wide(L.WORD_OFFSET_LOW), limit = /^(.*)-limit$/.exec(code)?.[1];
        const sentence = L.SENTENCES[number], what = said ? (sentence ? `${sentence}: ${said}` : said) : sentence + (path && `: ${path}`);
        const inside = code !== 'not-onnx';         // else the path says what it is, and no place in it means anything
        return new ModelError(code, what + (inside && offset ? `, at byte ${offset}` : '')
            + (limit ? ` (limits.${limit} can be raised)` : ''), offset, inside && path || undefined);
    }
}

/** An instance that is out of work, for evaluations and for calls that are to share one: fresh memory takes longer than most of them. The
 * reference is weak, so it goes when it would have gone anyway.
 * @type {WeakRef<Instance> | undefined} */
let idle;

/** The idle instance, as good as new, or a new one. @param {WebAssembly.Module} module */
function borrow(module) {
    const kept = idle?.deref();
    idle = undefined;
    if (kept?.module !== module) return new Instance(module);
    kept.exports.model_reset();
    return kept;
}

/** @param {Instance} wasm what nobody uses any more */
const leave = (wasm) => { idle = new WeakRef(wasm); };

/** @param {number} n */
const split = (n) => [n >>> 0, Math.floor(n / 2 ** 32)];

/**
 * Reads the model window by window, as the skimmer wants: windows double while nothing is skipped. Gaps that the source would rather read
 * than skip are read through, and so is a small rest.
 * @param {Source} source
 */
function windows({ size, first, max, gap }) {
    let window = first, allowed = max;
    /** @param {number} offset what is wanted @param {number} end of what was read before @returns {[start: number, length: number]} */
    return (offset, end) => {
        const through = offset - end <= gap, start = through ? end : offset;
        // What is read of payloads is to stay within one widest window and a first one a payload, and the last window before a gap may
        // have been all payload; what was read without a gap lets windows grow again.
        allowed += through ? window / 8 : first - window;
        window = through && end ? Math.max(first, Math.min(window * 2, max, Math.floor(allowed))) : first;
        let length = through ? Math.max(window, offset - end + first) : window;
        if (size !== undefined) length = size - start <= length + gap ? size - start : length;
        return [start, Math.max(length, 1)];
    };
}

/** A rule of the host's for an operator. @param {InferOptions} options @param {string} name */
const ruleOf = ({ operators }, name) => [name, `ai.onnx::${name}`, `::${name}`].map((key) => byName(operators, key)).find(Boolean);

/**
 * A call: yields what may have to be waited for, is given what comes of it, and returns the report.
 * @param {WebAssembly.Module} module @param {Source} source @param {InferOptions} options @param {number[]} encoded the same as bytes
 * @param {Host} host @param {Stats} stats
 * @returns {Generator<unknown, Report, any>}
 */
export function* infer(module, source, options, encoded, host, stats) {
    const { onProgress, signal, reuse } = options, wasm = reuse ? borrow(module) : new Instance(module), { exports } = wasm;
    const next = windows(source), size = source.size === undefined ? [0xffffffff, 0xffffffff] : split(source.size);

    /** @param {Uint8Array} bytes */
    const count = (bytes) => {
        stats.reads++;
        stats.bytesRead += bytes.length;
    };

    /** Exactly that range, in parts if need be; less where the source ends.
     * @param {string} location @param {number} offset @param {number} length @returns {Generator<unknown, Uint8Array, any>} */
    function* range(location, offset, length) {
        if (!(offset <= Number.MAX_SAFE_INTEGER)) throw new Error('no such offset');
        /** @type {Source} */
        const from = location ? yield host.external(location) : source;
        const bytes = new Uint8Array(length);
        let done = 0;
        for (let part; done < length && (part = yield from.read(offset + done, length - done)); done += part.length) {
            count(part);
            if (!part.length) break;
            bytes.set(part, done);
        }
        return bytes.subarray(0, done);
    }

    /** @returns {Generator<unknown, number[], any>} */
    function* rule() {
        const node = nodeView(wasm.report()), name = node.domain ? `${node.domain}::${node.op}` : node.op;
        return encodeOutputs(yield ruleOf(options, name)(node));
    }

    /** Gives the engine what is asked for, or a line that says why it cannot be had.
     * @param {Generator<unknown, ArrayLike<number>, any>} asked @param {unknown} vital without it the call ends */
    function* answer(asked, vital) {
        let ok = 1, bytes;
        try {
            bytes = yield* asked;
        } catch (error) {
            if (vital || signal?.aborted) throw error;
            ok = 0;
            bytes = encoder.encode((error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, ' '));
        }
        exports.model_give(ok, wasm.put(bytes), bytes.length);
    }

    let end = 0, scratch = 0, room = 0, status = exports.model_start(wasm.put(encoded), encoded.length, ...size);
    for (;; status = exports.model_step()) {
        stats.nodesDone = wasm.word(L.WORD_NODES_DONE);
        stats.nodes = wasm.word(L.WORD_NODES);
        stats.memory = wasm.word(L.WORD_MEMORY);
        const { bytesRead, nodesDone, nodes } = stats;
        if (status !== L.ERROR) {
            signal?.throwIfAborted();
            onProgress?.({ phase: nodes ? 'infer' : 'read', bytesRead, size: source.size, nodesDone, nodes });
        }
        if (status === L.DONE || status === L.ERROR) {
            const answer = status === L.DONE ? wasm.report() : wasm.failure();
            if (reuse) leave(wasm);
            if (answer instanceof Report) return answer;
            throw answer;
        }
        if (status === L.PAUSE) { yield host.breathe(); continue; }
        if (status === L.NEED_RULE) { yield* answer(rule(), false); continue; }
        const offset = /** @type {number} */ (wasm.wide(L.WORD_OFFSET_LOW)), length = /** @type {number} */ (wasm.wide(L.WORD_LENGTH_LOW));
        if (length) {
            const location = wasm.text(L.WORD_LOCATION);
            yield* answer(range(location, offset, length), !location);
            continue;
        }
        const [start, want] = next(offset, end), bytes = /** @type {Uint8Array} */ (yield source.read(start, want));
        count(bytes);
        end = start + bytes.length;
        if (stats.reads % PUFFS === 0) yield host.breathe();
        if (!bytes.length) exports.model_end(...split(Math.min(start, source.size ?? start)));
        const fresh = start < offset ? bytes.subarray(Math.min(offset - start, bytes.length)) : bytes;
        if (!fresh.length) continue;
        if (fresh.length > room) scratch = wasm.alloc(room = Math.max(fresh.length, Math.min(2 * fresh.length, source.max)));
        exports.model_give(1, wasm.put(fresh, scratch), fresh.length);
    }
}

/**
 * The values of expressions as reports print them, where symbols have these values.
 * @param {WebAssembly.Module} module @param {unknown} bindings
 * @returns {(text: string) => bigint | Error}
 */
export function evaluator(module, bindings) {
    const encoded = encodeBindings(bindings), wasm = borrow(module), at = wasm.put(encoded);
    leave(wasm);                    // an evaluation does not wait: no call begins before it is over
    return (text) => {
        const bytes = encoder.encode(text);
        const status = wasm.exports.model_evaluate(wasm.put(bytes), bytes.length, at, encoded.length);
        if (status === L.EVALUATED) {
            return BigInt.asIntN(64, BigInt(wasm.word(L.WORD_VALUE_HIGH)) << 32n | BigInt(wasm.word(L.WORD_VALUE_LOW)));
        }
        if (status === L.NO_VALUE) return new RangeError(`${wasm.text(L.WORD_MESSAGE)} has no value; add it to the bindings`);
        return new RangeError(`${text}: ${status === L.UNDEFINED ? 'it has no value at these bindings' : 'not an expression'}`);
    };
}
