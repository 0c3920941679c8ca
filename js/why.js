/* Why a value has its shape, or has none: the way back to the inputs, from what each rule read. */
import * as L from './layout.js';

/** @import { InferResult, Value, WhyStep } from './model.d.ts' */
/** @import { Report } from './report.js' */
/** What is asked of a value: "rank", "elements", "sizes" (all known) or a symbol's name. @typedef {string} Need */
/** Where it comes from. @typedef {{ row: number, read: 'shape' | 'elements', need: Need }} Way */

/** Whether an expression mentions a symbol. @param {unknown} text @param {string} name */
const mentions = (text, name) => typeof text === 'string' && (text === name || text.split(/`|[^\p{L}\p{N}_.:]+/u).includes(name) || text.includes(`\`${name}\``));

/** Why a symbol is there: a row of L.ORIGINS. @param {Report} r @param {number} symbol */
const originOf = (r, symbol) => r.at(L.SYMBOLS, symbol, L.SYMBOL_ORIGIN);

/** @param {Report} r @param {InferResult} result @param {number} start a value's row @param {(row: number) => Value} valueOf @returns {WhyStep[]} */
export function why(r, result, start, valueOf) {
    const symbols = new Map(result.symbols.map((symbol, row) => [symbol.name, row])), owned = childScopes(r);

    /** Whether a value has what is needed. @param {number} row @param {Need} need @returns {'shape' | 'elements' | undefined} */
    const has = (row, need) => {
        if (need === 'rank') return r.shape(row) ? undefined : 'shape';
        if (need === 'elements') return r.content(row)?.every((e) => e !== null) ? undefined : 'elements';
        if (need === 'sizes') return r.kind(row) === 'initializer' ? undefined : 'shape';
        return r.shape(row)?.some((dim) => mentions(dim, need)) ? 'shape' : r.content(row)?.some((e) => mentions(e, need)) ? 'elements' : undefined;
    };

    /** Where a value's need comes from: what has it too, else the inputs whose elements are missing. @param {number} row @param {Need} need @returns {Way[]} */
    const origin = (row, need) => {
        const node = r.at(L.VALUES, row, L.VALUE_NODE), scope = r.scope(row);
        if (node === L.NONE) {                    // a body's input: what its owner hands in
            const owner = r.at(L.SCOPES, scope, L.SCOPE_NODE);
            return owner === L.NONE || r.kind(row) !== 'input' ? [] : pick(inputs(owner), need);
        }
        const symbol = symbols.get(need), born = symbol !== undefined && r.at(L.SYMBOLS, symbol, L.SYMBOL_NODE) === node && L.ORIGINS[originOf(r, symbol)];
        const bodies = (owned.get(node) ?? []).map((row) => ({ row, shape: true, content: true })), all = inputs(node), lists = all.filter((i) => i.content);
        if (born === 'rank') return pick(all, 'rank').slice(0, 1);
        if (born && born !== 'content') return [];
        if (need === 'rank' && bodies.length && !pick(bodies, need).length) return [];      // they differ
        for (const list of born ? [lists] : [bodies, all]) {
            const found = pick(list, need);
            if (found.length) return need === 'elements' && list === all ? found : found.slice(0, 1);
        }
        if (need === 'sizes') return [];
        const unread = need === 'elements' || has(row, need) === 'elements' ? all.filter((i) => r.kind(i.row) !== 'initializer') : [];
        const missing = need === 'elements' ? [] : pick(lists, 'elements'), whole = missing.filter((way) => !r.type(way.row)?.includes('float'));
        // Elements of floats are mostly data. What no rule looks at decides all the same.
        const ways = whole.length ? whole : missing.length ? missing : pick(unread.map(({ row }) => ({ row, shape: true, content: true })), 'elements').slice(0, 1);
        return ways.length || need !== 'rank' ? ways : pick(all, 'sizes').slice(0, 1);      // sizes decide it
    };

    /** The inputs that decided something. @param {number} node */
    const inputs = (node) => r.names(node, false).flatMap((name, i) => {
        const read = r.read(node, i), row = name && read ? r.resolve(name, r.at(L.NODES, node, L.NODE_SCOPE)) : undefined;
        return row === undefined ? [] : [{ row, shape: read & 1, content: read & 2 }];
    });

    /** @param {{ row: number, shape: unknown, content: unknown }[]} list @param {Need} need @returns {Way[]} */
    const pick = (list, need) => list.flatMap(({ row, shape, content }) => {
        const read = has(row, need);
        return read && (read === 'shape' ? shape : content) ? [{ row, read, need }] : [];
    });

    /** @type {Map<number, Set<Need>>} */
    const steps = new Map([[start, new Set(needs(r, start, symbols))]]);
    for (const [row, wanted] of steps) {
        for (const need of wanted) {
            for (const from of origin(row, need)) {
                const known = steps.get(from.row);
                if (!known) steps.set(from.row, new Set([from.need]));
                else if (!known.has(from.need) && from.row !== row) { known.add(from.need); steps.delete(from.row); steps.set(from.row, known); }
            }
        }
    }
    return [...steps].map(([row, wanted]) => step(r, result, valueOf(row), row, [...wanted], [...wanted].map((need) => origin(row, need)), symbols, owned));
}

/** What there is to explain of a value: unknown symbols first, else the declared ones, else plain sizes.
 * @param {Report} r @param {number} row @param {Map<string, number>} symbols @returns {Need[]} */
function needs(r, row, symbols) {
    const shape = r.shape(row);
    if (!shape) return ['rank'];
    const named = [...symbols.keys()].filter((name) => shape.some((dim) => mentions(dim, name)));
    const open = named.filter((name) => originOf(r, /** @type {number} */ (symbols.get(name))));
    return open.length ? open : named.length ? named : ['sizes'];
}

/** Outputs of the bodies that a node owns or calls, by node. @param {Report} r @returns {Map<number, number[]>} */
function childScopes(r) {
    const owned = new Map();
    for (let row = 0; row < r.rows(L.VALUES); row++) {
        const node = r.at(L.SCOPES, r.scope(row), L.SCOPE_NODE);
        if (node === L.NONE || r.kind(row) !== 'output') continue;
        if (!owned.get(node)?.push(row)) owned.set(node, [row]);
    }
    return owned;
}

/**
 * @param {Report} r @param {InferResult} result @param {Value} value @param {number} row @param {Need[]} about
 * @param {Way[][]} from @param {Map<string, number>} symbols
 * @param {Map<number, number[]>} owned
 * @returns {WhyStep}
 */
function step(r, result, value, row, about, from, symbols, owned) {
    const node = r.at(L.VALUES, row, L.VALUE_NODE);
    const said = result.diagnostics.filter((d) => (node === L.NONE ? !d.node && d.value === value.name : d.node === value.node) && d.graph === value.graph).map((d) => d.message);
    const begins = about.flatMap((need, i) => {
        const symbol = symbols.get(need);
        if (need === 'rank' && !from[i].length) {
            if (node === L.NONE) return ['the file says no shape'];
            const inputs = r.names(node, false), waits = inputs.length && inputs.every((_, k) => !r.read(node, k));
            return waits && !said.length ? ['it waits for a cycle of nodes'] : (owned.get(node) ?? []).map((body) => `${r.graph(r.scope(body))} gives [${r.shape(body)?.join(', ')}]`);
        }
        if (need === 'elements' && !from[i].length) return [L.REASONS[L.ORIGINS.indexOf('content')]];
        return symbol === undefined || from[i].some((way) => way.need === need) ? [] : [`${need}: ${L.REASONS[originOf(r, symbol)]}`];
    });
    const ways = new Map(from.flat().map((way) => [way.row, way]));
    return {
        ...value, op: node === L.NONE ? null : r.op(node).full, about,
        from: [...ways.values()].map((way) => ({
            value: r.name(L.VALUES, way.row, L.VALUE_NAME), graph: r.graph(r.scope(way.row)), read: way.read,
        })),
        notes: [...begins, ...said],
    };
}
