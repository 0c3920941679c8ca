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
