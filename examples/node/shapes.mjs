// Lists the inputs and outputs of a model, and what is left open in between:
//     node examples/node/shapes.mjs MODEL [NAME=SIZE…]
import { inferShapes } from 'onnx-shape/model';

const [path, ...sizes] = process.argv.slice(2);
if (!path) {
    console.error('Usage: node examples/node/shapes.mjs MODEL [NAME=SIZE…]');
    process.exit(2);
}
const freeDimensionOverrides = Object.fromEntries(sizes.map((text) => [text.slice(0, text.lastIndexOf('=')), Number(text.slice(text.lastIndexOf('=') + 1))]));

try {
    const result = await inferShapes(path, { freeDimensionOverrides });
    for (const { name, kind, type, shape } of result.values) {
        if (kind === 'input' || kind === 'output') console.log(`${kind} ${name}: ${type ?? 'unknown type'} ${shape ? `[${shape.join(', ')}]` : 'of unknown rank'}`);
    }
    for (const { name, origin, where } of result.symbols) {
        console.log(`${name} (${origin}): ${where.map(({ value, axis }) => `axis ${axis} of ${value}`).join(', ')}`);
    }
    for (const { severity, message } of result.diagnostics) console.log(`${severity}: ${message}`);
} catch (error) {
    if (!error.code) throw error;           // a ModelError has one, and so has what the file system says
    console.error(`${path}: ${error.message}`);
    process.exit(1);
}
