/* One call, waiting or not: the same generator, the same requests. */
import { infer } from './engine.js';
import { Result } from './result.js';
import { inNode, open, openNow, readFile } from './source.js';

/** @import { InferOptions, ModelSource } from './model.d.ts' */
/** @import { Request, Stats } from './engine.js' */
/** @import { Source } from './source.js' */

const BREATH = 50;                  // milliseconds of inference after which the page may do something else

const newStats = () => ({ bytesRead: 0, reads: 0, nodesDone: 0, nodes: 0, memory: 0 });

/** @param {Stats} stats @param {Source} source @param {InferOptions} options */
function progress(stats, source, { onProgress, signal }) {
    signal?.throwIfAborted();
    onProgress?.({ phase: stats.nodes ? 'infer' : 'read', bytesRead: stats.bytesRead, size: source.size, nodesDone: stats.nodesDone, nodes: stats.nodes });
}

/** A rule of the host's for an operator. @param {InferOptions} options @param {string} name @returns {any} */
function ruleOf({ operators }, name) {
    for (const key of [name, `ai.onnx::${name}`, `::${name}`]) if (operators && Object.hasOwn(operators, key)) return operators[key];
}

/** @param {InferOptions} options @param {string} location */
function given({ externalData }, location) {
    if (externalData instanceof Map) return externalData.get(location);
    return externalData && Object.hasOwn(externalData, location) ? /** @type {any} */ (externalData)[location] : undefined;
}

/** @param {Uint8Array[]} parts */
function joined(parts) {
    if (parts.length < 2) return parts[0];
    const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) out.set(part, at), at += part.length;
    return out;
}

/** What is asked for; all of it, in parts if need be, where it must be exact.
 * @param {Stats} stats @param {{ offset: number, length: number, exact: boolean }} request @param {Source['read']} read */
async function whole(stats, { offset, length, exact }, read) {
    const parts = [];
    for (let done = 0, part; done < length; done += part.length) {
        parts.push(part = count(stats, await read(offset + done, length - done)));
        if (!exact || !part.length) break;
    }
    return joined(parts);
}

/** @param {Stats} stats @param {Uint8Array} bytes */
function count(stats, bytes) {
    stats.reads++;
    stats.bytesRead += bytes.length;
    return bytes;
}

/**
 * @param {WebAssembly.Module} module @param {ModelSource} model @param {InferOptions} options
 * @returns {Promise<Result>}
 */
export async function call(module, model, options) {
    options.signal?.throwIfAborted();
    const stats = newStats(), source = await open(model, options.signal);
    /** @type {Map<string, Promise<Source>>} */
    const beside = new Map();
    /** @param {string} location */
    const external = (location) => {
        let opened = beside.get(location);
        if (!opened) {
            const other = given(options, location);
            opened = other !== undefined ? open(other, options.signal) : source.external ? source.external(location)
                : Promise.reject(new Error(`no source is given for ${location}; pass it in externalData`));
            beside.set(location, opened);
        }
        return opened;
    };
    /** @param {Request} request @returns {Promise<any>} */
    const answer = async (request) => {
        if (request.kind === 'rule') return ruleOf(options, request.name)(request.node);
        if (request.kind === 'read') {
            const from = request.location === undefined ? source : await external(request.location);
            return whole(stats, request, (offset, length) => from.read(offset, length));
        }
        if (performance.now() - breath < BREATH) return;
        await new Promise((resume) => { setTimeout(resume); });
        breath = performance.now();
    };
    let breath = performance.now();
    try {
        const steps = infer(module, source, options, stats);
        let step = steps.next();
        while (!step.done) {
            progress(stats, source, options);
            const { value } = step;
            let reply;
            try {
                reply = await answer(value);
            } catch (error) {
                reply = blame(error, value, options);
            }
            step = steps.next(reply);
        }
        return new Result(step.value, module, { ...stats, size: source.size ?? stats.bytesRead });
    } finally {
        for (const opened of [Promise.resolve(source), ...beside.values()]) await opened.then((s) => s.close?.()).catch(() => {});
    }
}

/** What went wrong, for the engine to go on with; thrown where it cannot.
 * @param {unknown} error @param {Request} request @param {InferOptions} options */
function blame(error, request, { signal }) {
    if (signal?.aborted || request.kind === 'pause' || request.kind === 'read' && request.location === undefined) throw error;
    return error instanceof Error ? error : new Error(String(error));
}

/** @template T @param {T | Promise<T>} value @param {string} what @returns {T} */
function atOnce(value, what) {
    if (value instanceof Promise) throw new TypeError(`${what} answers with a promise: use inferShapes`);
    return value;
}

/**
 * @param {WebAssembly.Module} module @param {ModelSource} model @param {InferOptions} options
 * @returns {Result}
 */
export function callNow(module, model, options) {
    const stats = newStats(), source = openNow(model);
    if (!source) throw new TypeError('inferShapesSync takes a Uint8Array, an ArrayBuffer or { size, read(offset, length) }: use inferShapes');
    /** @param {Request} request @returns {any} */
    const answer = (request) => {
        if (request.kind === 'pause') return;
        if (request.kind === 'rule') return atOnce(ruleOf(options, request.name)(request.node), `options.operators[${JSON.stringify(request.name)}]`);
        const { location, offset, length } = request, other = location === undefined ? undefined : given(options, location);
        const from = location === undefined ? source : other === undefined ? undefined : openNow(other);
        if (!from) throw new Error(`no source is given for ${location}; pass its bytes in externalData`);
        const parts = [];
        for (let done = 0, part; done < length; done += part.length) {
            parts.push(part = count(stats, atOnce(from.read(offset + done, length - done), 'read()')));
            if (!request.exact || !part.length) break;
        }
        return joined(parts);
    };
    const steps = infer(module, source, options, stats);
    let step = steps.next();
    while (!step.done) {
        progress(stats, source, options);
        let reply;
        try {
            reply = answer(step.value);
        } catch (error) {
            if (error instanceof TypeError && step.value.kind === 'rule') throw error;
            reply = blame(error, step.value, options);
        }
        step = steps.next(reply);
    }
    return new Result(step.value, module, { ...stats, size: source.size ?? stats.bytesRead });
}

/** @param {unknown} given @returns {Promise<WebAssembly.Module>} */
async function compile(given) {
    if (given instanceof WebAssembly.Module) return given;
    if (given instanceof URL || typeof given === 'string') {
        const url = new URL(given, globalThis.document?.baseURI ?? globalThis.location?.href);
        if (inNode && url.protocol === 'file:') return WebAssembly.compile(/** @type {any} */ (await readFile(url)));
        const response = await fetch(url);
        if (!response.ok) throw new Error(`${url} answered ${response.status}: pass load() the place of model.wasm`);
        return WebAssembly.compile(await response.arrayBuffer());
    }
    // A Response, told by what it can do: to name its class makes Node load all of fetch.
    const response = /** @type {any} */ (given);
    return WebAssembly.compile(typeof response?.arrayBuffer === 'function' ? await response.arrayBuffer() : response);
}

/**
 * The public functions over one compiled module.
 * @param {() => unknown} place where model.wasm is: anything that load takes
 * @param {() => BufferSource | undefined} placeNow its bytes at once, where they can be had
 * @returns {Pick<typeof import('./model.d.ts'), 'inferShapes' | 'inferShapesSync' | 'load'>}
 */
export function api(place, placeNow) {
    /** @type {WebAssembly.Module | undefined} */
    let module;
    /** @type {Promise<WebAssembly.Module> | undefined} */
    let loading;
    /** @param {unknown} [source] */
    const ready = (source) => {
        if (source === undefined && module) return Promise.resolve(module);
        if (source === undefined && loading) return loading;
        const compiled = compile(source ?? place()).then((m) => module = m);
        compiled.catch(() => { loading = undefined; });
        return loading = compiled;
    };
    const now = () => {
        if (module) return module;
        const bytes = placeNow();
        if (!bytes) throw new Error('model.wasm is not loaded: await load() before inferShapesSync');
        return module = new WebAssembly.Module(bytes);
    };
    return {
        async load(source) { await ready(source); },
        async inferShapes(source, options = {}) { return call(module ?? await ready(), source, options); },
        inferShapesSync: (source, options = {}) => callNow(now(), source, options),
    };
}
