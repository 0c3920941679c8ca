/* The tables of src/report.h, read where they lie. Objects are made when somebody looks. */
import * as L from './layout.js';

/** @import { Dim, Element } from './model.d.ts' */

const FEW = 8;                      // names looked for
const MANY = 2000;                  // names of which no set is made

const decoder = new TextDecoder('utf-8', { ignoreBOM: true }), encoder = new TextEncoder();

export class Report {
    /** @param {Uint32Array[]} tables @param {Uint8Array} chars */
    constructor(tables, chars) {
        this.tables = tables;
        this.chars = chars;
        this.reals = new Float64Array(tables[L.REALS].buffer);
    }

    /** @type {string | undefined} */ pool;
    /** @type {string[] | undefined} */ strings;
    /** @type {string[]} */ paths = [];
    /** @type {Map<string, number>[] | undefined} */ maps;
    /** By row of facts. @type {Dim[][]} */ shapes = [];
    asked = 0;
    /** By row of scopes, names that several nodes have. @type {Set<string>[]} */ shared = [];
    labelled = 0;

    /** Whether JSON has a form for every number. */
    get plain() {
        for (let i = this.rows(L.CELLS); i--;) if (typeof this.cell(i) === 'bigint') return false;
        return this.reals.every(Number.isFinite);
    }

    /** All strings, one after the other. */
    get text() { return this.pool ??= decoder.decode(this.chars); }

    /** @param {number} table */
    rows(table) { return this.tables[table].length / L.WIDTHS[table]; }

    /** @param {number} table @param {number} row @param {number} column */
    at(table, row, column) { return this.tables[table][row * L.WIDTHS[table] + column]; }

    /** String i. @param {number} i */
    string(i) {
        const { text, chars } = this, start = this.tables[L.TEXT], strings = this.strings ??= new Array(start.length);
        // Bytes are the pool's characters where all are ASCII.
        return strings[i] ??= text.length === chars.length ? text.slice(start[i], start[i + 1]) : decoder.decode(chars.subarray(start[i], start[i + 1]));
    }

    /** @param {number} table @param {number} row @param {number} column */
    name(table, row, column) { return this.string(this.at(table, row, column)); }

    /** @param {number} i @returns {any} a number, bigint, string, boolean or null */
    cell(i) {
        const low = this.at(L.CELLS, i, 0), high = this.at(L.CELLS, i, 1);
        switch (high) {
            case L.CELL_TEXT: return this.string(low);
            case L.CELL_NULL: return null;
            case L.CELL_FALSE: return false;
            case L.CELL_TRUE: return true;
            case L.CELL_REAL: return this.reals[low];
            case L.CELL_BIG: return BigInt(this.string(low));
        }
        const value = (high | 0) * 2 ** 32 + low;
        return Number.isSafeInteger(value) ? value : BigInt(high | 0) << 32n | BigInt(low);
    }

    /** @param {number} first @param {number} count @returns {any[]} */
    cells(first, count) {
        const out = new Array(count);
        for (let i = 0; i < count; i++) out[i] = this.cell(first + i);
        return out;
    }

    /** The row of what is known of a value. @param {number} row */
    fact(row) { return this.at(L.VALUES, row, L.VALUE_FACT); }

    /** @param {number} row */
    type(row) { return this.name(L.FACTS, this.fact(row), L.FACT_TYPE) || null; }

    /** @param {number} row @returns {Dim[] | null} */
    shape(row) {
        const fact = this.fact(row), rank = this.at(L.FACTS, fact, L.FACT_RANK);
        return rank === L.NONE ? null : (this.shapes[fact] ??= this.cells(this.at(L.FACTS, fact, L.FACT_SHAPE), rank)).slice();
    }

    /** @param {number} row @returns {Element[] | undefined} */
    content(row) {
        const fact = this.fact(row), first = this.at(L.FACTS, fact, L.FACT_CONTENT), count = this.at(L.FACTS, fact, L.FACT_COUNT), real = first - L.REALS_FROM;
        return first === L.NONE ? undefined : real < 0 ? this.cells(first, count) : Array.from(this.reals.subarray(real, real + count));
    }

    /** The row of a value's graph. @param {number} row */
    scope(row) { return this.at(L.VALUES, row, L.VALUE_PLACE) >>> 2; }

    /** @param {number} row */
    kind(row) { return L.KINDS[this.at(L.VALUES, row, L.VALUE_PLACE) & 3]; }

    /** A node's place in its graph. @param {number} row */
    indexOf(row) { return row - this.at(L.SCOPES, this.at(L.NODES, row, L.NODE_SCOPE), L.SCOPE_NODES); }

    /** @param {number} row */
    nodeName(row) { return this.string(this.at(L.SCOPES, this.at(L.NODES, row, L.NODE_SCOPE), L.SCOPE_NAMES) + this.indexOf(row)); }

    /** Whether another node of its graph has a node's name. @param {number} row @param {string} name */
    isShared(row, name) {
        const scope = this.at(L.NODES, row, L.NODE_SCOPE), first = this.at(L.SCOPES, scope, L.SCOPE_NAMES), count = this.at(L.SCOPES, scope, L.SCOPE_COUNT);
        if (this.labelled++ < FEW && !name.includes('\ufffd')) {
            for (let i = first + this.indexOf(row), other = first; other < first + count; other++) if (other !== i && this.isSame(other, i)) return true;
            return false;
        }
        const shared = this.shared[scope] ??= this.doubles(first, count);
        return shared.size > 0 && shared.has(name);         // to look into an empty set costs a hash, too
    }

    /** What several of `count` strings are. @param {number} first @param {number} count */
    doubles(first, count) {
        const alone = count > MANY ? this.alone(first, count) : () => false, seen = new Set(), double = new Set();
        for (let i = 0; i < count; i++) {
            const s = alone(i) ? '' : this.string(first + i);
            if (s) (seen.has(s) ? double : seen).add(s);
        }
        return double;
    }

    /** Whether a string is alone with its hash, as nearly all are: to make a set of many takes longer.
     * @param {number} first @param {number} count @returns {(i: number) => boolean} */
    alone(first, count) {
        const { chars, text } = this, start = this.tables[L.TEXT], hashes = new Uint32Array(count), times = new Uint8Array(2 ** (32 - Math.clz32(8 * count)));
        if (text.length !== chars.length) return () => false;       // other bytes may be the same text
        for (let i = 0; i < count; i++) {
            let hash = 0;
            for (let k = start[first + i]; k < start[first + i + 1]; k++) hash = Math.imul(hash ^ chars[k], 0x5bd1e995) ^ hash >>> 15;
            hashes[i] = hash & (times.length - 1);
            if (times[hashes[i]] < 2) times[hashes[i]]++;
        }
        return (i) => times[hashes[i]] < 2;
    }

    /** Whether two strings are the same bytes. @param {number} i @param {number} k */
    isSame(i, k) {
        const { chars } = this, start = this.tables[L.TEXT], from = start[i], other = start[k];
        let left = start[i + 1] - from;
        if (start[k + 1] - other !== left) return false;
        while (left && chars[from + left - 1] === chars[other + left - 1]) left--;
        return !left;
    }

    /** What a node is called: its name where no other of its graph has it, else operator and index. @param {number} row */
    label(row) {
        if (row === L.NONE) return null;
        const name = this.nodeName(row);
        return name && !this.isShared(row, name) ? name : `${this.op(row).name}#${this.indexOf(row)}`;
    }

    /** Path of a graph. @param {number} scope */
    graph(scope) {
        const { paths } = this;
        for (let i = paths.length; i <= scope; i++) {
            const node = this.at(L.SCOPES, i, L.SCOPE_NODE), above = node === L.NONE ? '' : paths[this.at(L.SCOPES, i, L.SCOPE_PARENT)];
            const attr = this.name(L.SCOPES, i, L.SCOPE_ATTR);
            paths[i] = node === L.NONE ? '' : (above && `${above}/`) + this.label(node) + (attr && `/${attr}`);
        }
        return paths[scope];
    }

    /** What a node calls. @param {number} row */
    op(row) {
        const op = this.at(L.NODES, row, L.NODE_OP), domain = this.name(L.OPS, op, L.OP_DOMAIN), name = this.name(L.OPS, op, L.OP_NAME);
        return { domain, name, full: domain ? `${domain}::${name}` : name };
    }

    /** Where in `lists` a node's inputs or outputs stand, behind their number. @param {number} row @param {boolean} outputs */
    args(row, outputs) {
        const at = this.at(L.NODES, row, L.NODE_ARGS);
        return outputs ? at + 1 + this.tables[L.LISTS][at] : at;
    }

    /** Their names. @param {number} row @param {boolean} outputs */
    names(row, outputs) {
        const list = this.tables[L.LISTS], at = this.args(row, outputs), names = new Array(list[at]);
        for (let i = 0; i < names.length; i++) names[i] = this.string(list[at + 1 + i] >>> 2);
        return names;
    }

    /** What of input i a node read: its type or shape (1), its content (2). @param {number} row @param {number} i */
    read(row, i) { return this.tables[L.LISTS][this.args(row, false) + 1 + i] & 3; }

    /** Rows of values by scope and name. */
    get index() {
        if (!this.maps) {
            this.maps = Array.from({ length: this.rows(L.SCOPES) }, () => new Map());
            for (let row = 0; row < this.rows(L.VALUES); row++) this.maps[this.scope(row)].set(this.name(L.VALUES, row, L.VALUE_NAME), row);
        }
        return this.maps;
    }

    /** The row of a value. @param {string} name @param {string} graph @returns {number | undefined} */
    find(name, graph) {
        this.graph(this.rows(L.SCOPES) - 1);
        const { chars } = this, scope = this.paths.lastIndexOf(graph), start = this.tables[L.TEXT], bytes = encoder.encode(name);
        // A few are looked for byte by byte, which takes less than to make all strings; bytes that are no UTF-8 have none of their own.
        if (this.asked++ > FEW || name.includes('\ufffd')) return this.index[scope]?.get(name);
        for (let row = this.rows(L.VALUES); row--;) {
            const text = this.at(L.VALUES, row, L.VALUE_NAME), from = start[text];
            let left = bytes.length;
            if (start[text + 1] - from !== left || this.scope(row) !== scope) continue;
            while (left && chars[from + left - 1] === bytes[left - 1]) left--;
            if (!left) return row;
        }
        return undefined;
    }

    /** A name as a node of that graph sees it. @param {string} name @param {number} scope @returns {number | undefined} */
    resolve(name, scope) {
        for (; scope !== L.NONE; scope = this.at(L.SCOPES, scope, L.SCOPE_PARENT)) {
            const row = this.index[scope].get(name);
            if (row !== undefined) return row;
        }
        return undefined;
    }
}

// AttributeProto's types, as far as a rule sees them.
const SINGLE = [1, 2, 3], TENSOR = 4;

/** A node as a host's rule sees it. @param {Report} report of shp_report_node */
export function nodeView(report) {
    /** @param {number} row */
    const tensor = (row) => ({ type: report.type(row), shape: report.shape(row), content: report.content(row) ?? null });
    const { domain, name: op } = report.op(0), names = report.names(0, false);
    /** @type {Record<string, any>} */
    const attributes = {};
    for (let row = names.length; row < report.rows(L.VALUES); row++) {
        const kind = report.at(L.VALUES, row, L.VALUE_NODE), values = report.content(row);
        attributes[report.name(L.VALUES, row, L.VALUE_NAME)] = kind === TENSOR ? tensor(row) : SINGLE.includes(kind) ? values?.[0] : values;
    }
    return {
        domain, op, attributes, name: report.nodeName(0), opset: report.cell(0),
        inputs: names.map((name, row) => (name ? { name, ...tensor(row) } : null)), outputs: report.names(0, true),
    };
}
