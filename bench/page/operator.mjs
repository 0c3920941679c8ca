// The operator against plain JavaScript and ONNX Runtime Web: what runs alike in Node and in a page.
// `load(path)` imports a file of the project or of a package.

const N = 256; // calls a sample, over as many shapes: no call's arguments are constants to the compiler
const ROUNDS = 9;

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

function lcg(seed) {
    return (below) => (seed = Math.imul(seed, 1103515245) + 12345 & 0x7fffffff, (seed >> 8) % below);
}

// Plain JavaScript with the same clamping.
function clamp(axis, rank) {
    if (axis < 0) axis += rank;
    return axis < 0 ? 0 : axis > rank ? rank : axis;
}

function plainInto(dims, out, start, end) {
    const rank = dims.length, begin = clamp(start, rank), stop = clamp(end, rank);
    let n = 0;
    for (let i = begin; i < stop; i++) out[n++] = dims[i];
    return n;
}

function plainShape(dims, { start = 0, end = dims.length }) {
    const rank = dims.length, begin = clamp(start, rank), stop = clamp(end, rank);
    const out = new BigInt64Array(Math.max(0, stop - begin));
    for (let i = begin; i < stop; i++) out[i - begin] = BigInt(dims[i]);
    return out;
}

// Each loop is compiled anew, so that what one case taught the engine about types does not slow another.
const loopInto = (f, dims, out, starts, ends) => new Function('f', 'dims', 'out', 'starts', 'ends', `return () => {
    let n = 0;
    for (let i = 0; i < ${N}; i++) n += f(dims[i], out, starts[i], ends[i]);
    return n;
}`)(f, dims, out, starts, ends);
const loopShape = (f, dims, attributes) => new Function('f', 'dims', 'attributes', `return () => {
    let n = 0;
    for (let i = 0; i < ${N}; i++) n += f(dims[i], attributes[i]).length;
    return n;
}`)(f, dims, attributes);

/** ns a call of each case, the cases in turn in every round, and the medians of the rounds and of their ratios. */
async function compare(measure, cases) {
    const names = Object.keys(cases), times = Object.fromEntries(names.map((name) => [name, []]));
    for (let round = 0; round < ROUNDS; round++) {
        for (const name of names) {
            const { p50 } = await measure(cases[name], { gc: () => {}, min_cpu_time: 50e6 });
            if (round > 0) times[name].push(p50 / N); // the first round warms up
        }
    }
    const base = times[names[0]];
    return names.map((name) => ({ name, ns: median([...times[name]]), ratio: median(times[name].map((t, i) => t / base[i])) }));
}

/** shapeInto and shape against plain JavaScript. */
export async function kernel(load) {
    const { measure } = await load('node_modules/mitata/src/lib.mjs');
    const { shape, shapeInto } = await load('js/index.js');
    const random = lcg(7), result = {};
    for (const rank of [4, 8]) {
        const dims = Array.from({ length: N }, () => Array.from({ length: rank }, () => random(512)));
        const bigs = dims.map((d) => BigInt64Array.from(d, BigInt));
        const starts = dims.map(() => [0, 0, 1, 2, -1, -2, -rank][random(7)]);
        const ends = dims.map(() => [rank, rank, rank - 1, -1, -2, rank + 3][random(6)]);
        const attributes = starts.map((start, i) => ({ start, end: ends[i] }));
        result[`shapeInto, rank ${rank}, numbers`] = await compare(measure, {
            'plain loop': loopInto(plainInto, dims, Array(rank).fill(0), starts, ends),
            shapeInto: loopInto(shapeInto, dims, Array(rank).fill(0), starts, ends),
        });
        result[`shapeInto, rank ${rank}, BigInt64Array`] = await compare(measure, {
            'plain loop': loopInto(new Function(`${clamp}; return ${plainInto}`)(), bigs, new BigInt64Array(rank), starts, ends),
            shapeInto: loopInto(shapeInto, bigs, new BigInt64Array(rank), starts, ends),
        });
        result[`shape, rank ${rank}`] = await compare(measure, {
            'plain BigInt64Array': loopShape(plainShape, dims, attributes),
            shape: loopShape(shape, dims, attributes),
        });
    }
    return result;
}

/** From before the import to the first answer, in ms. Meaningful once in a process or page. */
export async function firstAnswer(load) {
    const from = performance.now();
    const { shape } = await load('js/index.js');
    const answer = shape([2, 3, 4, 5], { start: 1, end: -1 });
    return { ms: performance.now() - from, answer: Array.from(answer, Number) };
}

/** The same of ONNX Runtime Web, and its time a run of a one-node model, in us. */
export async function runtime(load, dist, wasmPaths, model) {
    const from = performance.now();
    const ort = await load(dist);
    ort.env.wasm.numThreads = 1;
    if (wasmPaths) ort.env.wasm.wasmPaths = wasmPaths;
    const session = await ort.InferenceSession.create(Uint8Array.from(model), { executionProviders: ['wasm'] });
    const x = new ort.Tensor('float32', new Float32Array(120), [2, 3, 4, 5]);
    const answer = (await session.run({ x })).y.data;
    const ms = performance.now() - from, runs = [];
    for (let i = 0; i < 3000; i++) await session.run({ x });        // it takes that long to be compiled well
    for (let i = 0; i < 30; i++) {
        const t = performance.now();
        for (let j = 0; j < 50; j++) await session.run({ x });
        runs.push((performance.now() - t) / 50 * 1e3);
    }
    return { ms, us: median(runs), answer: Array.from(answer, Number) };
}
