// The rows of tests/data/ops as models: what a row may hold is told in tests/data/README.md.
import { readFileSync, readdirSync } from 'node:fs';
import { model } from './onnx.js';

const data = new URL('data/', import.meta.url);

export function groupBy(list, key) {
    const groups = new Map();
    for (const item of list) {
        const name = key(item);
        if (!groups.get(name)?.push(item)) groups.set(name, [item]);
    }
    return groups;
}

/** The families of rows: [name of the file, its rows]. */
export const families = readdirSync(new URL('ops/', data)).filter((file) => file.endsWith('.json')).sort()
    .map((file) => [file, JSON.parse(readFileSync(new URL(`ops/${file}`, data), 'utf8'))]);

const versions = groupBy(readFileSync(new URL('schemas.tsv', data), 'utf8').trimEnd().split('\n').map((line) => line.split('\t')),
    ([domain, op]) => `${domain}::${op}`);

/** The opsets at which a row is run: both ends of its range, and wherever in between the operator has a new version. */
export function opsets({ domain = '', op, opset }) {
    const [low, high] = Array.isArray(opset) ? opset : [opset, opset];
    const inside = (versions.get(`${domain}::${op}`) ?? []).map(([, , since]) => Number(since)).filter((since) => since > low && since < high);
    return [...new Set([low, ...inside, high])];
}

/** A model of one node, whose inputs are x0, x1, … and whose outputs y0, y1, … */
export function build(row, opset) {
    const { domain = '', op, attr } = row, graph = { inputs: [], outputs: [], initializers: [], nodes: [] };
    const inputs = row.in.map((input, i) => {
        if (!input) return '';
        const [type, shape, content] = input, name = `x${i}`;
        if (content) graph.initializers.push({ name, type, dims: shape, data: content });
        else graph.inputs.push({ name, type, shape });
        return name;
    });
    const outputs = (row.out ?? [0]).map((output, i) => {
        if (output === null) return '';
        graph.outputs.push({ name: `y${i}` });
        return `y${i}`;
    });
    graph.nodes.push({ op, domain, inputs, outputs, attr });
    return model({ graph, opsets: { '': 18, [domain]: opset } });
}
