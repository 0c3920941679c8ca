// The operator, in Node and Chromium side by side: against plain JavaScript, and against ONNX Runtime Web running a
// model of one Shape node. `node bench/operator.mjs [repetitions]`; prints Markdown, and fails where a target is missed.
import { inProcess, launch, median, serve, table, target, time, verdict } from './harness.mjs';

/** A ModelProto with one node, y = Shape(x, start = 1, end = -1), x float32 [2, 3, 4, 5]. */
function oneNodeModel() {
    const varint = (value) => value < 128 ? [value] : [value & 127 | 128, ...varint(value >> 7)];
    const field = (number, content) => typeof content === 'number' ? [...varint(number << 3), content]
        : [number << 3 | 2, ...varint(content.length), ...(typeof content === 'string' ? Buffer.from(content) : content)];
    const message = (...fields) => fields.flat();
    const dims = (sizes) => message(...sizes.map((size) => field(1, field(1, size))));
    const value = (name, elemType, sizes) => message(field(1, name),
        field(2, field(1, message(field(1, elemType), field(2, dims(sizes))))));
    const minusOne = [3 << 3, ...Array(9).fill(0xff), 1];
    const node = message(field(1, 'x'), field(2, 'y'), field(4, 'Shape'),
        field(5, message(field(1, 'start'), field(3, 1), field(20, 2))),
        field(5, message(field(1, 'end'), minusOne, field(20, 2))));
    const graph = message(field(1, node), field(2, 'g'), field(11, value('x', 1, [2, 3, 4, 5])), field(12, value('y', 7, [2])));
    return message(field(1, 8), field(7, graph), field(8, field(2, 15)));
}

const MODEL = oneNodeModel();
const REPETITIONS = Number(process.argv[2] ?? 5);

const server = await serve(undefined, { cache: true }), browser = await launch();
const dist = 'node_modules/onnxruntime-web/dist/';
const inNode = (name, ...rest) => inProcess('operator.mjs', name, ...rest);
// What a page imports is in its cache before, and the browser has made the page: neither is part of the comparison.
const inPage = async (files, name, ...rest) => {
    const context = await browser.newContext(), tab = await context.newPage();
    await tab.goto(server.url);
    const result = await tab.evaluate(async ([url, files, name, rest]) => {
        for (const path of files) await (await fetch(url + path)).arrayBuffer();
        await new Promise((resolve) => { setTimeout(resolve, 200); });
        const operator = await import(`${url}bench/page/operator.mjs`);
        return operator[name]((path) => import(url + path), ...rest);
    }, [server.url, files, name, rest]);
    await context.close();
    return result;
};
const places = { Node: { kernel: () => inNode('kernel'), first: () => inNode('firstAnswer'),
    runtime: () => inNode('runtime', `${dist}ort.node.min.mjs`, null, MODEL) } };
if (browser) {
    const ort = ['ort.wasm.bundle.min.mjs', 'ort-wasm-simd-threaded.wasm'].map((name) => dist + name);
    places.Chromium = { kernel: () => inPage([], 'kernel'), first: () => inPage(['js/index.js'], 'firstAnswer'),
        runtime: () => inPage(ort, 'runtime', ort[0], server.url + dist, MODEL) };
}

const rows = [];
for (const [place, measure] of Object.entries(places)) {
    const kernel = await measure.kernel();
    for (const [what, cases] of Object.entries(kernel)) {
        for (const { name, ns, ratio } of cases) rows.push([place, what, name, time(ns), `${ratio.toFixed(2)} x`]);
        if (what === 'shapeInto, rank 4, numbers') target(`${place}: ${what}`, cases[1].ratio, { most: 2 });
        if (what === 'shape, rank 4') target(`${place}: ${what}`, cases[1].ratio, { most: 2.5 });
    }
    const ours = [], theirs = [];
    for (let i = 0; i < REPETITIONS; i++) {
        for (let k = 0; k < 3; k++) ours.push(await measure.first());       // milliseconds: what else the machine does shows more
        theirs.push(await measure.runtime());
    }
    for (const { answer } of [...ours, ...theirs]) {
        if (String(answer) !== '3,4') throw new Error(`${place}: Shape gave ${answer}, not 3,4`);
    }
    const run = median(theirs.map((r) => r.us)) * 1e3, call = kernel['shape, rank 4'][1].ns;
    rows.push([place, 'one answer', 'ONNX Runtime Web, session.run', time(run), '1 x'],
        [place, 'one answer', 'shape', time(call), `${(run / call).toFixed(0)} x faster`]);
    target(`${place}: answers against ONNX Runtime Web`, run / call, { least: 200 });
    const runtimeFirst = median(theirs.map((r) => r.ms)), first = median(ours.map((r) => r.ms));
    rows.push([place, 'import to first answer', 'ONNX Runtime Web', time(runtimeFirst * 1e6), '1 x'],
        [place, 'import to first answer', 'shape', time(first * 1e6), `${(runtimeFirst / first).toFixed(0)} x sooner`]);
    target(`${place}: first answer against ONNX Runtime Web`, runtimeFirst / first, { least: 50 });
}
await browser?.close();
server.close();

console.log('## Operator\n');
table(['where', 'what', 'who', 'median', 'ratio'], rows);
verdict();
