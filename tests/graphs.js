// Small graphs grown from lists of numbers, for property tests. A step that does not fit is left out, so that every list gives
// a graph that holds at its witness: the sizes at which each step was tried.
import { inferShapesSync } from 'onnx-shape/model';
import { model } from './onnx.js';

const INT64_MAX = 2n ** 63n - 1n, INT64_MIN = -(2n ** 63n);
export const SYMBOLS = ['A', 'B', 'C'];

/** Options for a point: sizes for the symbols, and the element of the input k. */
export const bind = ({ k, ...freeDimensionOverrides }) => ({ freeDimensionOverrides, inputs: { k: { shape: [], data: [k] } } });
const DIMS = ['A', 'B', 'C', 'A', 'B', 1, 2, 3, 4, 6, 'A + B', '2*C', 8];

/** A model in the making. */
class Graph {
    constructor(numbers, witness) {
        this.spec = { opsets: { '': 21 }, inputs: [], outputs: [], initializers: [], nodes: [] };
        this.witness = witness;
        this.names = 0;
        this.read(numbers);
        for (let i = this.number(3); i >= 0; i--) {
            this.spec.inputs.push({ name: `x${i}`, type: 'float', shape: Array.from({ length: 1 + this.number(4) }, () => this.of(DIMS)) });
        }
        this.spec.inputs.push({ name: 'k', type: 'int64', shape: [] }, ...SYMBOLS.map((name) => ({ name: `l${name}`, type: 'int64', shape: [name] })));
        this.look();
    }

    // The numbers of a step, one after the other; 0 where they have run out.
    read(numbers) { this.numbers = numbers; this.at = 0; }
    number(below) { return (this.numbers[this.at++] ?? 0) % below; }
    of(list) { return list[this.number(list.length)]; }
    between(low, high) { return low + this.number(high - low + 1); }

    bytes() { return model({ ...this.spec, outputs: this.spec.nodes.flatMap((node) => node.outputs.filter(Boolean)).map((name) => ({ name })) }); }

    /** What holds at the witness; whether nothing contradicts. */
    look() {
        const { values, diagnostics } = inferShapesSync(this.bytes(), bind(this.witness));
        this.values = values.filter((v) => !v.graph && v.shape && !v.type.includes('(')).reverse();
        return !diagnostics.some((d) => d.severity === 'error');
    }

    // Operands: a value of this kind, the newest first; undefined ends the step.
    some(test) {
        const found = this.values.filter((v) => v.kind !== 'initializer' && test(v));
        if (!found.length) throw new Unfit();
        return found[Math.min(this.number(found.length), this.number(found.length))];
    }
    data(low = 0, high = 5) { return this.some((v) => v.type === 'float32' && v.shape.length >= low && v.shape.length <= high); }
    rank(v) { return v.shape.length; }
    axis(v, extra = 0) { return this.number(v.shape.length + extra) - (this.number(4) === 0 ? v.shape.length + extra : 0); }
    scalar() { return this.number(4) === 0 ? this.ints([this.between(-3, 7)], []) : this.some((v) => v.type === 'int64' && v.shape.length === 0).name; }
    list(low = 0, high = 6) { return this.some((v) => v.type === 'int64' && v.shape.length === 1 && v.shape[0] >= low && v.shape[0] <= high); }

    // What a step adds.
    fresh() { return `v${this.names++}`; }
    ints(data, dims = [data.length], type = 'int64') {
        const name = `c${this.names++}`;
        this.spec.initializers.push({ name, type, dims, data });
        return name;
    }
    floats(data, dims = [data.length]) { return this.ints(data, dims, 'float'); }
    weight(dims) {
        if (dims.some((dim) => dim < 0)) throw new Unfit();
        const name = `c${this.names++}`;
        this.spec.initializers.push({ name, type: 'float', dims, data: new Uint8Array(4 * dims.reduce((a, b) => a * b, 1)) });
        return name;
    }
    put(op, inputs, attr = {}, count = 1) {
        const outputs = Array.from({ length: count }, () => this.fresh());
        this.spec.nodes.push({ op, inputs: inputs.map((input) => input?.name ?? input ?? ''), outputs, attr });
        return outputs[0];
    }

    /** A list of integers put together as exporters do: sizes, constants, a -1. */
    sizes(length, constants = [1, 2, 3, 4, -1, 0]) {
        const parts = Array.from({ length }, () => {
            if (this.number(2)) return this.ints([this.of(constants)]);
            if (this.number(3) === 0) return this.put('Unsqueeze', [this.scalar(), this.ints([0])]);
            const x = this.data(1), axis = this.number(this.rank(x));
            return this.put('Shape', [x], { start: axis, end: axis + 1 });
        });
        return parts.length === 1 ? parts[0] : this.put('Concat', parts, { axis: 0 });
    }

    /** Takes a step, or leaves everything as it was. */
    step([which, ...numbers]) {
        const { nodes, initializers } = this.spec, before = [nodes.length, initializers.length, this.names, this.values];
        this.read(numbers);
        try {
            STEPS[which % STEPS.length](this);
            if (this.look()) return;
        } catch (error) {
            if (!(error instanceof Unfit)) throw error;
        }
        [nodes.length, initializers.length, this.names, this.values] = before;
    }
}

class Unfit extends Error {}

const bounds = (g) => g.of([0, 1, -1, 2, 3, -2, -3, 5, INT64_MAX, INT64_MIN]);
/** Window attributes over `n` axes. */
function windows(g, n, more = {}) {
    const each = (list) => ({ is: Array.from({ length: n }, () => g.of(list)) });
    const attr = { strides: each([1, 2, 2, 3]), dilations: each([1, 1, 2]), ...more };
    const auto = g.of(['', '', '', 'SAME_UPPER', 'SAME_LOWER', 'VALID']);
    if (auto) attr.auto_pad = auto;
    else attr.pads = { is: Array.from({ length: 2 * n }, () => g.of([0, 0, 1, 1, 2])) };
    return attr;
}
const kernel = (g, n) => Array.from({ length: n }, () => g.of([1, 2, 3, 3]));
const spatial = (g) => g.data(3, 4);
const permutation = (g, n) => {
    const left = Array.from({ length: n }, (_, i) => i);
    return { is: Array.from({ length: n }, () => left.splice(g.number(left.length), 1)[0]) };
};
const int = (g) => g.some((v) => v.type === 'int64' && v.shape.length <= 1 && v.content);
const other = (g) => (g.number(3) ? int(g).name : g.ints([g.of([1, 2, 3, -1, 0, 4, -2, 5])], g.of([[], [1]])));
const compare = (g) => g.put(g.of(['Equal', 'Less', 'Greater', 'LessOrEqual', 'GreaterOrEqual']), [int(g), other(g)]);

const shapeOf = (g) => { const x = g.data(); g.put('Shape', [x], g.of([{}, {}, { start: bounds(g) }, { end: bounds(g) }, { start: bounds(g), end: bounds(g) }])); };
const sizeOf = (g) => g.put('Size', [g.data()]);

const STEPS = [
    // Elementwise.
    (g) => g.put(g.of(['Relu', 'Neg', 'Abs', 'Identity', 'Sigmoid', 'Dropout']), [g.data()]),
    (g) => g.put(g.of(['Add', 'Mul', 'Sub', 'Max', 'Pow', 'PRelu', 'Mean']), [g.data(), g.data()]),
    (g) => g.put('Add', [g.data(), g.data()]),
    (g) => { const x = g.data(), y = g.data(); g.put('Where', [g.put('Less', [x, g.data()]), x, y]); },
    (g) => { const x = g.data(1); g.put('Softmax', [x], { axis: g.axis(x) }); },
    // Layout.
    (g) => { const x = g.data(1); g.put('Concat', [x, ...Array.from({ length: g.number(3) }, () => g.data(g.rank(x), g.rank(x)))], { axis: g.axis(x) }); },
    (g) => {
        const x = g.data(1), axis = g.axis(x);
        g.put('Slice', [x, g.ints([bounds(g)]), g.ints([bounds(g)]), g.ints([axis]), g.ints([g.of([1, 1, 2, -1, -2, 3])])]);
    },
    (g) => {
        const x = g.data(1), end = () => (g.number(2) ? g.put('Reshape', [g.scalar(), g.ints([1])]) : g.ints([bounds(g)]));
        g.put('Slice', [x, end(), end(), g.ints([g.axis(x)]), g.ints([g.of([1, 1, 1, 2, -1])])]);
    },
    (g) => { const x = g.data(1); g.put('Transpose', [x], { perm: permutation(g, g.rank(x)) }); },
    (g) => g.put('Reshape', [g.data(), g.ints(Array.from({ length: g.between(1, 3) }, () => g.of([-1, 0, 1, 2, 3, 4, 6])))]),
    (g) => g.put('Reshape', [g.data(), g.ints(g.of([[-1], [0, -1], [-1, 2], [0, 0, -1], [-1, 1, 3], [2, -1], [0, -1, 2], [-1, 6]]))]),
    (g) => g.put('Reshape', [g.data(), g.sizes(g.between(1, 4))], { allowzero: g.of([0, 0, 0, 1]) }),
    (g) => g.put('Reshape', [g.data(), g.list(1, 5)]),
    (g) => { const x = g.data(); g.put('Flatten', [x], { axis: g.axis(x, 1) }); },
    (g) => { const x = g.data(0, 4); g.put('Unsqueeze', [x, g.ints([g.axis(x, 1)])]); },
    (g) => { const x = g.data(1); g.put('Squeeze', [x, g.number(3) ? g.ints([g.axis(x)]) : undefined]); },
    (g) => g.put('Expand', [g.data(), g.sizes(g.between(1, 4), [1, 1, 2, 3])]),
    (g) => g.put('Expand', [g.data(), g.list(0, 5)]),
    (g) => { const x = g.data(1); g.put('Tile', [x, g.sizes(g.rank(x), [1, 2, 3, 0])]); },
    (g) => {
        const x = g.data(1), n = g.rank(x), pads = Array.from({ length: 2 * n }, () => g.of([0, 0, 1, 2, -1]));
        g.put('Pad', [x, g.ints(pads)], { mode: g.of(['constant', 'constant', 'edge', 'reflect']) });
    },
    (g) => { const x = g.data(1); g.put('Pad', [x, g.sizes(2, [0, 1, 2, -1]), undefined, g.ints([g.axis(x)])]); },
    (g) => {
        const x = g.data(1), axis = g.axis(x), kind = g.number(3), n = g.between(1, 3);
        if (kind === 0) g.put('Split', [x], { axis, num_outputs: n }, n);
        else if (kind === 1) g.put('Split', [x, g.ints([g.between(0, 3), g.between(0, 3)])], { axis }, 2);
        else g.put('Split', [x, g.sizes(n, [1, 2])], { axis }, n);
    },
    (g) => { const x = g.data(4, 4); g.put(g.of(['DepthToSpace', 'SpaceToDepth']), [x], { blocksize: 2 }); },
    (g) => {
        const x = g.data(1), n = g.rank(x);
        g.put('Resize', [x, undefined, g.floats(Array.from({ length: n }, () => g.of([1, 2, 0.5, 1.5, 0.7])))], { mode: 'nearest' });
    },
    (g) => { const x = g.data(1); g.put('Resize', [x, undefined, undefined, g.sizes(1, [1, 2, 4])], { mode: 'nearest', axes: { is: [g.axis(x)] } }); },
    (g) => { const x = g.data(2); g.put('Trilu', [x]); },
    // Products and windows.
    (g) => g.put('MatMul', [g.data(1), g.data(1)]),
    (g) => g.put('MatMul', [g.data(1), g.put('Transpose', [g.data(2, 2)])]),
    (g) => { const x = g.data(1), last = x.shape.at(-1); g.put('MatMul', [x, g.weight([typeof last === 'number' ? last : 2, g.between(1, 4)])]); },
    (g) => g.put('Gemm', [g.data(2, 2), g.data(2, 2)], { transA: g.number(2), transB: g.number(2) }),
    (g) => g.put('Einsum', [g.data(2, 2), g.data(2, 2)], { equation: g.of(['ij,jk->ik', 'ij,kj', 'ij,ij->j', 'ij,kl->lijk', '...i,...i']) }),
    (g) => {
        const x = spatial(g), n = g.rank(x) - 2, channels = x.shape[1], group = g.of([1, 1, 2]);
        g.put('Conv', [x, g.weight([2 * g.between(1, 2), Math.ceil((typeof channels === 'number' ? channels : 2) / group), ...kernel(g, n)])], windows(g, n, { group }));
    },
    (g) => {
        const x = spatial(g), n = g.rank(x) - 2, channels = x.shape[1];
        g.put('ConvTranspose', [x, g.weight([typeof channels === 'number' ? channels : 2, g.between(1, 2), ...kernel(g, n)])], windows(g, n));
    },
    (g) => {
        const x = spatial(g), n = g.rank(x) - 2;
        g.put(g.of(['MaxPool', 'MaxPool', 'AveragePool', 'LpPool']), [x], windows(g, n, { kernel_shape: { is: kernel(g, n) }, ceil_mode: g.number(2) }));
    },
    (g) => g.put(g.of(['GlobalAveragePool', 'GlobalMaxPool']), [spatial(g)]),
    // Reductions, indices.
    (g) => {
        const x = g.data(), axes = g.rank(x) && g.number(4) ? g.ints([g.axis(x)]) : undefined;
        g.put(g.of(['ReduceSum', 'ReduceMean', 'ReduceMax', 'ReduceL2']), [x, axes], { keepdims: g.number(2), noop_with_empty_axes: g.of([0, 0, 1]) });
    },
    (g) => { const x = g.data(1); g.put('ArgMax', [x], { axis: g.axis(x), keepdims: g.number(2) }); },
    (g) => { const x = g.data(1); g.put('TopK', [x, g.sizes(1, [1, 2, 0])], { axis: g.axis(x) }, 2); },
    (g) => { const x = g.data(1); g.put('Gather', [x, g.number(2) ? g.ints([0, g.of([0, 1, -1])]) : g.some((v) => v.type === 'int64').name], { axis: g.axis(x) }); },
    (g) => { const x = g.data(1); g.put('CumSum', [x, g.ints([g.axis(x)], [])]); },
    (g) => g.put('OneHot', [g.some((v) => v.type === 'int64' && v.shape.length < 4), g.scalar(), g.floats([0, 1])], { axis: g.of([-1, 0]) }),
    (g) => g.put('NonZero', [g.data()]),
    (g) => { const x = g.data(1); g.put('Compress', [x, g.put('Less', [g.data(1, 1), g.floats([0])])], { axis: g.axis(x) }); },
    (g) => g.put('EyeLike', [g.data(2, 2)]),
    // Sizes as values.
    shapeOf,
    (g) => { const x = g.data(1), axis = g.axis(x); g.put('Gather', [g.put('Shape', [x]), g.ints([axis], g.of([[], [1]]))], { axis: 0 }); },
    (g) => { const x = g.data(1), axis = g.axis(x); g.put('Gather', [g.put('Shape', [x]), g.ints([axis], [])], { axis: 0 }); },
    sizeOf,
    (g) => g.put('Gather', [g.list(1), g.ints([g.of([0, 1, -1])], g.of([[], [1]]))], { axis: 0 }),
    (g) => g.put('Concat', [g.list(), g.list()], { axis: 0 }),
    (g) => g.sizes(g.between(1, 4)),
    (g) => g.put('Slice', [g.list(), g.ints([bounds(g)]), g.ints([bounds(g)]), undefined, g.ints([g.of([1, -1, 2])])]),
    (g) => g.put(g.of(['Add', 'Sub', 'Mul', 'Div', 'Mod', 'Min', 'Max']), [int(g), other(g)]),
    (g) => g.put(g.of(['Add', 'Sub', 'Mul', 'Div']), [int(g), other(g)]),
    (g) => g.put(g.of(['Div', 'Mod']), [int(g), g.ints([g.of([2, 3, 4, -2])], g.of([[], [1]]))]),
    (g) => g.put(g.of(['Div', 'Mod', 'Mul', 'Sub', 'Add', 'Min', 'Max']), [other(g), int(g)]),
    (g) => g.put(g.of(['Neg', 'Abs', 'Sign', 'Identity']), [int(g)]),
    (g) => { const c = compare(g); g.put('Where', [c, int(g), other(g)]); },
    (g) => { const c = compare(g); g.put('Cast', [g.number(2) ? g.put('Not', [c]) : c], { to: 7 }); },
    (g) => g.put(g.of(['ReduceProd', 'ReduceSum', 'ReduceMin', 'ReduceMax']), [g.list(), g.ints([0])], { keepdims: g.number(2) }),
    (g) => g.put('Squeeze', [g.list(1, 1)]),
    (g) => g.put('Unsqueeze', [g.scalar(), g.ints([0])]),
    (g) => {
        const x = g.put('Cast', [int(g)], { to: 1 });
        const y = g.put(g.of(['Mul', 'Div', 'Add', 'Sub']), [x, g.floats([g.of([0.5, 2, 0.7, 1.5, 4, 3])], [])]);
        g.put('Cast', [g.put(g.of(['Floor', 'Ceil', 'Round', 'Identity']), [y])], { to: 7 });
    },
    (g) => {
        const [x, y] = [int(g), int(g)].map((v) => g.put('Cast', [v], { to: 1 }));
        g.put('Cast', [g.put(g.of(['Floor', 'Ceil', 'Sqrt', 'Identity']), [g.put(g.of(['Mul', 'Div', 'Add', 'Min']), [x, y])])], { to: 7 });
    },
    (g) => g.put('Cast', [g.put(g.of(['Add', 'Mul', 'Div', 'Sub']), [int(g), other(g)].map((v) => g.put('Cast', [v], { to: 6 })))], { to: 7 }),
    (g) => g.put('Range', [g.scalar(), g.scalar(), g.ints([g.of([1, 1, 2, -1, 3])], [])]),
    (g) => g.put('Range', [...[g.scalar(), g.scalar()].map((v) => g.put('Cast', [v], { to: 1 })), g.floats([g.of([1, 2, 0.5, -1])], [])]),
    (g) => g.put('ConstantOfShape', [g.list(0, 4)], { value: { t: g.of([['int64', [1], [1]], ['float', [1], [0]]]) } }),
    (g) => g.put('ConstantOfShape', [g.sizes(g.between(1, 3), [1, 2, 3])], { value: { t: ['float', [1], [0]] } }),
    // The expand that PyTorch writes.
    (g) => {
        const x = g.data(1, 4), want = g.sizes(g.rank(x), [-1, 1, 2]);
        const ones = g.put('ConstantOfShape', [g.put('Shape', [want])], { value: { t: ['int64', [1], [1]] } });
        g.put('Expand', [x, g.put('Where', [g.put('Equal', [want, g.put('Mul', [ones, g.ints([-1], [])])]), ones, want])]);
    },
    (g) => { const l = g.list(1); g.put('ScatterElements', [l, g.ints([g.of([0, -1])]), g.sizes(1)], { axis: 0 }); },
    (g) => g.put('CumSum', [g.list(1), g.ints([0], [])]),
    // Bodies and sequences.
    (g) => {
        const branch = (value) => ({ g: { nodes: [{ op: 'Identity', inputs: [value.name], outputs: ['o'] }], outputs: [{ name: 'o' }] } });
        const x = g.data(), y = g.data(), test = g.put('Squeeze', [g.put(g.of(['Equal', 'Less', 'Greater']), [g.scalar(), g.ints([g.between(0, 3)])])]);
        g.put('If', [test], { then_branch: branch(x), else_branch: branch(y) });
    },
    (g) => {
        const branch = (value) => ({ g: { nodes: [{ op: 'Identity', inputs: [value], outputs: ['o'] }], outputs: [{ name: 'o' }] } });
        const x = g.scalar(), y = g.scalar(), test = g.put('Squeeze', [g.put(g.of(['Equal', 'Less', 'Greater']), [g.scalar(), g.ints([g.between(0, 3)])])]);
        g.put('If', [test], { then_branch: branch(x), else_branch: branch(y) });
    },
    (g) => {
        const x = g.data(), grow = g.of(['Relu', 'Add', 'Concat', 'Concat']);
        const step = grow === 'Concat' ? { op: 'Concat', inputs: ['c', x.name], outputs: ['d'], attr: { axis: 0 } }
            : { op: grow, inputs: grow === 'Add' ? ['c', x.name] : ['c'], outputs: ['d'] };
        g.put('Loop', [g.scalar(), undefined, x], { body: { g: {
            inputs: [{ name: 'i', type: 'int64', shape: [] }, { name: 'on', type: 'bool', shape: [] }, { name: 'c', type: 'float' }],
            nodes: [{ op: 'Identity', inputs: ['on'], outputs: ['go'] }, step, { op: 'Identity', inputs: [g.of(['d', 'c'])], outputs: ['s'] }],
            outputs: [{ name: 'go' }, { name: 'd' }, { name: 's' }],
        } } }, 2);
    },
    (g) => {
        const k = g.scalar();
        g.put('Loop', [g.scalar(), undefined, k], { body: { g: {
            inputs: [{ name: 'i', type: 'int64', shape: [] }, { name: 'on', type: 'bool', shape: [] }, { name: 'c', type: 'int64', shape: [] }],
            nodes: [{ op: 'Identity', inputs: ['on'], outputs: ['go'] }, { op: g.of(['Add', 'Mul', 'Max']), inputs: ['c', g.of([k, 'i', g.ints([2], [])])], outputs: ['d'] },
                { op: 'Identity', inputs: ['d'], outputs: ['s'] }],
            outputs: [{ name: 'go' }, { name: 'd' }, { name: 's' }],
        } } }, 2);
    },
    (g) => {
        const x = g.data(1), axis = g.axis(x), each = g.number(3) ? g.ints([g.between(1, 2)], []) : undefined;
        const sequence = g.put('SplitToSequence', [x, each], { axis, keepdims: each ? 1 : g.number(2) });
        g.put('SequenceLength', [sequence]);
        g.put('SequenceAt', [sequence, g.ints([g.of([0, -1])], [])]);
        g.put('ConcatFromSequence', [sequence], { axis, new_axis: g.of([0, 0, 1]) });
    },
    (g) => {
        const x = g.data(), y = g.data(), sequence = g.put('SequenceConstruct', [x, y]);
        g.put('SequenceAt', [sequence, g.ints([g.of([0, 1, -1])], [])]);
        g.put('ConcatFromSequence', [sequence], { axis: 0, new_axis: g.number(2) });
    },
];

/** The number of kinds of steps; those that begin to reckon with sizes. */
export const KINDS = STEPS.length, SIZES = STEPS.indexOf(shapeOf), SCALAR = STEPS.indexOf(sizeOf);

/** A model from lists of numbers: the first makes the inputs, each other one is a step. */
export function grow([first, ...steps], witness) {
    const graph = new Graph(first, witness);
    for (const step of steps) graph.step(step);
    return graph;
}

const integer = (value) => typeof value === 'number' || typeof value === 'bigint';

/** What each expression of a result is at these values: a number, or what is said against it. Those with other symbols are left out. */
function evaluations(result, values) {
    const dims = result.values.flatMap((v) => [...v.shape ?? [], ...(v.type === 'string' ? [] : v.content ?? []), v.length]);
    const texts = [...new Set(dims)].filter((dim) => typeof dim === 'string' && (dim.match(/unk__\d+/g) ?? []).every((name) => name in values));
    try {
        return new Map(result.evaluate(texts, values).map((number, i) => [texts[i], number]));
    } catch {
        const alone = (text) => { try { return result.evaluate(text, values); } catch (error) { return error.message; } };
        return new Map(texts.map((text) => [text, alone(text)]));
    }
}

/** Sizes that do not broadcast: no run succeeds at them, though the bound model may not have seen it. */
const fails = (answer) => typeof answer === 'string' && answer.endsWith('it has no value at these bindings');

/**
 * Where an open result contradicts the one with its symbols bound: texts; what was compared; undefined where the point does not count, for
 * an assumption breaks or the model contradicts itself there. Symbols that nothing names take the sizes that the bound result gives them.
 */
export function contradictions(open, bound, point) {
    if (bound.diagnostics.some((d) => d.severity === 'error')) return undefined;
    const { k, ...values } = point, found = [];
    open.values.forEach((value, i) => {
        const other = bound.values[i], learn = (mine, theirs) => {
            if (typeof mine === 'string' && /^unk__\d+$/.test(mine) && integer(theirs)) values[mine] ??= theirs;
        };
        if (value.shape?.length === other.shape?.length) value.shape?.forEach((dim, axis) => learn(dim, other.shape[axis]));
        if (value.content?.length === other.content?.length && value.type === 'int64') value.content?.forEach((item, at) => learn(item, other.content[at]));
    });
    try {
        open.evaluate([], values);
    } catch (error) {
        if (/ assumes /.test(error.message)) return undefined;
        throw error;
    }
    if (open.diagnostics.some((d) => d.severity === 'error')) found.push(`open: ${open.diagnostics.find((d) => d.severity === 'error').message}; bound: nothing`);
    const known = evaluations(open, values);
    if ([...known.values()].some(fails)) return undefined;
    let compared = 0;
    open.values.forEach((value, i) => {
        const other = bound.values[i], place = `${value.graph && `${value.graph}/`}${value.name}`;
        const compare = (mine, theirs, what) => {
            if (!integer(theirs)) return;
            const answer = integer(mine) ? mine : known.get(mine);
            if (answer === undefined) return;
            if (typeof mine === 'string') compared++;
            if (typeof answer === 'string' || BigInt(answer) !== BigInt(theirs)) found.push(`${place}${what}: open ${mine} = ${answer}, bound ${theirs}`);
        };
        if (other.shape?.some((dim) => dim < 0)) found.push(`${place}: bound [${other.shape.join(', ')}]`);
        if (value.type !== other.type) found.push(`${place}: open ${value.type}, bound ${other.type}`);
        if (value.shape && other.shape) {
            if (value.shape.length !== other.shape.length) found.push(`${place}: open rank ${value.shape.length}, bound rank ${other.shape.length}`);
            else value.shape.forEach((dim, axis) => compare(dim, other.shape[axis], `[${axis}]`));
        }
        if (value.length !== undefined) compare(value.length, other.length, ' length');
        if (value.content && other.content && (value.type === 'int64' || value.type === 'int32' || value.type === 'bool')) {
            if (value.content.length !== other.content.length) {
                if (value.shape?.every(integer)) found.push(`${place}: open has ${value.content.length} elements, bound ${other.content.length}`);
            } else value.content.forEach((item, at) => {
                if (typeof item === 'boolean') { if (typeof other.content[at] === 'boolean' && item !== other.content[at]) found.push(`${place}(${at}): open ${item}, bound ${other.content[at]}`); }
                else if (item !== null) compare(item, other.content[at], `(${at})`);
            });
        }
    });
    return { found, compared };
}
