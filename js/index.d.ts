/**
 * The ONNX operator Shape: the dims of a tensor, or a slice of them.
 * Source: ONNX operator Shape, versions 1 to 25.
 */

/** An element type, as JavaScript's runtimes name it. */
export type ElementType =
    | 'float32' | 'uint8' | 'int8' | 'uint16' | 'int16' | 'int32' | 'int64' | 'string' | 'bool' | 'float16'
    | 'float64' | 'uint32' | 'uint64' | 'complex64' | 'complex128' | 'bfloat16' | 'float8e4m3fn' | 'float8e4m3fnuz'
    | 'float8e5m2' | 'float8e5m2fnuz' | 'uint4' | 'int4' | 'float4e2m1' | 'float8e8m0' | 'uint2' | 'int2';

/** Dims, one an axis; none is a scalar. */
export type Dims =
    | readonly (number | bigint)[]
    | Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array | Uint32Array
    | BigInt64Array | BigUint64Array;

/** Dims, or what has them: ONNX Runtime Web's tensors fit. Only `dims` and `type` are read. */
export type ShapeInput = Dims | { readonly dims: Dims; readonly type: string };

/** The operator's attributes, integers in int64; null and undefined mean absent. */
export interface ShapeAttributes {
    /** First axis kept; negative counts from the back; clamped to [0, rank]. Absent: 0. Opset 15 and later. */
    readonly start?: number | bigint | null | undefined;
    /** One past the last axis kept, by the same rule. Absent: rank. Opset 15 and later. */
    readonly end?: number | bigint | null | undefined;
}

/** A 64-bit integer in two halves, as the npm package `long` makes them. */
export interface LongLike {
    readonly low: number;
    readonly high: number;
    readonly unsigned?: boolean | undefined;
}

/** A decoded AttributeProto, as protobufjs, onnx-proto and Netron produce it. */
export interface AttributeProto {
    readonly name?: string | null | undefined;
    /** INT: 2, or 'INT'; absent in old files. */
    readonly type?: number | string | null | undefined;
    /** Absent means 0, as protobuf has it. */
    readonly i?: number | bigint | LongLike | null | undefined;
    /** A reference to an attribute of the function around the node; refused, for its value is not here. */
    readonly refAttrName?: string | null | undefined;
    /** The same, as Netron names it. */
    readonly ref_attr_name?: string | null | undefined;
}

export interface ShapeOptions {
    /** The model's opset of the default domain, 1 or more; the newest version up to it counts. Default: newest. */
    readonly opset?: number | bigint | null | undefined;
    /**
     * The input's element type, as ONNX writes it (`float`, `tensor(float)`, `float4e2m1`) or as JavaScript does
     * (`float32`). Goes before `input.type`. Dims without a type are not checked for it.
     */
    readonly type?: ElementType | (string & {}) | null | undefined;
}

/** One version of the operator. */
export interface ShapeVersion {
    /** The opset from which it is in force. */
    readonly version: number;
    /** The element types it allows, in TensorProto's order. */
    readonly types: readonly ElementType[];
    /** The attributes it has: none, or start and end. */
    readonly attributes: readonly string[];
}

/**
 * The dims of the axes [start, end), as the operator's int64 output.
 *
 * @param input dims (numbers: integers from 0 to 2^53 - 1; bigints: to 2^63 - 1), or a tensor
 * @param attributes start and end by name, or a node's list of decoded AttributeProto objects
 * @param options opset and element type
 * @returns a new array; empty where start >= end
 * @throws {TypeError} what is not of the kind asked for: input, a dim, an attribute; an unknown attribute or option; a
 *   type, or an attribute, that the version does not allow
 * @throws {RangeError} a dim that is negative, not an integer, NaN or not safe; a start or end that is not an integer
 *   or leaves int64; an opset below 1
 *
 * @example
 * shape([2, 3, 4]);                     // BigInt64Array [2n, 3n, 4n]
 * shape([2, 3, 4], { start: -1 });      // BigInt64Array [4n]
 * shape([2, 3, 4], { end: -1 });        // BigInt64Array [2n, 3n]
 */
export function shape(
    input: ShapeInput,
    attributes?: ShapeAttributes | readonly AttributeProto[] | null,
    options?: ShapeOptions | null,
): BigInt64Array;

/**
 * The same into an array of the caller's, without allocating, for hot loops. The dims are copied as they are: they are
 * not checked, so that -1 or any other mark survives.
 *
 * @param dims the input's dims; numbers where `out` holds numbers, bigints where it holds bigints
 * @param out gets the dims kept from index 0 on, and is not touched beyond them; may be `dims`
 * @param start first axis kept, as in {@link ShapeAttributes}; default 0
 * @param end one past the last axis kept; default rank
 * @returns how many dims it wrote
 * @throws {TypeError} a start or end that is neither number nor bigint
 * @throws {RangeError} a start or end that is not an integer or leaves int64; an `out` shorter than what is kept (`dims.length`
 *   elements always suffice). Nothing is written then.
 */
export function shapeInto(
    dims: readonly number[] | Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array | Uint32Array,
    out: number[] | Int32Array | Uint32Array | Float64Array,
    start?: number | bigint | null,
    end?: number | bigint | null,
): number;
export function shapeInto(
    dims: readonly bigint[] | BigInt64Array | BigUint64Array,
    out: bigint[] | BigInt64Array | BigUint64Array,
    start?: number | bigint | null,
    end?: number | bigint | null,
): number;

/** The operator's versions, oldest first: 1, 13, 15, 19, 21, 23, 24, 25. Frozen. Source: ONNX's operator schemas. */
export const shapeVersions: readonly ShapeVersion[];
