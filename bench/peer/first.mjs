// One call in a fresh process: `node first.mjs onnx-shape|onnxsim MODEL` prints the milliseconds from before the import to the
// answer, and those of the call alone, reading the file included.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [who, path] = process.argv.slice(2), start = performance.now();
let called;
if (who === 'onnx-shape') {
    const { inferShapes } = await import('../../js/model.js');
    called = performance.now();
    const { values } = await inferShapes(path);
    if (!values.length) throw new Error('no values');
} else {
    // The package's own entry has only `simplify`; the module behind it exports the inference alone.
    const entry = createRequire(import.meta.url)('../../node_modules/onnxsim/onnxsim.cjs');
    const onnxsim = await (entry.default ?? entry)({ print() {}, printErr() {} });
    called = performance.now();
    const out = await onnxsim.onnxsim_infer_shapes(new Uint8Array(readFileSync(path)));
    if (!(out?.length ?? out?.model?.length)) throw new Error('no model came back');
}
const end = performance.now();
process.stdout.write(JSON.stringify({ whole: end - start, call: end - called }), () => process.exit());
