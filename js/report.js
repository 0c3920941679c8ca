/* The tables of src/report.h, read where they lie. Objects are made when somebody looks. */
import * as L from './layout.js';

/** @import { Dim, Element } from './model.d.ts' */

const NONE = 0xffffffff;

export class Report {
    /** @param {Uint32Array[]} tables @param {string} text */
    constructor(tables, text) {
        this.tables = tables;
        this.text = text;
        /** @type {Map<string, number>[] | undefined} */
        this.maps = undefined;
        /** @type {Map<string, number> | undefined} */
        this.paths = undefined;
    }

    /** @param {number} table */
    rows(table) { return this.tables[table].length / L.WIDTHS[table]; }

    /** @param {number} table @param {number} row @param {number} column */
    at(table, row, column) { return this.tables[table][row * L.WIDTHS[table] + column]; }

    /** String i. @param {number} i */
    string(i) { return this.text.slice(this.tables[L.TEXT][i], this.tables[L.TEXT][i + 1]); }

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
            case L.CELL_REAL: return new Float64Array(this.tables[L.CELLS].slice(2 * low, 2 * low + 2).buffer)[0];
            case L.CELL_BIG: return BigInt(this.string(low));
        }
        const value = (high | 0) * 2 ** 32 + low;
        return Number.isSafeInteger(value) ? value : BigInt(high | 0) << 32n | BigInt(low);
    }

    /** @param {number} first @param {number} count @returns {any[]} */
    cells(first, count) { return Array.from({ length: count }, (_, i) => this.cell(first + i)); }

    /** @param {number} first @param {number} count */
    strings(first, count) { return Array.from({ length: count }, (_, i) => this.string(this.tables[L.LISTS][first + i])); }

    /** @param {number} row */
    type(row) { return this.name(L.VALUES, row, L.VALUE_TYPE) || null; }

    /** @param {number} row @returns {Dim[] | null} */
    shape(row) {
        const rank = this.at(L.VALUES, row, L.VALUE_RANK);
        return rank === NONE ? null : this.cells(this.at(L.VALUES, row, L.VALUE_SHAPE), rank);
    }

    /** @param {number} row @returns {Element[] | undefined} */
    content(row) {
        const first = this.at(L.VALUES, row, L.VALUE_CONTENT);
        return first === NONE ? undefined : this.cells(first, this.at(L.VALUES, row, L.VALUE_COUNT));
    }

    /** @param {number} row */
    length(row) {
        const at = this.at(L.VALUES, row, L.VALUE_LENGTH);
        return at === NONE ? undefined : this.cell(at);
    }

    /** What a node is called: its name where no other of its graph has it, else operator and index. @param {number} row */
    label(row) {
        if (row === NONE) return null;
        return this.at(L.NODES, row, L.NODE_UNIQUE) ? this.name(L.NODES, row, L.NODE_NAME)
            : `${this.name(L.NODES, row, L.NODE_OP)}#${this.at(L.NODES, row, L.NODE_INDEX)}`;
    }

    /** Path of a graph. @param {number} scope */
    graph(scope) { return this.name(L.SCOPES, scope, L.SCOPE_PATH); }

    /** Names of a node's inputs or outputs. @param {number} row @param {number} column */
    names(row, column) { return this.strings(this.at(L.NODES, row, column), this.at(L.NODES, row, column + 1)); }

    /** Rows of values by scope and name. */
    get index() {
        if (!this.maps) {
            this.maps = Array.from({ length: this.rows(L.SCOPES) }, () => new Map());
            for (let row = 0; row < this.rows(L.VALUES); row++) {
                this.maps[this.at(L.VALUES, row, L.VALUE_SCOPE)].set(this.name(L.VALUES, row, L.VALUE_NAME), row);
            }
        }
        return this.maps;
    }

    /** The row of a value. @param {string} name @param {string} graph @returns {number | undefined} */
    find(name, graph) {
        this.paths ??= new Map(this.index.map((_, scope) => [this.graph(scope), scope]));
        const scope = this.paths.get(graph);
        return scope === undefined ? undefined : this.index[scope].get(name);
    }

    /** A name as a node of that graph sees it. @param {string} name @param {number} scope @returns {number | undefined} */
    resolve(name, scope) {
        for (; scope !== NONE; scope = this.at(L.SCOPES, scope, L.SCOPE_PARENT)) {
            const row = this.index[scope].get(name);
            if (row !== undefined) return row;
        }
        return undefined;
    }

    /** @param {number} row */
    op(row) {
        const domain = this.name(L.NODES, row, L.NODE_DOMAIN), op = this.name(L.NODES, row, L.NODE_OP);
        return domain ? `${domain}::${op}` : op;
    }
}

// AttributeProto's types, as far as a rule sees them.
const SINGLE = [1, 2, 3], TENSOR = 4;

/** A node as a host's rule sees it. */
export class NodeView {
    /** @param {Report} report of shp_report_node */
    constructor(report) {
        const count = report.at(L.NODES, 0, L.NODE_INPUT_COUNT);
        /** @param {number} row */
        const tensor = (row) => ({ type: report.type(row), shape: report.shape(row), content: report.content(row) ?? null });
        this.domain = report.name(L.NODES, 0, L.NODE_DOMAIN);
        this.op = report.name(L.NODES, 0, L.NODE_OP);
        this.name = report.name(L.NODES, 0, L.NODE_NAME);
        this.opset = report.at(L.NODES, 0, L.NODE_SCOPE);
        this.inputs = Array.from({ length: count }, (_, row) => {
            const name = report.name(L.VALUES, row, L.VALUE_NAME);
            return name ? { name, ...tensor(row) } : null;
        });
        this.outputs = report.strings(report.at(L.NODES, 0, L.NODE_OUTPUTS), report.at(L.NODES, 0, L.NODE_OUTPUT_COUNT));
        /** @type {Record<string, any>} */
        this.attributes = {};
        for (let row = count; row < report.rows(L.VALUES); row++) {
            const kind = report.at(L.VALUES, row, L.VALUE_KIND), values = report.content(row);
            this.attributes[report.name(L.VALUES, row, L.VALUE_NAME)] = kind === TENSOR ? tensor(row)
                : SINGLE.includes(kind) ? values?.[0] : values;
        }
    }
}
