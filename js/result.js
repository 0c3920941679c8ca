/* What inferShapes answers. */
import { evaluator } from './engine.js';
import * as L from './layout.js';
import { wrong } from './options.js';
import { why } from './why.js';

/** @import { Assumption, Diagnostic, Dim, InferResult, Node, Stats, DimSymbol, Value } from './model.d.ts' */
/** @import { Report } from './report.js' */

const NONE = 0xffffffff;
const SEVERITY = { e: 'error', w: 'warning', i: 'info' };

/** @implements {InferResult} */
export class Result {
    /** @type {Report} */ #report;
    /** @type {WebAssembly.Module} */ #module;
    /** @type {Record<string, any>} */ #made = {};

    /** @param {Report} report @param {WebAssembly.Module} module @param {Stats} stats */
    constructor(report, module, stats) {
        this.#report = report;
        this.#module = module;
        Object.defineProperty(this, 'stats', { value: stats });     // about the call, not the model
    }

    /** @type {Stats} */ stats = /** @type {any} */ (undefined);

    /** @template T @param {string} name @param {number} table @param {(row: number) => T} make @returns {T[]} */
    #all(name, table, make) {
        const made = this.#made;
        if (!made[name]) {
            made[name] = new Array(this.#report.rows(table));
            for (let row = 0; row < made[name].length; row++) made[name][row] = make(row);
        }
        return made[name];
    }

    get model() {
        const r = this.#report, opsets = Array.from({ length: r.rows(L.OPSETS) }, (_, i) =>
            [r.name(L.OPSETS, i, L.OPSET_DOMAIN), r.cell(r.at(L.OPSETS, i, L.OPSET_VERSION))]);
        return this.#made.model ??= {
            irVersion: r.cell(r.at(L.MODEL, 0, L.MODEL_IR_VERSION)),
            opsetImport: Object.fromEntries(opsets),
            producer: r.name(L.MODEL, 0, L.MODEL_PRODUCER),
        };
    }

    get values() { return this.#all('values', L.VALUES, (row) => this.#value(row)); }

    get nodes() {
        const r = this.#report;
        /** @param {number} row @returns {Node} */
        const node = (row) => {
            const { domain, name: op } = r.op(row);
            return {
                graph: r.graph(r.at(L.NODES, row, L.NODE_SCOPE)),
                index: r.indexOf(row),
                name: r.nodeName(row),
                domain,
                op,
                inputs: r.names(row, false),
                outputs: r.names(row, true),
            };
        };
        return this.#all('nodes', L.NODES, node);
    }

    get symbols() {
        const r = this.#report;
        /** Of each symbol its places, and what it equals. @type {{ where: DimSymbol['where'], equalTo: string[] }[]} */
        const of = Array.from({ length: r.rows(L.SYMBOLS) }, () => ({ where: [], equalTo: [] }));
        for (let row = 0; row < r.rows(L.PLACES); row++) {
            const value = r.at(L.PLACES, row, L.PLACE_VALUE), graph = r.graph(r.scope(value));
            of[r.at(L.PLACES, row, L.PLACE_SYMBOL)].where.push({
                value: r.name(L.VALUES, value, L.VALUE_NAME), axis: r.at(L.PLACES, row, L.PLACE_AXIS), ...(graph ? { graph } : {}) });
        }
        for (let row = 0; row < r.rows(L.EQUALS); row++) of[r.at(L.EQUALS, row, L.EQUAL_SYMBOL)].equalTo.push(r.name(L.EQUALS, row, L.EQUAL_TEXT));
        /** @param {number} row @returns {DimSymbol} */
        const symbol = (row) => {
            const node = r.at(L.SYMBOLS, row, L.SYMBOL_NODE), { where, equalTo } = of[row];
            return {
                name: r.name(L.SYMBOLS, row, L.SYMBOL_NAME),
                origin: /** @type {DimSymbol['origin']} */ (L.ORIGINS[r.at(L.SYMBOLS, row, L.SYMBOL_ORIGIN)]),
                where,
                ...(node === NONE ? {} : { graph: r.graph(r.at(L.NODES, node, L.NODE_SCOPE)), node: /** @type {string} */ (r.label(node)) }),
                ...(equalTo.length ? { equalTo } : {}),
            };
        };
        return this.#all('symbols', L.SYMBOLS, symbol);
    }

    get assumptions() {
        const r = this.#report;
        /** @param {number} row @returns {Assumption} */
        const assumption = (row) => ({
            lhs: r.cell(r.at(L.ASSUMPTIONS, row, L.ASSUMPTION_LHS)),
            rhs: r.cell(r.at(L.ASSUMPTIONS, row, L.ASSUMPTION_RHS)),
            graph: r.graph(r.at(L.ASSUMPTIONS, row, L.ASSUMPTION_SCOPE)),
            node: r.label(r.at(L.ASSUMPTIONS, row, L.ASSUMPTION_NODE)),
            reason: r.name(L.ASSUMPTIONS, row, L.ASSUMPTION_REASON),
        });
        return this.#all('assumptions', L.ASSUMPTIONS, assumption);
    }

    get diagnostics() {
        const r = this.#report;
        /** @param {number} row @returns {Diagnostic} */
        const diagnostic = (row) => {
            const letter = String.fromCharCode(r.at(L.DIAGNOSTICS, row, L.DIAGNOSTIC_SEVERITY)), node = r.at(L.DIAGNOSTICS, row, L.DIAGNOSTIC_NODE);
            return {
                severity: /** @type {Diagnostic['severity']} */ (SEVERITY[/** @type {'e'} */ (letter)]),
                code: L.CODES[r.at(L.DIAGNOSTICS, row, L.DIAGNOSTIC_CODE)],
                graph: r.graph(r.at(L.DIAGNOSTICS, row, L.DIAGNOSTIC_SCOPE)),
                node: r.label(node),
                value: r.name(L.DIAGNOSTICS, row, L.DIAGNOSTIC_VALUE) || null,
                op: node === NONE ? null : r.op(node).full,
                message: r.name(L.DIAGNOSTICS, row, L.DIAGNOSTIC_MESSAGE),
            };
        };
        return this.#all('diagnostics', L.DIAGNOSTICS, diagnostic);
    }

    /** @param {string} name @param {string} [graph] */
    get(name, graph = '') {
        const row = this.#find(name, graph);
        return row === undefined ? undefined : this.#made.values?.[row] ?? this.#value(row);
    }

    /** @param {Dim | readonly Dim[]} shape @param {Record<string, number | bigint>} bindings @returns {any} */
    evaluate(shape, bindings) {
        const value = evaluator(this.#module, bindings), names = new Set(this.symbols.map((s) => s.name)), lengths = Array.isArray(shape) ? shape : [shape];
        /** @param {unknown} dim @returns {bigint | Error} */
        const number = (dim) => typeof dim === 'string' ? value(names.has(dim) && !Object.hasOwn(bindings, dim) ? `\`${dim}\`` : dim)
            : typeof dim === 'bigint' || Number.isInteger(dim) ? BigInt(/** @type {any} */ (dim))
            : new TypeError(`${dim} is no dim: pass integers and expressions`);
        for (const { name, origin, where } of this.symbols) {
            // Others may stand for elements, of either sign.
            if (origin === 'declared' && where.length && /** @type {any} */ (number(name)) < 0) throw new RangeError(`${name} is negative: it is a size`);
        }
        for (const { lhs, rhs, graph, node, reason } of this.assumptions) {
            const left = number(lhs), right = number(rhs);
            if (typeof left === 'bigint' && typeof right === 'bigint' && left < right) {
                throw new RangeError(`${lhs} is ${left}, and ${graph && `${graph}/`}${node} assumes ${lhs} >= ${rhs} (${reason}): infer with freeDimensionOverrides instead`);
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
        return why(this.#report, this, row);
    }

    toJSON() {
        const { model, values, nodes, symbols, assumptions, diagnostics } = this;
        return { model, values, nodes, symbols, assumptions, diagnostics };
    }

    /** What Node's console shows. */
    [Symbol.for('nodejs.util.inspect.custom')]() { return { ...this.toJSON(), stats: this.stats }; }

    /** @param {number | string} [indent] */
    stringify(indent) {
        if (this.#report.plain) return JSON.stringify(this, undefined, indent);
        let mark = '@';             // no string of the report begins with it
        while (this.#report.text.includes(mark)) mark += '@';
        const json = JSON.stringify(this, (_, v) => typeof v === 'bigint' ? mark + v
            : typeof v === 'number' && !Number.isFinite(v) ? String(v) : v, indent);
        return json.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
    }

    /** @param {unknown} name @param {unknown} graph */
    #find(name, graph) {
        if (typeof name !== 'string') throw wrong('name', name, 'the name of a value');
        if (typeof graph !== 'string') throw wrong('graph', graph, 'a path');
        return this.#report.find(name, graph);
    }

    /** @param {number} row @returns {Value} */
    #value(row) {
        const r = this.#report, content = r.content(row), length = r.fact(row, L.FACT_LENGTH);
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
        if (length !== NONE) value.length = r.cell(length);
        return value;
    }
}
