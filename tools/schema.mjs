// Writes src/schema_table.c and src/schema_ops.h from operator schemas, one JSON object a line:
//
//   node tools/schema.mjs ../shared/schemas/*.jsonl           write the table, and its list of operators for the tests
//   node tools/schema.mjs --list ../shared/schemas/*.jsonl    print domain, op_type and since_version of each row
//   node tools/schema.mjs --json ../shared/schemas/*.jsonl    print the merged rows in the table's order
//
// tools/data/*.jsonl, what no specification has and models use, is always merged. The encoding is described in
// src/schema_table.h; this file only lays it out. A row it cannot encode stops it.
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

function check(condition, message) {
  if (!condition) throw new Error(message);
}

/** The rows of all files, in the table's order: domain, name, since_version, by bytes. */
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

function encode(rows) {
  const sets = new Values();
  const floats = new Values();
  const numbers = [];

  function number(list) {             // a lone int, or a count and as many ints
    for (let i = 0; i + list.length <= numbers.length; i++) if (list.every((n, k) => numbers[i + k] === n)) return i;
    return numbers.push(...list) - list.length;
  }
  function typeSet(list) {
    const mask = [0, 0, 0, 0, 0];
    for (const code of list.map(typeCode)) mask[code >> 5] |= 1 << (code & 31);
    return sets.add(mask.map((m) => m >>> 0).join()) + 1;
  }
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
    const given = a.default !== undefined;
    const value = given && {
      float: (v) => [floats.add(Math.fround(v))], int: (v) => [number([v])], string: text,
      ints: (v) => [number([v.length, ...v])], strings: (v) => [v.length, ...v.flatMap(text)],
    }[a.type](a.default);
    check(type, `attribute type ${a.type}`);
    return [...text(name), type | (a.required ? 16 : 0) | (given ? 32 : 0), ...(value || [])];
  }

  const bytes = [];
  const ops = [];
  const domains = [...new Set(rows.map((row) => row.domain))];
  let previous;
  for (const [i, row] of rows.entries()) {
    try {
      if (previous?.domain !== row.domain || previous.name !== row.name) {
        check(DOMAINS[row.domain], 'a domain without a short name');
        if (i > 0 && rows[i - 1].domain !== row.domain) bytes.push(0);
        previous = undefined;
        ops.push({ domain: row.domain, name: row.name });
        bytes.push(...text(row.name));
      }
      const attributes = Object.entries(row.attributes);
      const lists = [                 // in the order of SHP_LIST_INPUTS and on
        formals(row, row.inputs, row.min_input, row.max_input),
        formals(row, row.outputs, row.min_output, row.max_output),
        [...Object.values(row.types).map(typeSet), 0],
        [...attributes.flatMap(attribute), 0],
      ];
      const own = lists.map((list, k) => previous?.lists[k].join() !== list.join());
      check(row.since_version < 256, 'a number no longer fits');
      const next = rows[i + 1];
      const last = next?.domain !== row.domain || next.name !== row.name;
      previous = { domain: row.domain, name: row.name, lists };
      bytes.push(own.reduce((bits, yes, k) => bits | (yes << k), last ? 16 : 0), row.since_version,
        ...lists.filter((_, k) => own[k]).flat());
    } catch (error) {
      throw new Error(`${row.domain}::${row.name} ${row.since_version}: ${error.message}`);
    }
  }
  check(Math.max(sets.list.length, floats.list.length, numbers.length) < 256, 'an index no longer fits');
  bytes.push(0, 0);
  check(bytes.every((b) => b >= 0 && b < 256), 'a byte is none');
  return { count: rows.length, bytes, ops, domains, sets: sets.list, floats: floats.list, numbers };
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

/** A float exactly, as C's hexadecimal floating constant. */
function hexFloat(value) {
  const bits = new Uint32Array(Float32Array.of(value).buffer)[0];
  const exponent = (bits >>> 23) & 255;
  if (value === 0) return '0';
  check(exponent > 0 && exponent < 255, `default ${value}`);
  return `${value < 0 ? '-' : ''}0x1.${((bits & 0x7fffff) << 1).toString(16).padStart(6, '0')}p${exponent - 127}f`;
}

function source(t, inputs) {
  const array = (type, name, items) => `const ${type} ${name} = {\n${wrap(items)}\n};\n`;
  return `/* Generated by tools/schema.mjs; do not edit. ${t.count} schemas of ${t.ops.length} operators in ${t.domains.length} domains.
 *
 * Made by "node tools/schema.mjs" from the first files below; it adds those of tools/data itself. Their sha256:
${inputs.map(({ name, hash }) => ` *     ${hash}  ${name}\n`).join('')} */
#include "schema_table.h"

const char shp_table_domains[] =
${t.domains.map((s) => `    "${s}\\0"`).join('\n')};

${array('uint8_t', 'shp_table_bytes[]', t.bytes)}

${array('uint32_t', 'shp_table_sets[][5]', t.sets.map((s) => `{ ${s.split(',').map((m) => `0x${Number(m).toString(16)}`).join(', ')} }`))}
${array('int64_t', 'shp_table_numbers[]', t.numbers)}
${array('float', 'shp_table_floats[]', t.floats.map(hexFloat))}
const char shp_table_other[] =
${OTHER.map((s) => `    "${s}\\0"`).join('\n')};
`;
}

/** src/schema_ops.h: a number for each operator, in the order of the table. */
function numbers(t) {
  return `/* Generated by tools/schema.mjs; do not edit. The operators, numbered as in schema_table.c: by domain, then name.
 *
${t.domains.map((d) => ` * ${DOMAINS[d]}: "${d}"`).join('\n')}
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
    domains: t.domains.flatMap(text), bytes: t.bytes,
    sets: [...new Uint8Array(Uint32Array.from(t.sets.flatMap((s) => s.split(',').map(Number))).buffer)],
    numbers: [...new Uint8Array(BigInt64Array.from(t.numbers.map(BigInt)).buffer)],
    floats: [...new Uint8Array(Float32Array.from(t.floats).buffer)], other: OTHER.flatMap(text),
  };
}

function printSizes(parts) {
  const gzip = (list) => gzipSync(Uint8Array.from(list), { level: 9 }).length;
  for (const [name, list] of [...Object.entries(parts), ['total', Object.values(parts).flat()]]) {
    console.log(`${name.padEnd(8)} ${String(list.length).padStart(6)} bytes ${String(gzip(list)).padStart(6)} gzip`);
  }
}

const options = process.argv.slice(2).filter((a) => a.startsWith('--'));
const given = process.argv.slice(2).filter((a) => !a.startsWith('--'));
if (!given.length) {
  console.error('usage: node tools/schema.mjs [--list | --json] SCHEMAS.jsonl…');
  process.exit(2);
}
const data = join(ROOT, 'tools/data');
const added = readdirSync(data).filter((name) => name.endsWith('.jsonl')).sort().map((name) => join(data, name));
const paths = [...given, ...added];
const rows = read(paths);
const list = rows.map((row) => `${row.domain}\t${row.name}\t${row.since_version}\n`).join('');
if (options.includes('--list')) {
  process.stdout.write(list);
} else if (options.includes('--json')) {
  for (const row of rows) console.log(JSON.stringify(row));
} else {
  const table = encode(rows);
  const hash = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');
  const inputs = paths.map((path) => ({ name: basename(path), hash: hash(path) }));
  writeFileSync(join(ROOT, 'src/schema_table.c'), source(table, inputs));
  writeFileSync(join(ROOT, 'src/schema_ops.h'), numbers(table));
  writeFileSync(join(ROOT, 'tests/data/schemas.tsv'), list);
  printSizes(image(table));
}
