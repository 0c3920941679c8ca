// Writes docs/coverage.md: for each operator and version whether there is a rule, here and in other shape inference.
//
//   node tools/coverage.mjs
//
// Operators: tests/data/schemas.tsv, which tools/schema.mjs writes beside the schema table. Our rules: the rows of
// src/ops/*.def. Other projects': tools/data/peers.json, made by tools/data/dump_peers.py. What is left out on purpose:
// tests/data/exceptions.json.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');
const key = (domain, op) => `${domain}::${op}`;

/** Every operator of the schema table: { domain, op, versions }, by domain and name. */
export function operators() {
    const list = new Map();
    for (const line of read('tests/data/schemas.tsv').trimEnd().split('\n')) {
        const [domain, op, since] = line.split('\t');
        if (!list.has(key(domain, op))) list.set(key(domain, op), { domain, op, versions: [] });
        list.get(key(domain, op)).versions.push(Number(since));
    }
    return [...list.values()].sort((a, b) => (a.domain === b.domain ? a.op < b.op : a.domain < b.domain) ? -1 : 1);
}

/** The short names that rows of src/ops/*.def have for domains. */
const domains = () => Object.fromEntries(
    [...read('src/schema_ops.h').matchAll(/^ \* (\w+): "(.*)"$/gm)].map(([, short, domain]) => [short, domain]));

/** The rows of the tables of rules: { domain, op, rule }; a rule serves every version. */
export function rules() {
    const names = domains();
    return readdirSync(new URL('src/ops/', root)).filter((name) => name.endsWith('.def')).sort().flatMap((file) =>
        [...read(`src/ops/${file}`).matchAll(/^\s*(?:OPN?|PATTERN)\(\s*(\w+),\s*(\w+),\s*(\w+|")/gm)]
            .map(([, domain, op, rule]) => ({ domain: names[domain], op, rule })));
}

/** What is left out, with reasons: rules and rows of { domain, op, reason }, shapes of { rule, lacks, reason }. */
export const exceptions = () => JSON.parse(read('tests/data/exceptions.json'));

/** This rule says nothing: its outputs are what the file declares. */
const DECLARED = 'infer_declared';

/** A test (domain, op) of our rules. */
export function ours() {
    const known = new Set(rules().filter(({ rule }) => rule !== DECLARED).map(({ domain, op }) => key(domain, op)));
    return (domain, op) => known.has(key(domain, op));
}

/** The same test for each column of the table. */
function columns() {
    const peers = JSON.parse(read('tools/data/peers.json'));
    const script = new Set(peers.onnxruntime.names);
    const listed = (peer, domain, op) => peers[peer].rules[domain]?.[op] ?? [];
    return [
        ['onnx-shape', ours()],
        [`onnx C++ ${peers.onnx.version}`, (domain, op, version) => listed('onnx', domain, op).includes(version)],
        [`ONNX Runtime's script ${peers.onnxruntime.version}`, (domain, op, version, next) =>
            (domain === 'org.pytorch.aten' ? peers.onnxruntime.aten.length > 0
                : script.has(op) && (domain === 'com.microsoft' || (domain === '' && next > 7)))],
        [`onnx-shape-inference ${peers['onnx-shape-inference'].version}`, (domain, op, version) =>
            listed('onnx-shape-inference', domain, op).some((since) => since <= version)],
    ];
}

const row = (cells) => `| ${cells.join(' | ')} |`;
const table = (head, lines) => [row(head), row(head.map(() => '---')), ...lines.map(row)].join('\n');
const title = (domain) => domain || 'ai.onnx';

/** docs/coverage.md */
export function markdown() {
    const list = operators();
    const tests = columns();
    const { rules: left } = exceptions();
    for (const item of list) {
        item.covered = tests.map(([, has]) => item.versions.filter((version, i) =>
            has(item.domain, item.op, version, item.versions[i + 1] ?? Infinity)));
    }
    const domains = [...new Set(list.map(({ domain }) => domain))];
    const count = (items, k) => items.reduce((sum, { versions, covered }) => sum + (k < 0 ? versions : covered[k]).length, 0);
    const share = (part, all) => (part === all ? `${part}` : `${part} (${Math.floor(100 * part / all)} %)`);
    const cell = (part, all) => (part.length === all.length ? '✓' : part.length ? part.join(' ') : '–');
    const total = (name, items) => [name, items.length, count(items, -1),
        ...tests.map((_, k) => share(count(items, k), count(items, -1)))];
    const head = tests.map(([name]) => name);
    return `# Operators that have a rule

Made by \`node tools/coverage.mjs\`; a test compares. A version is an opset in which the operator's definition changed. It counts as
covered where shape inference is implemented for it, whatever that finds out: here where the operator has a rule, which serves all
versions; for onnx C++ where the version's schema has an inference function or a function body; for ONNX Runtime's symbolic script
(opset 7 and later; it asks onnx C++ for the rest) where its own dispatcher knows the name; for onnx-shape-inference where a rule is
registered at or below the version.

${table(['domain', 'operators', 'versions', ...head], [...domains.map((domain) =>
        total(`\`${title(domain)}\``, list.filter((item) => item.domain === domain))), total('all', list)])}

Without a rule here, on purpose:

${left.map(({ domain, op, reason }) => `- \`${title(domain)}::${op}\`: ${reason}`).join('\n')}

Below, ✓ is every version, – none, else the versions that are covered.
${domains.map((domain) => `
## ${title(domain)}

${table(['operator', 'versions', ...head], list.filter((item) => item.domain === domain).map(({ op, versions, covered }) =>
        [op, versions.join(' '), ...covered.map((part) => cell(part, versions))]))}
`).join('')}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    mkdirSync(new URL('docs/', root), { recursive: true });
    writeFileSync(new URL('docs/coverage.md', root), markdown());
}
