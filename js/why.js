/* Why a value has its shape, or has none: the way back to the inputs, from what each rule read. */
import * as L from './layout.js';

/** @import { InferResult, WhyStep } from './model.d.ts' */
/** @import { Report } from './report.js' */
/** What is asked of a value: "rank", "elements", "sizes" (all known) or a symbol's name. @typedef {string} Need */

const NONE = 0xffffffff;

/** Whether an expression mentions a symbol. @param {unknown} text @param {string} name */
const mentions = (text, name) => typeof text === 'string' && (text === name || text.split(/`|[^\p{L}\p{N}_.:]+/u).includes(name) || text.includes(`\`${name}\``));

/** @param {Report} r @param {InferResult} result @param {number} start a value's row @returns {WhyStep[]} */
export function why(r, result, start) {
    const symbols = new Map(result.symbols.map((symbol, row) => [symbol.name, row])), owned = childScopes(r);

    /** Whether a value has what is needed. @param {number} row @param {Need} need @returns {'shape' | 'elements' | undefined} */
    const has = (row, need) => {
        if (need === 'rank') return r.shape(row) ? undefined : 'shape';
        if (need === 'elements') return r.content(row)?.every((e) => e !== null) ? undefined : 'elements';
        if (need === 'sizes') return r.kind(row) === 'initializer' ? undefined : 'shape';
        return r.shape(row)?.some((dim) => mentions(dim, need)) ? 'shape' : r.content(row)?.some((e) => mentions(e, need)) ? 'elements' : undefined;
    };

    /** Where a value's need comes from. @param {number} row @param {Need} need */
    const origin = (row, need) => {
        const node = r.at(L.VALUES, row, L.VALUE_NODE), scope = r.scope(row);
        if (node === NONE) {                    // a body's input: what its owner hands in
            const owner = r.at(L.SCOPES, scope, L.SCOPE_NODE);
            return owner === NONE || r.kind(row) !== 'input' ? undefined : pick(inputs(owner), need);
        }
        const symbol = symbols.get(need);
        if (symbol !== undefined && r.at(L.SYMBOLS, symbol, L.SYMBOL_NODE) === node) return undefined;
        const bodies = (owned.get(node) ?? []).map((row) => ({ row, shape: true, content: true }));
        if (need === 'rank' && bodies.length && !pick(bodies, need)) return undefined;      // they differ
        return pick(bodies, need) ?? pick(inputs(node), need) ?? (need === 'rank' ? pick(inputs(node).filter((i) => i.content), 'elements', 'elements') : undefined);
    };

    /** The inputs that decided something. @param {number} node */
    const inputs = (node) => r.names(node, false).flatMap((name, i) => {
        const read = r.read(node, i), row = name && read ? r.resolve(name, r.at(L.NODES, node, L.NODE_SCOPE)) : undefined;
        return row === undefined ? [] : [{ row, shape: read & 1, content: read & 2 }];
    });

    /** @param {{ row: number, shape: unknown, content: unknown }[]} list @param {Need} need @param {Need} [next] */
    const pick = (list, need, next = need) => {
        for (const { row, shape, content } of list) {
            const read = has(row, need);
            if (read && (read === 'shape' ? shape : content)) return { row, read, need: next };
        }
        return undefined;
    };

    /** @type {Map<number, Set<Need>>} */
    const steps = new Map([[start, new Set(needs(r, start, symbols))]]);
    for (const [row, wanted] of steps) {
        for (const need of wanted) {
            const from = origin(row, need);
            if (!from) continue;
            const known = steps.get(from.row);
            if (!known) steps.set(from.row, new Set([from.need]));
            else if (!known.has(from.need) && from.row !== row) { known.add(from.need); steps.delete(from.row); steps.set(from.row, known); }
        }
    }
    return [...steps].map(([row, wanted]) => step(r, result, row, [...wanted], [...wanted].map((need) => origin(row, need)), symbols, owned));
}

/** What there is to explain of a value: unknown symbols first, else the declared ones, else plain sizes.
 * @param {Report} r @param {number} row @param {Map<string, number>} symbols @returns {Need[]} */
function needs(r, row, symbols) {
    const shape = r.shape(row);
    if (!shape) return ['rank'];
    const named = [...symbols.keys()].filter((name) => shape.some((dim) => mentions(dim, name)));
    const open = named.filter((name) => r.at(L.SYMBOLS, /** @type {number} */ (symbols.get(name)), L.SYMBOL_ORIGIN));
    return open.length ? open : named.length ? named : ['sizes'];
}

/** Outputs of the bodies that a node owns or calls, by node. @param {Report} r @returns {Map<number, number[]>} */
function childScopes(r) {
    const owned = new Map();
    for (let row = 0; row < r.rows(L.VALUES); row++) {
        const node = r.at(L.SCOPES, r.scope(row), L.SCOPE_NODE);
        if (node === NONE || r.kind(row) !== 'output') continue;
        if (!owned.get(node)?.push(row)) owned.set(node, [row]);
    }
    return owned;
}

/**
 * @param {Report} r @param {InferResult} result @param {number} row @param {Need[]} about
 * @param {({ row: number, read: 'shape' | 'elements' } | undefined)[]} from @param {Map<string, number>} symbols
 * @param {Map<number, number[]>} owned
 * @returns {WhyStep}
 */
function step(r, result, row, about, from, symbols, owned) {
    const node = r.at(L.VALUES, row, L.VALUE_NODE), value = result.values[row];
    const begins = about.flatMap((need, i) => {
        const symbol = symbols.get(need);
        if (need === 'rank' && !from[i]) return (owned.get(node) ?? []).map((body) => `${r.graph(r.scope(body))} gives [${r.shape(body)?.join(', ')}]`);
        return from[i] || symbol === undefined ? [] : [`${need}: ${L.REASONS[r.at(L.SYMBOLS, symbol, L.SYMBOL_ORIGIN)]}`];
    });
    const said = node === NONE ? [] : result.diagnostics.filter((d) => d.node === value.node && d.graph === value.graph).map((d) => d.message);
    const ways = new Map(from.flatMap((way) => (way ? [[way.row, way]] : [])));
    return {
        ...value, op: node === NONE ? null : r.op(node).full, about,
        from: [...ways.values()].map((way) => ({
            value: r.name(L.VALUES, way.row, L.VALUE_NAME), graph: r.graph(r.scope(way.row)), read: way.read,
        })),
        notes: [...begins, ...said],
    };
}
