/* What inferShapes answers. */
import { evaluator } from './engine.js';
import * as L from './layout.js';
import { byName, wrong } from './options.js';
import { why } from './why.js';

/** @import { Assumption, Diagnostic, Dim, InferResult, Node, Stats, DimSymbol, Value } from './model.d.ts' */
/** @import { Report } from './report.js' */

const PIECE = 1000;                 // rows of a list that are written at once
const LISTS = /** @type {const} */ (['values', 'nodes', 'symbols', 'assumptions', 'diagnostics']);
const SEVERITY = { e: 'error', w: 'warning', i: 'info' };

/** @implements {InferResult} */
export class Result {
    /** @type {Report} */ #report;
    /** @type {WebAssembly.Module} */ #module;
    /** Lists that somebody has asked for. @type {Record<string, any[]>} */ #made = Object.create(null);
    /** @type {InferResult['model'] | undefined} */ #model;

    /** @param {Report} report @param {WebAssembly.Module} module @param {Stats} stats */
    constructor(report, module, stats) {
        this.#report = report;
        this.#module = module;
        this.stats = stats;
    }

    /** The rows of a list, and what makes one of them. @param {string} list @returns {[rows: number, make: (row: number) => any]} */
    #list(list) {
        const r = this.#report;
        switch (list) {
            case 'values':
                r.labelled = Infinity;      // labels of all: what they share is counted once
                return [r.rows(L.VALUES), (row) => this.#value(row)];
            case 'nodes': return [r.rows(L.NODES), (row) => this.#node(row)];
            case 'symbols': return [r.rows(L.SYMBOLS), this.#symbol()];
            case 'assumptions': return [r.rows(L.ASSUMPTIONS), (row) => this.#assumption(row)];
            case 'diagnostics': return [r.rows(L.DIAGNOSTICS), (row) => this.#diagnostic(row)];
        }
        throw wrong('list', list, `one of ${LISTS.join(', ')}`);
    }

    /** @param {string} list @returns {Generator<any>} */
    *#rows(list) {
        const [rows, make] = this.#list(list);
        for (let row = 0; row < rows; row++) yield make(row);
    }

    /** @param {string} list @returns {any[]} */
    #all(list) {
        if (this.#made[list]) return this.#made[list];
        const [rows, make] = this.#list(list), all = new Array(rows);
        for (let row = 0; row < rows; row++) all[row] = make(row);
        return this.#made[list] = all;
    }

    /** @param {string} list @returns {Iterable<any>} */
    each(list) { return this.#made[list] ?? this.#rows(list); }

    get model() {
        const r = this.#report, opsets = Array.from({ length: r.rows(L.OPSETS) }, (_, i) =>
            [r.name(L.OPSETS, i, L.OPSET_DOMAIN), r.cell(r.at(L.OPSETS, i, L.OPSET_VERSION))]);
        return this.#model ??= {
            irVersion: r.cell(r.at(L.MODEL, 0, L.MODEL_IR_VERSION)),
            opsetImport: Object.fromEntries(opsets),
            producer: r.name(L.MODEL, 0, L.MODEL_PRODUCER),
        };
    }

    get values() { return this.#all('values'); }
    get nodes() { return this.#all('nodes'); }
    get symbols() { return this.#all('symbols'); }
    get assumptions() { return this.#all('assumptions'); }
    get diagnostics() { return this.#all('diagnostics'); }

    /** @param {string} name @param {string} [graph] */
    get(name, graph = '') {
        const row = this.#find(name, graph);
        return row === undefined ? undefined : this.#kept(row);
    }

    /** @param {Dim | readonly Dim[]} shape @param {Record<string, number | bigint>} [bindings] @returns {any} */
    evaluate(shape, bindings) {
        const value = evaluator(this.#module, bindings), names = new Set(this.symbols.map((s) => s.name)), lengths = Array.isArray(shape) ? shape : [shape];
        /** @param {unknown} dim @returns {bigint | Error} */
        const number = (dim) => typeof dim === 'string' ? value(names.has(dim) && byName(bindings, dim) === undefined ? `\`${dim}\`` : dim)
            : typeof dim === 'bigint' || Number.isInteger(dim) ? BigInt(/** @type {any} */ (dim))
            : new TypeError(`${dim} is no dim: pass integers and expressions`);
        for (const { name, origin, where } of this.symbols) {
            // Others may stand for elements, of either sign.
            if (origin === 'declared' && where.length && /** @type {any} */ (number(name)) < 0) throw new RangeError(`${name} is negative: it is a size`);
        }
        for (const { lhs, rhs, graph, node, reason } of this.assumptions) {
            const left = number(lhs), right = number(rhs);
            if (typeof left === 'bigint' && typeof right === 'bigint' && left < right) {
                throw new RangeError(`${typeof lhs === 'string' ? `${lhs} is ${left}` : `${rhs} is ${right}`}, and ${graph && `${graph}/`}${node} assumes ${lhs} >= ${rhs} (${reason}): infer with freeDimensionOverrides instead`);
            }
        }
        const out = lengths.map((dim) => {
            const n = number(dim);
            if (n instanceof Error) throw n;
            return Number.isSafeInteger(Number(n)) ? Number(n) : n;
        });
        return Array.isArray(shape) ? out : out[0];
    }

    /** @param {string} name @param {string} [graph] */
    why(name, graph = '') {
        const row = this.#find(name, graph);
        if (row === undefined) throw new RangeError(`no value ${JSON.stringify(name)}${graph && ` in graph ${JSON.stringify(graph)}`}`);
        return why(this.#report, this, row, (r) => this.#kept(r));
    }

    toJSON() {
        const { model, values, nodes, symbols, assumptions, diagnostics } = this;
        return { model, values, nodes, symbols, assumptions, diagnostics };
    }

    /** What Node's console shows. */
    [Symbol.for('nodejs.util.inspect.custom')]() { return { ...this.toJSON(), stats: this.stats }; }

    /** @param {number | string} [indent] */
    stringify(indent) { return indent ? this.#exact()(this, indent) : [...this.pieces()].join(''); }

    /** @returns {Generator<string>} */
    *pieces() {
        const exact = this.#exact();
        let text = `{"model":${exact(this.model)}`;
        for (const list of LISTS) {
            /** @type {unknown[]} */
            let rows = [], before = `${text},"${list}":[`;
            const take = () => before + exact(rows).slice(1, -1);
            for (const row of this.each(list)) {
                if (rows.length === PIECE) {
                    yield take();
                    rows = [];
                    before = ',';
                }
                rows.push(row);
            }
            text = `${take()}]`;
        }
        yield `${text}}`;
    }

    /** What writes JSON, with each number as it is. @returns {(of: unknown, indent?: number | string) => string} */
    #exact() {
        if (this.#report.plain) return (of, indent) => JSON.stringify(of, undefined, indent);
        let mark = '@';             // no string of the report begins with it
        while (this.#report.text.includes(mark)) mark += '@';
        const marked = new RegExp(`"${mark}(-?\\d+)"`, 'g');
        return (of, indent) => JSON.stringify(of, (_, v) => typeof v === 'bigint' ? mark + v
            : typeof v === 'number' && !Number.isFinite(v) ? String(v) : v, indent).replaceAll(marked, '$1');
    }

    /** @param {unknown} name @param {unknown} graph */
    #find(name, graph) {
        if (typeof name !== 'string') throw wrong('name', name, 'the name of a value');
        if (typeof graph !== 'string') throw wrong('graph', graph, 'a path');
        return this.#report.find(name, graph);
    }

    /** @param {number} row @returns {Node} */
    #node(row) {
        const r = this.#report, { domain, name: op } = r.op(row);
        return {
            graph: r.graph(r.at(L.NODES, row, L.NODE_SCOPE)),
            index: r.indexOf(row),
            name: r.nodeName(row),
            domain,
            op,
            inputs: r.names(row, false),
            outputs: r.names(row, true),
        };
    }

    /** @returns {(row: number) => DimSymbol} */
    #symbol() {
        const r = this.#report;
        /** Of each symbol its places, and what it equals. @type {{ where: DimSymbol['where'], equalTo: string[] }[]} */
        const of = Array.from({ length: r.rows(L.SYMBOLS) }, () => ({ where: [], equalTo: [] }));
        for (let row = 0; row < r.rows(L.PLACES); row++) {
            const value = r.at(L.PLACES, row, L.PLACE_VALUE), graph = r.graph(r.scope(value));
            of[r.at(L.PLACES, row, L.PLACE_SYMBOL)].where.push({
                value: r.name(L.VALUES, value, L.VALUE_NAME), axis: r.at(L.PLACES, row, L.PLACE_AXIS), ...(graph ? { graph } : {}) });
        }
        for (let row = 0; row < r.rows(L.EQUALS); row++) of[r.at(L.EQUALS, row, L.EQUAL_SYMBOL)].equalTo.push(r.name(L.EQUALS, row, L.EQUAL_TEXT));
        return (row) => {
            const node = r.at(L.SYMBOLS, row, L.SYMBOL_NODE), { where, equalTo } = of[row];
            return {
                name: r.name(L.SYMBOLS, row, L.SYMBOL_NAME),
                origin: /** @type {DimSymbol['origin']} */ (L.ORIGINS[r.at(L.SYMBOLS, row, L.SYMBOL_ORIGIN)]),
                where,
                ...(node === L.NONE ? {} : { graph: r.graph(r.at(L.NODES, node, L.NODE_SCOPE)), node: /** @type {string} */ (r.label(node)) }),
                ...(equalTo.length ? { equalTo } : {}),
            };
        };
    }

    /** @param {number} row @returns {Assumption} */
    #assumption(row) {
        const r = this.#report;
        return {
            lhs: r.cell(r.at(L.ASSUMPTIONS, row, L.ASSUMPTION_LHS)),
            rhs: r.cell(r.at(L.ASSUMPTIONS, row, L.ASSUMPTION_RHS)),
            graph: r.graph(r.at(L.ASSUMPTIONS, row, L.ASSUMPTION_SCOPE)),
            node: r.label(r.at(L.ASSUMPTIONS, row, L.ASSUMPTION_NODE)),
            reason: r.name(L.ASSUMPTIONS, row, L.ASSUMPTION_REASON),
        };
    }

    /** @param {number} row @returns {Diagnostic} */
    #diagnostic(row) {
        const r = this.#report, letter = String.fromCharCode(r.at(L.DIAGNOSTICS, row, L.DIAGNOSTIC_SEVERITY)), node = r.at(L.DIAGNOSTICS, row, L.DIAGNOSTIC_NODE);
        return {
            severity: /** @type {Diagnostic['severity']} */ (SEVERITY[/** @type {'e'} */ (letter)]),
            code: L.CODES[r.at(L.DIAGNOSTICS, row, L.DIAGNOSTIC_CODE)],
            graph: r.graph(r.at(L.DIAGNOSTICS, row, L.DIAGNOSTIC_SCOPE)),
            node: r.label(node),
            value: r.name(L.DIAGNOSTICS, row, L.DIAGNOSTIC_VALUE) || null,
            op: node === L.NONE ? null : r.op(node).full,
            message: r.name(L.DIAGNOSTICS, row, L.DIAGNOSTIC_MESSAGE),
        };
    }

    /** A value, made already or now. @param {number} row @returns {Value} */
    #kept(row) { return this.#made.values?.[row] ?? this.#value(row); }

    /** @param {number} row @returns {Value} */
    #value(row) {
        const r = this.#report, content = r.content(row), length = r.at(L.FACTS, r.fact(row), L.FACT_LENGTH);
        /** @type {Value} */
        const value = {
            name: r.name(L.VALUES, row, L.VALUE_NAME),
            graph: r.graph(r.scope(row)),
            kind: /** @type {Value['kind']} */ (r.kind(row)),
            type: r.type(row),
            shape: r.shape(row),
            node: r.label(r.at(L.VALUES, row, L.VALUE_NODE)),
        };
        if (content) value.content = content;
        if (length !== L.NONE) value.length = r.cell(length);
        return value;
    }
}
