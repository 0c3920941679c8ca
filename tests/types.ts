// The API as a caller writes it. Only type-checked: what must not compile is marked.
import { shape, shapeInto, shapeVersions } from 'onnx-shape';
import type { AttributeProto, Dims, ElementType, ShapeAttributes, ShapeOptions, ShapeVersion } from 'onnx-shape';
import { Tensor } from 'onnxruntime-common';

let result: BigInt64Array = shape([2, 3, 4]);
result = shape([2, 3n]);
result = shape([2, 3, 4] as const, { start: -1 });
result = shape(Int32Array.of(1, 2), { start: 0n, end: null });
result = shape(new BigUint64Array(2), undefined, { opset: 13 });
result = shape({ dims: [1, 2], type: 'float32' }, {}, { opset: 21n, type: 'tensor(float)' });
result = shape(new Tensor('float32', new Float32Array(2), [1, 2]), { end: -1 });
result = shape([2], null, null);
result = shape([2], {}, { type: 'bfloat16' satisfies ElementType });

const attributes: ShapeAttributes = { start: 1, end: undefined };
const options: ShapeOptions = { opset: 15, type: null };
const protos: AttributeProto[] = [{ name: 'start', type: 2, i: 1n }, { name: 'end', i: { low: 1, high: 0, unsigned: false } }];
result = shape([2], attributes, options);
result = shape([2], protos);

const dims: Dims = Uint8Array.of(1);
result = shape(dims);

// A result is indexed and spread as any BigInt64Array.
const last: bigint | undefined = result.at(-1);
const list: bigint[] = [...result];

const out = [0, 0, 0];
let count: number = shapeInto([2, 3, 4], out);
count = shapeInto(out, out, 1, -1);
count = shapeInto(Int32Array.of(1), new Float64Array(1), 0n);
count = shapeInto(BigInt64Array.of(1n), new BigInt64Array(1), null, null);

const versions: readonly ShapeVersion[] = shapeVersions;
const since: number | undefined = versions.find((v) => v.types.includes('int4'))?.version;

// @ts-expect-error an input is needed
shape();
// @ts-expect-error dims are not strings
shape(['batch']);
// @ts-expect-error float arrays hold no dims
shape(new Float32Array(1));
// @ts-expect-error a tensor has a type
shape({ dims: [1] });
// @ts-expect-error Shape has no such attribute
shape([1], { axis: 1 });
// @ts-expect-error there is no such option
shape([1], {}, { version: 13 });
// @ts-expect-error numbers do not go into bigints
shapeInto([1], new BigInt64Array(1));
// @ts-expect-error versions are read only
shapeVersions[0].version = 2;

export { count, last, list, since };

// ---- ./model ----
import { ModelError, inferShapes, inferShapesSync, load } from 'onnx-shape/model';
import * as inline from 'onnx-shape/model-inline';
import type { Dim, DimSymbol, InferOptions, InferResult, ModelSource, OperatorNode, Progress, Value, WhyStep } from 'onnx-shape/model';
import { open as openFile } from 'node:fs/promises';

const sources: ModelSource[] = ['model.onnx', new URL('https://example.com/model.onnx'), new Uint8Array(1), new ArrayBuffer(1), new Blob([]),
    new File([], 'model.onnx'), await openFile('model.onnx'), { size: 3n, read: async (offset: number, size: number) => new Uint8Array(size + offset) }, new Blob([]).stream(),
    { getReader: () => new Blob([]).stream().getReader() }];
const inferOptions: InferOptions = {
    freeDimensionOverrides: { batch: 1, seq: 2n ** 40n },
    inputs: { x: [1, 'seq', null], y: { type: 'int64', shape: Int32Array.of(2), data: BigInt64Array.of(1n, 2n) } },
    externalData: new Map([['weights.bin', new Blob([])]]),
    strict: true, merge: 'override', limits: { nesting: 3, memory: 2 ** 28 },
    operators: { 'my.domain::Foo': async ({ inputs, attributes }: OperatorNode) => [{ type: 'float32', shape: inputs[0]?.shape, content: [attributes['axis']] }, null] },
    onProgress: ({ phase, bytesRead, size }: Progress) => console.log(phase, bytesRead / (size ?? 1)),
    signal: AbortSignal.timeout(1000),
};
let inferred: InferResult = await inferShapes(sources[0]!, inferOptions);
inferred = inferShapesSync(new Uint8Array(3), { operators: { Foo: () => [{ shape: [1] }] } });
inferred = inferShapesSync(new Uint8Array(3), { operators: new Map([['Foo', () => [{ shape: [1] }]]]), freeDimensionOverrides: new Map([['batch', 1n]]) });
inferred = await inline.inferShapes(new Blob([]));
const value: Value | undefined = inferred.get('logits', 'If_3/then_branch');
const dims2: Dim[] | null | undefined = value?.shape;
const symbols: readonly DimSymbol[] = inferred.symbols;
const sizes: (number | bigint)[] = inferred.evaluate(dims2 ?? [], { batch: 1 });
const one: number | bigint = inferred.evaluate('2*seq', new Map([['seq', 3n]]));
const steps: WhyStep[] = inferred.why('logits');
const json: string = inferred.stringify(2);
for (const piece of inferred.pieces()) json.startsWith(piece);
for (const { op, inputs } of inferred.each('nodes')) op.concat(...inputs);
await load(new URL('https://example.com/model.wasm'));
await load(await WebAssembly.compile(new Uint8Array(8)));
try { await inferShapes('x'); } catch (error) { if (error instanceof ModelError) console.log(error.code, error.offset, error.path, error.message); }

// @ts-expect-error a rule that waits cannot be used at once
inferShapesSync(new Uint8Array(3), { operators: { Foo: async () => [] } });
// @ts-expect-error a rule that waits cannot be used at once, in a map neither
inferShapesSync(new Uint8Array(3), { operators: new Map([['Foo', async () => []]]) });
// @ts-expect-error a path cannot be read at once
inferShapesSync('model.onnx');
// @ts-expect-error no such option
await inferShapes('x', { overrides: {} });
// @ts-expect-error no list
inferred.each('model');
// @ts-expect-error the result is not to be changed
inferred.values = [];
// @ts-expect-error a number is no source
await inferShapes(3);
// @ts-expect-error a handle has a descriptor
await inferShapes({ stat: async () => ({ size: 3 }) });
// @ts-expect-error a number is no engine
await load(3);
console.log(symbols, sizes, one, steps, json);
