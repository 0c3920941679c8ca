// One call in a fresh process: `node first.mjs onnx-shape|onnxsim MODEL` prints the milliseconds from before the import to the
// answer, those of the call alone, reading the file included, and those until all values are objects (onnxsim gives a model's bytes).
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [who, path] = process.argv.slice(2), start = performance.now();
let called, answered;
if (who === 'onnx-shape') {
    const { inferShapes } = await import('../../js/model.js');
    called = performance.now();
    const result = await inferShapes(path);
    answered = performance.now();
    if (!result.values.length) throw new Error('no values');
} else {
    // The package's own entry has only `simplify`; the module behind it exports the inference alone.
    const entry = createRequire(import.meta.url)('../../node_modules/onnxsim/onnxsim.cjs');
    const onnxsim = await (entry.default ?? entry)({ print() {}, printErr() {} });
    called = performance.now();
    const out = await onnxsim.onnxsim_infer_shapes(new Uint8Array(readFileSync(path)));
    answered = performance.now();
    if (!(out?.length ?? out?.model?.length)) throw new Error('no model came back');
}
const listed = performance.now();
process.stdout.write(JSON.stringify({ whole: answered - start, call: answered - called, listed: listed - called }), () => process.exit());
