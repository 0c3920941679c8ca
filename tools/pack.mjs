// Arranges a WebAssembly module so that gzip finds more in it that repeats: functions that are alike stand together, for its window is 32 KB,
// and in each the locals are numbered so that its code reads like code before it; the data are one segment. No instruction changes but for those
// numbers, and for the alignment that loads and stores announce, which binds nobody: always the natural one.
//
// What gzip would make of it is estimated here, in whole numbers, so that every machine comes to the same module.

const WINDOW = 32768;

/** The unsigned number in LEB128 at `at`, and where it ends. */
function number(bytes, at) {
    let value = 0, factor = 1;
    for (;; factor *= 128) {
        const byte = bytes[at++];
        value += (byte & 127) * factor;
        if (byte < 128) return [value, at];
    }
}

/** A number as LEB128. */
function leb(value) {
    const out = [];
    for (; value > 127; value = Math.floor(value / 128)) out.push((value & 127) | 128);
    return [...out, value];
}

const LOCAL = 1 << 16, CALL = 1 << 24;      // a token is a byte, or one of these plus an index

/** The immediates of each instruction that has any: L a local, C a function, n a number, t a byte, f and d a float's 4 or 8 bytes, T a table of branches; 0 to 3 an alignment. */
const IMMEDIATES = { 0x02: 't', 0x03: 't', 0x04: 't', 0x0c: 'n', 0x0d: 'n', 0x0e: 'T', 0x10: 'C', 0x11: 'nn', 0x20: 'L', 0x21: 'L', 0x22: 'L',
    0x23: 'n', 0x24: 'n', 0x3f: 't', 0x40: 't', 0x41: 'n', 0x42: 'n', 0x43: 'f', 0x44: 'd' };
[2, 3, 2, 3, 0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 2, 3, 2, 3, 0, 1, 0, 1, 2].forEach((natural, k) => { IMMEDIATES[0x28 + k] = `${natural}n`; });
const BULK = { 8: 'nt', 9: 'n', 10: 'tt', 11: 't' };      // after 0xfc; the others have none

/** Instructions as tokens. */
function tokens(bytes, at, end) {
    const out = [];
    while (at < end) {
        const op = bytes[at];
        out.push(bytes[at++]);
        if (op === 0xd0 || op === 0xd2 || op > 0xfc || (op > 0xc4 && op < 0xfc) || (op > 0x11 && op < 0x1a)) throw new Error(`unknown instruction ${op}`);
        if (op === 0xfc) out.push(bytes[at]);
        for (const kind of (op === 0xfc ? BULK[bytes[at++]] : IMMEDIATES[op]) ?? '') {
            const from = at;
            let value = 0;
            if (kind === 't') at++;
            else if (kind === 'f' || kind === 'd') at += kind === 'f' ? 4 : 8;
            else [value, at] = number(bytes, at);
            for (let k = kind === 'T' ? value + 1 : 0; k > 0; k--) at = number(bytes, at)[1];
            if (kind === 'L' || kind === 'C') out.push((kind === 'L' ? LOCAL : CALL) + value);
            else if (kind <= '3') out.push(Number(kind));
            else out.push(...bytes.subarray(from, at));
        }
    }
    return out;
}

/** The sections, and the functions: their types' parameters, locals' types and code. */
function parse(bytes) {
    const sections = [], params = [], functions = [];
    for (let at = 8; at < bytes.length;) {
        const id = bytes[at], [size, from] = number(bytes, at + 1);
        sections.push({ id, body: bytes.subarray(from, at = from + size) });
    }
    const vector = (id, read) => {
        const { body } = sections.find((s) => s.id === id);
        let [count, at] = number(body, 0);
        for (let i = 0; i < count; i++) at = read(body, at, i);
    };
    vector(1, (body, at) => {
        const [count, from] = number(body, at + 1), [results, to] = number(body, from + count);
        params.push(count);
        return to + results;
    });
    vector(3, (body, at) => {
        const [type, to] = number(body, at);
        functions.push({ type, params: params[type] });
        return to;
    });
    vector(10, (body, at, i) => {
        const [size, from] = number(body, at);
        let [groups, p] = number(body, from);
        const locals = [];
        for (; groups > 0; groups--) {
            const [count, to] = number(body, p);
            locals.push(...Array(count).fill(body[to]));
            p = to + 1;
        }
        Object.assign(functions[i], { head: [...body.subarray(from, p)], locals, code: tokens(body, p, from + size) });
        return from + size;
    });
    return { sections, functions };
}

/** Functions in a new order: those called most first, as their numbers take one byte; then each beside what it shares most with. */
function order(functions) {
    const calls = functions.map(() => 0);
    for (const f of functions) for (const t of f.code) if (t >= CALL) calls[t - CALL]++;
    const most = functions.map((_, i) => i).sort((a, b) => calls[b] - calls[a] || a - b);
    const hot = new Set(most.slice(0, 128));

    // What a function contains: every run of four tokens, by number; a run that few contain weighs more.
    const numbers = new Map(), holders = [];
    const runs = functions.map((f, i) => {
        const own = new Set();
        for (let k = 0; k + 4 <= f.code.length; k++) {
            const key = f.code.slice(k, k + 4).join();
            if (!numbers.has(key)) holders[numbers.size] = [], numbers.set(key, numbers.size);
            own.add(numbers.get(key));
        }
        for (const run of own) holders[run].push(i);
        return [...own];
    });
    const score = functions.map(() => 0), inside = holders.map(() => 0), placed = [], done = functions.map(() => false);
    const mark = (i, by) => {
        for (const run of runs[i]) {
            if (by > 0 ? inside[run]++ > 0 : --inside[run] > 0) continue;
            if (holders[run].length > 1) for (const j of holders[run]) score[j] += by * Math.round(65536 / holders[run].length);
        }
    };
    let first = 0, size = 0;
    while (placed.length < functions.length) {
        let best = -1, value = -1;
        for (const i of functions.keys()) {
            if (done[i] || (placed.length < 128 && !hot.has(i))) continue;
            const own = score[i] / (10 + functions[i].code.length);
            if (own > value) best = i, value = own;
        }
        done[best] = true;
        placed.push(best);
        mark(best, 1);
        size += functions[best].code.length;
        while (size > 30000) {
            size -= functions[placed[first]].code.length;
            mark(placed[first++], -1);
        }
    }
    return placed;
}

/** Estimates how many eighths of a bit gzip needs for what is appended: it looks for repetition as deflate does. count: how often each byte
 *  stands there that is no part of any; they share a code with the lengths of what is. */
class Estimate {
    #text; #end = 0; #head = new Int32Array(65536).fill(-1); #before; #literal;
    alone = new Array(256).fill(1);                         /* the counts of what was appended to stay */
    constructor(size, count) {
        this.#text = new Uint8Array(size + 3);
        this.#before = new Int32Array(size);
        const all = 2.2 * count.reduce((sum, n) => sum + n);
        this.#literal = count.map((n) => Math.round(8 * Math.log2(all / n)));
    }
    #hash(at) {
        return ((this.#text[at] << 11) ^ (this.#text[at + 1] << 5) ^ this.#text[at + 2] * 73) & 65535;
    }
    /** The longest match of what stands at `at`, as its length and costs; 0 is none. */
    #match(at, end) {
        const text = this.#text;
        let length = 2, from = 0, tries = 300;
        for (let p = this.#head[this.#hash(at)]; p >= 0 && p > at - WINDOW && tries > 0; p = this.#before[p], tries--) {
            if (text[p + length] !== text[at + length]) continue;
            let n = 0;
            while (at + n < end && n < 258 && text[p + n] === text[at + n]) n++;
            if (n > length && (n > 3 || at - p < 4096)) length = n, from = p;
        }
        const distance = 31 - Math.clz32(at - from), extra = length > 10 ? 29 - Math.clz32(length - 3) : 0;
        return length > 2 ? [length, 8 * (4 + Math.min(length - 3, 6) / 2 + extra + 4 + Math.max(0, distance - 1))] : [0, 0];
    }
    /** Eighths of a bit for `bytes`, no further than `limit`; what is given no limit stays. */
    add(bytes, limit = 0) {
        const from = this.#end, end = from + bytes.length;
        let bits = 0, next = from, held = null;
        const literal = (byte) => {
            bits += this.#literal[byte];
            if (!limit) this.alone[byte]++;
        };
        this.#text.set(bytes, from);
        let at = from;
        for (; at < end && (!limit || bits < limit); at++) {
            if (at >= next) {
                const match = this.#match(at, end);
                if (held && held[0] >= match[0]) {          // the match one byte before was the better one
                    bits += held[1];
                    next = at - 1 + held[0];
                    held = null;
                } else {
                    if (held) literal(bytes[at - 1 - from]);
                    held = null;
                    if (match[0]) held = match;
                    else literal(bytes[at - from]);
                }
            }
            const h = this.#hash(at);
            this.#before[at] = this.#head[h];
            this.#head[h] = at;
        }
        if (held) bits += held[1];
        if (!limit) this.#end = end;
        else while (--at >= from) this.#head[this.#hash(at)] = this.#before[at];
        return bits;
    }
}

/** The bytes of a function, and where each local is named. */
function bytesOf({ head, params, locals, code }, functions) {
    const list = [...head], uses = Array.from({ length: params + locals.length }, () => []);
    for (const t of code) {
        if (t >= LOCAL && t < CALL) uses[t - LOCAL].push(list.length);
        list.push(...t < 256 ? [t] : leb(t < CALL ? t - LOCAL : functions[t - CALL]));
    }
    return { bytes: Uint8Array.from(list), uses };
}

/** The bytes of a function whose locals of one type change places as long as that helps, from the order they have and from that of their first use. */
function renumber(f, functions, estimate) {
    const { params, locals } = f, { bytes, uses } = bytesOf(f, functions), type = (local) => locals[local - params];
    const number = (local, as) => uses[local].forEach((at) => { bytes[at] = as; });
    const order = uses.map((_, local) => local), own = order.slice(params);
    const byUse = [...order.slice(0, params), ...own.toSorted((a, b) => locals.indexOf(type(a)) - locals.indexOf(type(b)) || uses[a][0] - uses[b][0] || a - b)];
    let best = order, least = Infinity;
    for (const now of order.length < 128 ? [[...order], byUse] : []) {      // else numbers take two bytes
        now.forEach(number);                                // the local that has each number
        let bits = estimate.add(bytes, Infinity), better = true;
        for (let turn = 0; turn < 4 && better; turn++) {
            better = false;
            for (let i = params; i < now.length; i++) {
                for (let j = i + 1; j < now.length && type(i) === type(j); j++) {
                    number(now[i], j), number(now[j], i);
                    const tried = estimate.add(bytes, bits);
                    if (tried < bits) {
                        [now[i], now[j], bits, better] = [now[j], now[i], tried, true];
                    } else number(now[i], i), number(now[j], j);
                }
            }
        }
        if (bits < least) [best, least] = [now, bits];
    }
    if (order.length < 128) best.forEach(number);
    estimate.add(bytes);
    return bytes;
}

/** The module, arranged. */
export function pack(module) {
    const { sections, functions } = parse(module);
    const placed = order(functions), now = [];
    placed.forEach((old, i) => { now[old] = i; });
    const first = new Estimate(module.length, new Array(256).fill(1));
    for (const i of placed) first.add(bytesOf(functions[i], now).bytes);
    const estimate = new Estimate(module.length, first.alone);
    const sized = (bytes) => [...leb(bytes.length), ...bytes];
    const code = placed.map((i) => sized(renumber(functions[i], now, estimate)));

    function exports(body) {
        const out = [];
        let [count, at] = number(body, 0);
        out.push(...leb(count));
        for (; count > 0; count--) {
            const [length, name] = number(body, at), kind = name + length, [index, end] = number(body, kind + 1);
            out.push(...body.subarray(at, kind + 1), ...leb(body[kind] === 0 ? now[index] : index));
            at = end;
        }
        return out;
    }
    function elements(body) {
        const out = [];
        let [segments, at] = number(body, 0);
        out.push(...leb(segments));
        for (; segments > 0; segments--) {
            if (body[at] !== 0 || body[at + 1] !== 0x41) throw new Error('elements that are no plain list of functions');
            const offset = number(body, at + 2)[1] + 1;
            let [count, p] = number(body, offset);
            out.push(...body.subarray(at, p));
            for (; count > 0; count--) {
                const [index, end] = number(body, p);
                out.push(...leb(now[index]));
                p = end;
            }
            at = p;
        }
        return out;
    }
    /* The data as one segment: what is between two is zero, for which gzip needs less than for where each begins. */
    function data(body) {
        let [segments, at] = number(body, 0), start, head;
        const out = [];
        for (; segments > 0; segments--) {
            if (body[at] !== 0 || body[at + 1] !== 0x41) throw new Error('data that have no plain place');
            const [offset, end] = number(body, at + 2), [length, from] = number(body, end + 1);
            start ??= offset, head ??= body.subarray(at, end + 1);
            while (out.length < offset - start) out.push(0);
            out.push(...body.subarray(from, at = from + length));
        }
        return [1, ...head, ...sized(out)];
    }
    const change = {
        3: () => [...leb(functions.length), ...placed.flatMap((i) => leb(functions[i].type))],
        7: exports,
        8: (body) => leb(now[number(body, 0)[0]]),
        9: elements,
        10: () => [...leb(functions.length), ...code.flat()],
        11: data,
        12: () => [1],
    };
    return Buffer.from([...module.subarray(0, 8),
        ...sections.flatMap(({ id, body }) => [id, ...sized(change[id] ? change[id](body) : [...body])])]);
}
