/* What a model can be read from, as one: { size, read(offset, length) }, with what is asked for at a time. */

import { integer, wrong } from './options.js';

/** @import { ModelSource, RandomAccess } from './model.d.ts' */
/**
 * @typedef {object} Source
 * @property {number | undefined} size in bytes, undefined where it is not known before the end; of a stream that has ended, what there was of it
 * @property {(offset: number, length: number) => Uint8Array | Promise<Uint8Array>} read fewer bytes only where the source ends; they may be gone at the next call
 * @property {number} first the first window, and the one after what was skipped
 * @property {number} max the widest window
 * @property {number} gap what is read rather than skipped
 * @property {(location: string) => Promise<Source>} [external] opens a file beside this one
 * @property {() => unknown} [close]
 */

const KIB = 1024;
export const LOCAL = { first: 4 * KIB, max: 64 * KIB, gap: 4 * KIB };
const REMOTE = { first: 64 * KIB, max: 1024 * KIB, gap: 256 * KIB };
const KEPT = 64 * KIB;              // what a stream keeps of each gap, for a rule that asks later

/** A module of Node's, without a bundler for pages seeing it. @param {string} name @returns {Promise<any>} */
export const builtin = async (name) => process.getBuiltinModule?.(/** @type {any} */ (name))
    ?? await import(/* webpackIgnore: true */ /* @vite-ignore */ name);

/** @type {typeof import('./files.js') | undefined} */
let loaded;

/** Node's own files: a page never loads this. To import what is loaded takes as long as reading a small file. */
const files = async () => loaded ??= await import('./files.js');

export const inNode = typeof process === 'object' && !!process.versions?.node;

/** @param {unknown} value @returns {value is PromiseLike<unknown>} */
export const isThenable = (value) => typeof (/** @type {any} */ (value))?.then === 'function';

/** The bytes of what has them in memory, made here or in another frame. @param {any} given @returns {Uint8Array<any> | undefined} */
export function bytesOf(given) {
    if (ArrayBuffer.isView(given)) return new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
    return /^(Shared)?ArrayBuffer$/.test(given?.[Symbol.toStringTag]) ? new Uint8Array(given) : undefined;
}

/** @param {string} what @param {unknown} given @returns {never} */
function unfit(what, given) { throw wrong(what, given, 'a Uint8Array'); }

/** @param {Uint8Array} bytes @returns {Source} */
const memory = (bytes) => ({ ...LOCAL, size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) });

/** @param {Blob} blob @returns {Source} */
const fromBlob = (blob) => ({
    ...LOCAL, size: blob.size, read: async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
});

export const outside = () => new Error('it lies outside the model\'s folder');

/** @param {string} location */
export function checkInside(location) {
    let depth = 0;
    const leaves = location.split('/').some((part) => (depth += part === '..' ? -1 : Number(part !== '' && part !== '.')) < 0);
    if (leaves || /^[/\\]|\\|^[a-z]+:|\0/i.test(location)) throw outside();
}

/**
 * A source that comes once, from its beginning on. Windows and small gaps are kept for those who ask again.
 * @param {AsyncIterable<unknown>} chunks @param {number} [size]
 * @returns {Source}
 */
export function fromStream(chunks, size) {
    const iterator = chunks[Symbol.asyncIterator](), empty = new Uint8Array(0);
    /** @type {Uint8Array} */
    let rest = empty;
    let at = 0;
    /** @type {{ offset: number, bytes: Uint8Array }[]} */
    const kept = [];
    /** @param {number} length */
    const take = async (length) => {
        while (!rest.length) {
            const { done, value } = await iterator.next();
            if (done) {
                source.size = at;
                return empty;
            }
            rest = bytesOf(value) ?? unfit('a chunk of the stream', value);
        }
        const part = rest.subarray(0, length);
        rest = rest.subarray(part.length);
        at += part.length;
        return part;
    };
    /** @param {number} length */
    const gather = async (length) => {
        const bytes = new Uint8Array(length), offset = at;
        let done = 0;
        for (let /** @type {Uint8Array} */ part = empty; done < length && (part = await take(length - done)).length; done += part.length) bytes.set(part, done);
        kept.push({ offset, bytes: bytes.subarray(0, done) });
        return bytes.subarray(0, done);
    };
    /** @type {Source} */
    const source = {
        ...LOCAL, first: 64 * KIB, gap: 0, size,
        async read(offset, length) {
            if (offset < at) {
                const out = new Uint8Array(length);
                let done = 0;
                for (const part of kept) {
                    const from = offset + done - part.offset;
                    if (from < 0 || from >= part.bytes.length || done === length) continue;
                    const piece = part.bytes.subarray(from, from + length - done);
                    out.set(piece, done);
                    done += piece.length;
                }
                if (done < length) throw new Error('the bytes have passed by: pass the model as a file, or with a server that has ranges');
                return out;
            }
            if (offset - at <= KEPT) await gather(offset - at);
            for (let /** @type {Uint8Array} */ part = empty; at < offset && (part = await take(offset - at)).length;);
            return at < offset ? empty : gather(length);
        },
        close: () => iterator.return?.(),
    };
    return source;
}

/** @param {ReadableStream<Uint8Array>} body @param {<T>(part: Promise<T>) => Promise<T>} [come] waits for a part of it */
async function* chunksOf(body, come = (part) => part) {
    const reader = body.getReader();
    try {
        for (let r; !(r = await come(reader.read())).done;) yield r.value;
    } finally {
        await reader.cancel().catch(() => {});
    }
}

/** @param {URL} url @param {AbortSignal | undefined} signal @returns {Promise<Source>} */
async function fromUrl(url, signal) {
    let place = url.href;           // and then where redirects lead
    /** What the network fails at, told with the address: its own errors are TypeErrors that have none. @template T @param {Promise<T>} part */
    const come = (part) => part.catch((error) => {
        if (signal?.aborted || !(error instanceof TypeError)) throw error;
        throw new Error(`${url} cannot be read (${/** @type {any} */ (error.cause)?.message || error.message}): check address and connection`);
    });
    /** @param {RequestInit} init */
    const ask = (init) => come(fetch(place, { ...init, ...(signal ? { signal } : {}) }));
    /** @param {string} [range] */
    const get = async (range) => {
        const response = await ask(range ? { headers: { Range: `bytes=${range}` } } : {});
        if (!response.ok && response.status !== 416) throw new Error(`${url} answered ${response.status} ${response.statusText}`.trimEnd());
        place = response.url || place;
        return response;
    };
    const blob = url.protocol === 'blob:';          // a page's have ranges; Node's leave out the last byte
    if (!/^https?:$/.test(url.protocol) && (inNode || !blob)) return fromBlob(await come((await get()).blob()));
    /** @type {Pick<Source, 'external'>} */
    const beside = blob ? {} : {
        external(location) {
            checkInside(location);
            return fromUrl(new URL(location.split('/').map(encodeURIComponent).join('/'), url), signal);
        },
    };
    /** @param {Response} response */
    const total = ({ headers }) => Number(/\/(\d+)$/.exec(headers.get('Content-Range') ?? '')?.[1] ?? NaN) || undefined;
    const response = await get(`0-${REMOTE.first - 1}`);
    if (response.status === 416) return { ...memory(new Uint8Array(0)), ...beside };
    if (response.status !== 206) {
        const length = response.headers.get('Content-Encoding') ? null : response.headers.get('Content-Length');
        return Object.assign(fromStream(chunksOf(response.body ?? new Blob([]).stream(), come), length === null ? undefined : Number(length)), beside);
    }
    const head = new Uint8Array(await come(response.arrayBuffer()));
    let known = head.length;        // bytes that there are
    /** How many there are in all, fewer than `beyond` or as many: of another origin a page sees no Content-Range. @param {number} beyond */
    const find = async (beyond) => {
        for (let at = beyond - 1; known < beyond; at = Math.floor((known + beyond) / 2)) {
            const { status, body } = await get(`${at}-${at}`);
            await body?.cancel();
            if (status === 206) known = at + 1;
            else beyond = at;
        }
        return known;
    };
    /** @type {Source} */
    const source = {
        ...REMOTE, ...beside, size: total(response),
        async read(offset, length) {
            if (!offset || offset + length <= head.length) return head.subarray(offset, offset + length);
            const part = await get(`${offset}-${offset + length - 1}`);
            if (part.status === 416) {
                source.size ??= total(part) ?? await find(offset);
                return new Uint8Array(0);
            }
            const bytes = new Uint8Array(await come(part.arrayBuffer()));
            if (part.status !== 206) return bytes.subarray(offset, offset + length);
            known = Math.max(known, offset + bytes.length);
            return bytes;
        },
    };
    return source;
}

/** @param {RandomAccess} given @returns {Source} */
function fromAny(given) {
    const size = Number(integer(given.size, 'source.size'));
    /** @param {unknown} answer */
    const checked = (answer) => bytesOf(answer) ?? unfit('what read() gives', answer);
    return {
        ...LOCAL, size,
        read(offset, length) {
            const answer = given.read(offset, Math.min(length, Math.max(size - offset, 0)));
            return isThenable(answer) ? Promise.resolve(answer).then(checked) : checked(answer);
        },
    };
}

/** What a thing is called in messages. @param {any} given */
export const named = (given) => given && typeof given === 'object'
    ? `a ${given.constructor?.name || 'object'}${given.fd === -1 ? ' that is closed' : ''}`.replace(/^a(?= [AEIO])/i, 'an')
    : typeof given === 'string' ? JSON.stringify(given.slice(0, 40)) : String(given).slice(0, 40);

/** A URL, where that is one; text may be relative to the page. @param {string | URL} given */
export function toUrl(given) {
    try {
        return new URL(given, globalThis.document?.baseURI ?? globalThis.location?.href);
    } catch {
        return undefined;
    }
}

/** What is at hand without waiting. @param {unknown} given @returns {Source | undefined} */
export function openNow(given) {
    const any = /** @type {any} */ (given), bytes = bytesOf(given);
    if (bytes) return memory(bytes);
    return typeof any?.read === 'function' && any.size !== undefined && !any[Symbol.asyncIterator] ? fromAny(any) : undefined;
}

/** @param {ModelSource} given @param {AbortSignal} [signal] @returns {Promise<Source>} */
export async function open(given, signal) {
    const now = openNow(given), any = /** @type {any} */ (given);
    if (now) return now;
    if (any?.arrayBuffer && any.slice) return fromBlob(any);      // told by what it can do: another frame has a Blob of its own
    if (any?.fd >= 0 && any.stat) return (await files()).fromDescriptor(any.fd, Number((await any.stat()).size));
    if (any?.ok === false) throw new Error(`${any.url || 'the response'} answered ${any.status}`);
    const stream = any?.body ?? any;                    // of a Response, its body
    if (typeof stream?.getReader === 'function') return fromStream(chunksOf(stream));   // not every stream of a page can be iterated
    if (inNode && typeof any === 'string' && !/^(https?|blob|data|file):/i.test(any)) return (await files()).fromPath(any);
    const url = typeof any === 'string' || any instanceof URL ? toUrl(any) : undefined;
    if (url) return inNode && url.protocol === 'file:' ? (await files()).fromPath(url) : fromUrl(url, signal);
    if (any && any[Symbol.asyncIterator]) return fromStream(any);
    throw new TypeError(`the source is ${named(given)}: pass bytes, a Blob, URL, path, FileHandle, stream, Response or { size, read(offset, length) }`);
}

/** Bytes of Node's own files, at once; undefined elsewhere. @param {URL} url @returns {Uint8Array | undefined} */
export const readFileNow = (url) => inNode ? process.getBuiltinModule?.('node:fs')?.readFileSync(url) : undefined;

/** @param {URL} url @returns {Promise<Uint8Array>} */
export const readFile = async (url) => (await builtin('node:fs')).readFileSync(url);
