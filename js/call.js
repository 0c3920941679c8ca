/* One call, waiting or not: the same generator, the same requests. */
import { infer } from './engine.js';
import { byName, encodeOptions } from './options.js';
import { Result } from './result.js';
import { bytesOf, inNode, isThenable, named, open, openNow, readFile, toUrl } from './source.js';

/** @import { InferOptions, ModelSource } from './model.d.ts' */
/** @import { Host } from './engine.js' */
/** @import { Report } from './report.js' */
/** @import { Source } from './source.js' */

const BREATH = 50;                  // milliseconds of inference after which the page may do something else

/** A call that is under way: what `infer` yields, and what comes of its report.
 * @param {WebAssembly.Module} module @param {Source} source @param {InferOptions} options @param {number[]} encoded @param {Host} host */
function begin(module, source, options, encoded, host) {
    const stats = { bytesRead: 0, reads: 0, nodesDone: 0, nodes: 0, memory: 0 };
    return {
        running: infer(module, source, options, encoded, host, stats),
        /** @param {Report} report */
        end: (report) => new Result(report, module, { ...stats, size: source.size ?? stats.bytesRead }),
    };
}

const missing = () => new Error('it is not given');

/**
 * @param {WebAssembly.Module} module @param {ModelSource} model @param {InferOptions} options
 * @returns {Promise<Result>}
 */
async function call(module, model, options) {
    const encoded = encodeOptions(options), { signal } = options;
    signal?.throwIfAborted();
    const source = await open(model, signal);
    let breath = Date.now();
    /** @type {Map<string, Promise<Source>>} */
    const beside = new Map();
    const { running, end } = begin(module, source, options, encoded, {
        external(location) {
            let opened = beside.get(location);
            if (!opened) {
                const other = byName(options.externalData, location);
                opened = other !== undefined ? open(other, signal) : source.external?.(location) ?? Promise.reject(missing());
                beside.set(location, opened);
            }
            return opened;
        },
        async breathe() {
            if (Date.now() - breath < BREATH) return;
            await new Promise((resume) => { setTimeout(resume); });
            breath = Date.now();
        },
    });
    try {
        let step = running.next();
        while (!step.done) {
            let { value } = step;
            try {
                if (isThenable(value)) value = await value;
            } catch (error) {
                step = running.throw(error);
                continue;
            }
            step = running.next(value);
        }
        return end(step.value);
    } finally {
        for (const opened of [source, ...beside.values()]) await Promise.resolve(opened).then((s) => s.close?.()).catch(() => {});
    }
}

/**
 * @param {WebAssembly.Module} module @param {ModelSource} model @param {InferOptions} options
 * @returns {Result}
 */
function callNow(module, model, options) {
    const encoded = encodeOptions(options), source = openNow(model);
    if (!source) throw new TypeError(`the source is ${named(model)}: pass bytes or { size, read(offset, length) }, or use inferShapes`);
    const { running, end } = begin(module, source, options, encoded, {
        external(location) {
            const other = byName(options.externalData, location), opened = openNow(other);
            if (!opened) throw other === undefined ? missing() : new Error(`it is given as ${named(other)}: pass its bytes, or use inferShapes`);
            return opened;
        },
        breathe() {},
    });
    let step = running.next();
    for (; !step.done; step = running.next(step.value)) {
        if (!isThenable(step.value)) continue;
        Promise.resolve(step.value).catch(() => {});        // nobody waits for it
        throw new TypeError('read() or a rule in options.operators answers with a promise: use inferShapes');
    }
    return end(step.value);
}

/** @param {unknown} given what load() was given */
const unfit = (given) => new TypeError(`load() has ${named(given)}: pass a URL, bytes, a Response or a WebAssembly.Module`);

/** @param {unknown} given @returns {Promise<WebAssembly.Module>} */
async function compile(given) {
    if (given instanceof WebAssembly.Module) return given;
    let got = /** @type {any} */ (given), url = got?.url || 'the response';
    if (given instanceof URL || typeof given === 'string') {
        url = toUrl(given);
        if (!url) throw unfit(given);
        got = await (inNode && url.protocol === 'file:' ? readFile(url) : fetch(url)).catch((error) => ({ ok: false, status: error.cause?.message || error.message }));
    }
    // A Response, told by what it can do: to name its class makes Node load all of fetch.
    if (got?.ok === false) throw new Error(`${url} cannot be read (${got.status}): pass load() the place of model.wasm`);
    const bytes = bytesOf(typeof got?.arrayBuffer === 'function' ? await got.arrayBuffer() : got);
    if (!bytes) throw unfit(given);
    return WebAssembly.compile(bytes);
}

/** What `where` gives: in a bundle that is no ES module there is no address, and in others no file. @template T @param {() => T} where */
function find(where) {
    try {
        return where();
    } catch (error) {
        throw new Error(`model.wasm is not found (${/** @type {Error} */ (error).message}): pass load() its place, or import onnx-shape/model-inline`);
    }
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
        const compiled = compile(source ?? find(place)).then((m) => {
            if (!WebAssembly.Module.exports(m).some(({ name }) => name === 'model_start')) throw new TypeError("load() takes the package's model.wasm");
            return module = m;
        });
        compiled.catch(() => { loading = undefined; });
        return loading = compiled;
    };
    const now = () => {
        if (module) return module;
        const bytes = find(placeNow);
        if (!bytes) throw new Error('model.wasm is not loaded: await load() before inferShapesSync');
        return module = new WebAssembly.Module(bytes);
    };
    return {
        async load(source) { await ready(source); },
        async inferShapes(source, options = {}) { return call(module ?? await ready(), source, options); },
        inferShapesSync: (source, options = {}) => callNow(now(), source, options),
    };
}
