/* What inferShapes answers. */
import { evaluator } from './engine.js';
import * as L from './layout.js';
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
        return this.#made[name] ??= Array.from({ length: this.#report.rows(table) }, (_, row) => make(row));
    }

    get model() {
        const r = this.#report, first = r.at(L.MODEL, 0, L.MODEL_OPSETS), lists = r.tables[L.LISTS];
        return this.#made.model ??= {
            irVersion: r.cell(r.at(L.MODEL, 0, L.MODEL_IR_VERSION)),
            opsetImport: Object.fromEntries(Array.from({ length: r.at(L.MODEL, 0, L.MODEL_OPSET_COUNT) }, (_, i) =>
                [r.string(lists[first + 2 * i]), r.cell(lists[first + 2 * i + 1])])),
            producer: r.name(L.MODEL, 0, L.MODEL_PRODUCER),
        };
    }

    get values() { return this.#all('values', L.VALUES, (row) => this.#value(row)); }

    get nodes() {
        const r = this.#report;
        /** @param {number} row @returns {Node} */
        const node = (row) => ({
            graph: r.graph(r.at(L.NODES, row, L.NODE_SCOPE)),
            index: r.at(L.NODES, row, L.NODE_INDEX),
            name: r.name(L.NODES, row, L.NODE_NAME),
            domain: r.name(L.NODES, row, L.NODE_DOMAIN),
            op: r.name(L.NODES, row, L.NODE_OP),
            inputs: r.names(row, L.NODE_INPUTS),
            outputs: r.names(row, L.NODE_OUTPUTS),
        });
        return this.#all('nodes', L.NODES, node);
    }

    get symbols() {
        const r = this.#report, lists = r.tables[L.LISTS];
        /** @param {number} row @returns {DimSymbol} */
        const symbol = (row) => {
            const node = r.at(L.SYMBOLS, row, L.SYMBOL_NODE), first = r.at(L.SYMBOLS, row, L.SYMBOL_WHERE);
            const equal = r.strings(r.at(L.SYMBOLS, row, L.SYMBOL_EQUAL), r.at(L.SYMBOLS, row, L.SYMBOL_EQUAL_COUNT));
            return {
                name: r.name(L.SYMBOLS, row, L.SYMBOL_NAME),
                origin: /** @type {DimSymbol['origin']} */ (L.ORIGINS[r.at(L.SYMBOLS, row, L.SYMBOL_ORIGIN)]),
                where: Array.from({ length: r.at(L.SYMBOLS, row, L.SYMBOL_WHERE_COUNT) }, (_, i) => {
                    const value = lists[first + 2 * i], graph = r.graph(r.at(L.VALUES, value, L.VALUE_SCOPE));
                    return { value: r.name(L.VALUES, value, L.VALUE_NAME), axis: lists[first + 2 * i + 1], ...(graph ? { graph } : {}) };
                }),
                ...(node === NONE ? {} : { graph: r.graph(r.at(L.NODES, node, L.NODE_SCOPE)), node: /** @type {string} */ (r.label(node)) }),
                ...(equal.length ? { equalTo: equal } : {}),
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
                op: node === NONE ? null : r.op(node),
                message: r.name(L.DIAGNOSTICS, row, L.DIAGNOSTIC_MESSAGE),
            };
        };
        return this.#all('diagnostics', L.DIAGNOSTICS, diagnostic);
    }

    /** @param {string} name @param {string} [graph] */
    get(name, graph = '') {
        const row = this.#report.find(name, graph);
        return row === undefined ? undefined : this.#made.values?.[row] ?? this.#value(row);
    }

    /** @param {Dim | readonly Dim[]} shape @param {Record<string, number | bigint>} bindings @returns {any} */
    evaluate(shape, bindings) {
        const value = evaluator(this.#module, bindings), lengths = Array.isArray(shape) ? shape : [shape];
        /** @param {unknown} dim @returns {bigint | Error} */
        const number = (dim) => typeof dim === 'string' ? value(dim) : typeof dim === 'bigint' || Number.isInteger(dim) ? BigInt(/** @type {any} */ (dim))
            : new TypeError(`${dim} is no dim: pass integers and expressions`);
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
        const row = this.#report.find(name, graph);
        if (row === undefined) throw new RangeError(`no value ${JSON.stringify(name)}${graph && ` in graph ${JSON.stringify(graph)}`}`);
        return why(this.#report, this, row);
    }

    toJSON() {
        const { model, values, nodes, symbols, assumptions, diagnostics } = this;
        return { model, values, nodes, symbols, assumptions, diagnostics };
    }

    /** @param {number | string} [indent] */
    stringify(indent) {
        let mark = '@';             // no string of the report begins with it
        while (this.#report.text.includes(mark)) mark += '@';
        const json = JSON.stringify(this.toJSON(), (_, v) => typeof v === 'bigint' ? mark + v
            : typeof v === 'number' && !Number.isFinite(v) ? String(v) : v, indent);
        return json.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
    }

    /** @param {number} row @returns {Value} */
    #value(row) {
        const r = this.#report, content = r.content(row), length = r.length(row);
        return {
            name: r.name(L.VALUES, row, L.VALUE_NAME),
            graph: r.graph(r.at(L.VALUES, row, L.VALUE_SCOPE)),
            kind: /** @type {Value['kind']} */ (L.KINDS[r.at(L.VALUES, row, L.VALUE_KIND)]),
            type: r.type(row),
            shape: r.shape(row),
            node: r.label(r.at(L.VALUES, row, L.VALUE_NODE)),
            ...(content ? { content } : {}),
            ...(length === undefined ? {} : { length }),
        };
    }
}
