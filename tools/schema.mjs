// Writes src/schema_table.c and src/schema_ops.h from operator schemas, one JSON object a line:
//
//   node tools/schema.mjs ../shared/schemas/*.jsonl           write the table, and its list of operators for the tests
//   node tools/schema.mjs --arrange ../shared/schemas/*.jsonl the same, after a search of some minutes for a better order of the operators
//   node tools/schema.mjs --list ../shared/schemas/*.jsonl    print domain, op_type and since_version of each row
//   node tools/schema.mjs --json ../shared/schemas/*.jsonl    print the merged rows
//
// tools/data/*.jsonl, what no specification has and models use, is always merged. The encoding is described in
// src/schema_table.h; this file only lays it out, in the order of operators that src/schema_ops.h has (new ones are put beside what is
// like them), and leaves out the defaults that no rule asks for: those of attributes that no
// source in src/ names. A row it cannot encode stops it.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const INFINITE = 0x7fffffff;

// TensorProto.DataType and AttributeProto.AttributeType: the numbers of src/dtype.h and onnx.proto.
const ELEMENTS = [null, 'float', 'uint8', 'int8', 'uint16', 'int16', 'int32', 'int64', 'string', 'bool', 'float16',
    'double', 'uint32', 'uint64', 'complex64', 'complex128', 'bfloat16', 'float8e4m3fn', 'float8e4m3fnuz', 'float8e5m2',
    'float8e5m2fnuz', 'uint4', 'int4', 'float4e2m1', 'float8e8m0', 'uint2', 'int2', 'float6e2m3', 'float6e3m2'];
const ATTRIBUTES = { float: 1, int: 2, string: 3, tensor: 4, graph: 5, floats: 6, ints: 7, strings: 8, tensors: 9,
    graphs: 10, sparse_tensor: 11, sparse_tensors: 12, type_proto: 13, type_protos: 14 };
// The order gives the codes from SHP_TYPE_OTHER on: add at the end only.
const OTHER = ['map(int64, string)', 'map(int64, float)', 'map(int64, double)', 'map(string, int64)',
    'map(string, float)', 'map(string, double)', 'seq(map(int64, float))', 'seq(map(string, float))',
    'sparse_tensor(float)', 'sparse_tensor(double)', 'sparse_tensor(int32)', 'sparse_tensor(int64)',
    'sparse_tensor(uint32)', 'sparse_tensor(uint64)'];

// The short names that rows of src/ops/*.def have for domains.
const DOMAINS = { '': 'onnx', 'ai.onnx.ml': 'ml', 'ai.onnx.preview': 'preview', 'ai.onnx.preview.training': 'training',
    'com.microsoft': 'microsoft', 'com.microsoft.nchwc': 'nchwc', 'com.ms.internal.nhwc': 'nhwc', 'org.pytorch.aten': 'aten' };

// Operators are found by a walk over the table: those that most models have, and those that are like them, stand first.
const COMMON = {
    '': `
        Add And ArgMax AveragePool BatchNormalization Cast Clip Concat Constant ConstantOfShape Conv CumSum Div Equal Expand Flatten
        Gather GatherElements GatherND Gelu Gemm GlobalAveragePool Greater GreaterOrEqual Identity If LayerNormalization Less
        LessOrEqual Loop MatMul Max MaxPool Min Mod Mul Neg Not Pad Pow Range Reciprocal ReduceMax ReduceMean ReduceProd ReduceSum
        Relu Reshape Resize ScatterND Shape Sigmoid SimplifiedLayerNormalization Sin Slice Softmax Split Sqrt Squeeze Sub Tanh Tile
        TopK Transpose Unsqueeze Where`,
    'com.microsoft': `
        BiasGelu FastGelu FusedMatMul GroupQueryAttention MatMulNBits MultiHeadAttention RotaryEmbedding SkipLayerNormalization
        SkipSimplifiedLayerNormalization`,
};

function check(condition, message) {
    if (!condition) throw new Error(message);
}

/** The rows of all files, by domain, name and since_version. */
function read(paths) {
    const rows = new Map();
    for (const path of paths) {
        for (const line of readFileSync(path, 'utf8').split('\n')) {
            if (!line.trim()) continue;
            const row = JSON.parse(line);
            const key = [row.domain, row.name, String(row.since_version).padStart(3, '0')].join('\0');
            check(!rows.has(key), `${path}: ${row.domain}::${row.name} ${row.since_version} comes twice`);
            rows.set(key, row);
        }
    }
    return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** A type code of src/schema.h. */
function typeCode(text) {
    const other = OTHER.indexOf(text);
    if (other >= 0) return 128 + other;
    const [, wrap, element] = /^((?:optional\()?(?:seq\()?)tensor\((\w+)\)+$/.exec(text) ?? [];
    const base = { '': 0, 'seq(': 32, 'optional(': 64, 'optional(seq(': 96 }[wrap];
    const dtype = ELEMENTS.indexOf(element);
    check(base !== undefined && dtype > 0, `unknown type ${text}`);
    return base + dtype;
}

/** Equal values are stored once; an entry is named by its index. */
class Values {
    list = [];
    #at = new Map();
    add(value) {
        if (!this.#at.has(value)) this.#at.set(value, this.list.push(value) - 1);
        return this.#at.get(value);
    }
}

const text = (s) => [...Buffer.from(s), 0];

/** The words that the sources name in texts: among them, every attribute that a rule reads. */
export function named() {
    const folders = ['src', 'src/ops'].map((folder) => join(ROOT, folder));
    const sources = folders.flatMap((folder) => readdirSync(folder)
        .filter((name) => /\.(c|h|def)$/.test(name) && !name.startsWith('schema_table'))
        .map((name) => readFileSync(join(folder, name), 'utf8')));
    return new Set(sources.flatMap((source) => [...source.matchAll(/["=!](\w+)(?=[": ])/g)].map(([, word]) => word)));
}

/** The operators in the table's order, each with its versions' lists, in the order of SHP_LIST_INPUTS and on: common ones
 *  first, by domain; operators that are alike beside each other. */
function operators(rows) {
    const sets = new Values();
    const numbers = [];
    const read = named();

    function number(list) {             // a lone int, or a count and as many ints
        for (let i = 0; i + list.length <= numbers.length; i++) if (list.every((n, k) => numbers[i + k] === n)) return i;
        return numbers.push(...list) - list.length;
    }
    function typeSet(list) {
        const mask = [0, 0, 0, 0, 0];
        for (const code of list.map(typeCode)) mask[code >> 5] |= 1 << (code & 31);
        return mask.map((m) => m >>> 0).join();
    }
    for (const list of rows.flatMap((row) => Object.values(row.types))) {
        if (!list.every((type) => typeCode(type) < 32)) sets.add(typeSet(list));        // those of other types than tensors come first
    }
    const wide = sets.list.length;
    function formals(row, list, min, max) {
        const variables = Object.keys(row.types);
        const variadic = list.at(-1)?.option === 'variadic';
        const needed = variadic ? list.length - 1 + (min === list.length) : list.findLastIndex((f) => !f.option) + 1;
        check(max === (variadic ? INFINITE : list.length) && min === needed, 'the counts and the formals disagree');
        return [...list.map((f, i) => {
            const v = variables.indexOf(f.type);
            const code = v < 0 ? typeCode(f.type) : 32 + v;
            const last = f.option === 'variadic';
            check(v < 16 && code < 48 && (v >= 0 || code < 32), `no room for type ${f.type}`);
            check(!last || i === list.length - 1, 'a variadic formal is not the last');
            check(!f.heterogeneous || (last && v >= 0), 'only a variadic formal of a variable type can be heterogeneous');
            const optional = f.option === 'optional' || (last && min < list.length);
            return code | (f.heterogeneous ? 16 : 0) | (last ? 64 : 0) | (optional ? 128 : 0);
        }), 0];
    }
    function attribute([name, a]) {
        const type = ATTRIBUTES[a.type];
        const default_ = { int: (v) => [number([v])], string: text, ints: (v) => [number([v.length, ...v])] }[a.type];
        const given = a.default !== undefined && default_ && read.has(name);
        const value = given && default_(a.default);
        check(type, `attribute type ${a.type}`);
        return [...text(name), type | (a.required ? 16 : 0) | (given ? 32 : 0), ...(value || [])];
    }

    const unread = new Set(rows.flatMap((row) => Object.entries(row.attributes)
        .filter(([name, a]) => a.default !== undefined && !read.has(name)).map(([name]) => name)));
    const ops = new Map();
    for (const row of rows) {
        const key = `${row.domain}\0${row.name}`;
        if (!ops.has(key)) ops.set(key, { domain: row.domain, name: row.name, versions: [] });
        try {
            check(DOMAINS[row.domain] && row.since_version < 256, 'a domain without a short name, or a number that no longer fits');
            ops.get(key).versions.push({ since: row.since_version, gone: row.deprecated, lists: [
                formals(row, row.inputs, row.min_input, row.max_input),
                formals(row, row.outputs, row.min_output, row.max_output),
                [...Object.values(row.types).map((list) => sets.add(typeSet(list)) + 1), 0],
                [...Object.entries(row.attributes).flatMap(attribute), 0],
            ] });
        } catch (error) {
            throw new Error(`${row.domain}::${row.name} ${row.since_version}: ${error.message}`);
        }
    }
    check(Math.max(sets.list.length, numbers.length) < 256, 'an index no longer fits');
    const like = new Map([...ops.values()]
        .map((op) => [op, JSON.stringify(op.versions.map(({ lists }) => lists)) + JSON.stringify(op.versions)]));
    const common = new Set(Object.entries(COMMON).flatMap(([domain, names]) => names.trim().split(/\s+/).map((name) => {
        const op = ops.get(`${domain}\0${name}`);
        check(op, `${domain}::${name} is common, and has no schema`);
        return domain + like.get(op);
    })));
    for (const op of ops.values()) op.part = (common.has(op.domain + like.get(op)) ? 0 : 1) + op.domain;
    const order = ([x, a], [y, b]) => (x.part === y.part ? a < b || (a === b && x.name < y.name) : x.part < y.part) ? -1 : 1;
    return {
        ops: asBefore([...like].sort(order).map(([op]) => op)), like, wide,
        sets: sets.list.map((set) => set.split(',').map(Number)), numbers, unread: [...unread].sort(),
    };
}

const OPS = join(ROOT, 'src/schema_ops.h');

/** Operators in the order that they have now; a new one stands behind the one that it follows here. */
function asBefore(ops) {
    const place = new Map([...readFileSync(OPS, 'utf8').matchAll(/SHP_OP_(\w+),/g)].map(([, name], i) => [name, i]));
    let last = -1;
    const keys = new Map(ops.map((op) => {
        last = place.get(`${DOMAINS[op.domain]}_${op.name}`) ?? last + 1e-4;
        return [op, last];
    }));
    return ops.sort((a, b) => (a.part === b.part ? keys.get(a) - keys.get(b) : a.part < b.part ? -1 : 1));
}

/** A better order: operators (those that are alike together) are moved within their part of the table as long as
 *  that makes the columns smaller. */
function arrange(table) {
    const groups = [];
    for (const op of table.ops) {
        const last = groups.at(-1)?.[0];
        if (last && last.part === op.part && table.like.get(last) === table.like.get(op)) groups.at(-1).push(op);
        else groups.push([op]);
    }
    const cost = (list) => gzipSync(Uint8Array.from(Object.values(columnsOf(list.flat(), table.like)).flat()), { level: 9 }).length;
    let best = groups, value = cost(groups), seed = 1;
    const random = (n) => {
        seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
        return Math.floor((seed / 2 ** 32) * n);
    };
    for (let tries = 0; tries < 20000; tries++) {
        const next = [...best], length = random(3) ? 1 : 1 + random(6);
        const [first, ...more] = next.splice(random(next.length - length), length);
        const { part } = first[0], home = next.flatMap(([op], i) => (op.part === part ? [i] : []));
        if (!home.length || more.some(([op]) => op.part !== part)) continue;
        next.splice(home[0] + random(home.length + 1), 0, first, ...more);
        const now = cost(next);
        if (now <= value) [best, value] = [next, now];
    }
    return { ...table, ops: best.flat() };
}

/** What src/schema_table.h says of operators in this order. */
function columnsOf(ops, like) {
    // Attributes come first: nearest to the texts of the rules, which have the same names.
    const columns = { attributes: [], names: [], versions: [], inputs: [], outputs: [], types: [] };
    for (const [i, op] of ops.entries()) {
        const before = ops[i - 1];
        if (before && before.domain !== op.domain) columns.names.push(0);
        columns.names.push(...text(op.name));
        if (before && like.get(before) === like.get(op)) {
            columns.versions.push(0);
            continue;
        }
        for (const [k, { since, gone, lists }] of op.versions.entries()) {
            const own = lists.map((list, l) => k === 0 || op.versions[k - 1].lists[l].join() !== list.join());
            const newest = k + 1 === op.versions.length ? (gone ? 48 : 16) : 0;
            columns.versions.push(own.reduce((bits, yes, l) => bits | (yes << l), newest), since);
            ['inputs', 'outputs', 'types', 'attributes'].forEach((name, l) => own[l] && columns[name].push(...lists[l]));
        }
    }
    columns.names.push(0, 0);
    return columns;
}

/** The table: operators in their order, and what src/schema_table.h says of them. */
function encode(rows, better = (table) => table) {
    const table = better(operators(rows));
    const columns = columnsOf(table.ops, table.like);
    check(Object.values(columns).flat().every((b) => b >= 0 && b < 256), 'a byte is none');
    const domains = table.ops.map((op) => op.domain).filter((domain, i, all) => domain !== all[i - 1]);
    return { ...table, count: rows.length, columns, domains };
}

/** Items in lines of at most 120 columns. */
function wrap(items) {
    const lines = [];
    for (const item of items) {
        const line = `${lines.at(-1) ?? ''} ${item},`;
        if (!lines.length || line.length > 117) lines.push(` ${item},`);
        else lines[lines.length - 1] = line;
    }
    return lines.map((line) => `   ${line}`).join('\n');
}

function source(t, inputs) {
    const hex = (word) => `0x${word.toString(16)}`;
    const array = (type, name, items) => `const ${type} ${name} = {\n${wrap(items)}\n};\n`;
    const domains = new Set(t.domains).size;
    return `/* Generated by tools/schema.mjs; do not edit. ${t.count} schemas of ${t.ops.length} operators in ${domains} domains.
 *
 * Made by "node tools/schema.mjs" from the first files below; it adds those of tools/data itself. Their sha256:
${inputs.map(({ name, hash }) => ` *     ${hash}  ${name}\n`).join('')} *
 * Defaults left out, as no rule asks for them:
${wrap(t.unread).replace(/^ +/gm, ' * ')}
 */
#include "schema_table.h"

const char shp_table_domains[] =
${t.domains.map((s) => `    "${s}\\0"`).join('\n')};

${Object.entries(t.columns).map(([name, bytes]) => array('uint8_t', `shp_table_${name}[]`, bytes)).join('\n')}

${array('uint32_t', 'shp_table_sets[]', t.sets.map(([tensors]) => hex(tensors)))}
const int shp_table_wide = ${t.wide};
${array('uint32_t', 'shp_table_others[][4]', t.sets.slice(0, t.wide).map(([, ...others]) => `{ ${others.map(hex).join(', ')} }`))}
${array('int64_t', 'shp_table_numbers[]', t.numbers)}
const char shp_table_other[] =
${OTHER.map((s) => `    "${s}\\0"`).join('\n')};
`;
}

/** src/schema_ops.h: a number for each operator, in the order of the table. */
function numbers(t) {
    return `/* Generated by tools/schema.mjs; do not edit. The operators, numbered as in schema_table.c: common ones first, by domain,
 * those that are alike beside each other.
 *
${[...new Set(t.domains)].sort().map((d) => ` * ${DOMAINS[d]}: "${d}"`).join('\n')}
 */
#ifndef SHP_SCHEMA_OPS_H
#define SHP_SCHEMA_OPS_H

enum {
${t.ops.map(({ domain, name }) => `    SHP_OP_${DOMAINS[domain]}_${name},`).join('\n')}
    SHP_OP_COUNT
};

#endif
`;
}

/** The bytes that the table takes, in the order in which the C file has them. */
function image(t) {
    return {
        domains: t.domains.flatMap(text), ...t.columns,
        sets: [...new Uint8Array(Uint32Array.from([
            ...t.sets.map(([tensors]) => tensors), ...t.sets.slice(0, t.wide).flatMap((s) => s.slice(1)),
        ]).buffer)],
        numbers: [...new Uint8Array(BigInt64Array.from(t.numbers.map(BigInt)).buffer)],
        other: OTHER.flatMap(text),
    };
}

function printSizes(parts) {
    const gzip = (list) => gzipSync(Uint8Array.from(list), { level: 9 }).length;
    for (const [name, list] of [...Object.entries(parts), ['total', Object.values(parts).flat()]]) {
        console.log(`${name.padEnd(8)} ${String(list.length).padStart(6)} bytes ${String(gzip(list)).padStart(6)} gzip`);
    }
}

function main(args) {
    const options = args.filter((a) => a.startsWith('--')), given = args.filter((a) => !a.startsWith('--'));
    if (!given.length) {
        console.error('usage: node tools/schema.mjs [--arrange | --list | --json] SCHEMAS.jsonl…');
        process.exit(2);
    }
    const data = join(ROOT, 'tools/data');
    const added = readdirSync(data).filter((name) => name.endsWith('.jsonl')).sort().map((name) => join(data, name));
    const paths = [...given, ...added];
    const rows = read(paths);
    const list = (ops) => ops.flatMap(({ domain, name, versions }) => versions.map(({ since }) => `${domain}\t${name}\t${since}\n`))
        .join('');
    if (options.includes('--list')) {
        process.stdout.write(list(encode(rows).ops));
    } else if (options.includes('--json')) {
        for (const row of rows) console.log(JSON.stringify(row));
    } else {
        const table = encode(rows, options.includes('--arrange') ? arrange : undefined);
        const hash = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');
        const inputs = paths.map((path) => ({ name: basename(path), hash: hash(path) }));
        writeFileSync(join(ROOT, 'src/schema_table.c'), source(table, inputs));
        writeFileSync(OPS, numbers(table));
        writeFileSync(join(ROOT, 'tests/data/schemas.tsv'), list(table.ops));
        printSizes(image(table));
    }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
