/**
 * The type and shape of every tensor of an ONNX model, without a runtime and without reading the weights.
 */

/** A size: an integer (a bigint beyond 2^53 - 1), or an expression over symbols such as `"2*seq + 1"`. */
export type Dim = number | bigint | string;

/** An element of a small tensor: a number, an expression over symbols, or null where it is not known. */
export type Element = number | bigint | boolean | string | null;

/** Names, each with what it has. */
export type ByName<T> = Readonly<Record<string, T>> | ReadonlyMap<string, T>;

/** What can be read a range at a time. */
export interface RandomAccess {
    readonly size: number | bigint;
    /** The bytes from `offset` on: `length` of them, fewer only where the source ends. */
    read(offset: number, length: number): Uint8Array | ArrayBuffer | PromiseLike<Uint8Array | ArrayBuffer>;
}

/** A FileHandle of `node:fs/promises`. */
export interface FileHandleLike {
    readonly fd: number;
    stat(): Promise<{ size: number | bigint }>;
}

/** A ReadableStream, whether or not it can be iterated. */
export interface ByteStream {
    getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>; cancel(): Promise<void> };
}

/** A Response of `fetch`. */
export interface ResponseLike {
    arrayBuffer(): Promise<ArrayBuffer>;
    readonly body?: ByteStream | null | undefined;
    readonly ok?: boolean | undefined;
}

/** A compiled WebAssembly.Module, whose own type not every project has. */
export type WasmModule = object;

/**
 * Where a model is: its bytes; a Blob or File; a URL, or text that is one (only what is needed is fetched where the server has
 * ranges); in Node also a path or a FileHandle; in a page other text is a relative URL; a Response or
 * another stream of bytes, read once; or anything that reads ranges.
 */
export type ModelSource =
    | ArrayBufferView | ArrayBufferLike | Blob | URL | string | FileHandleLike | RandomAccess | ResponseLike | ByteStream
    | AsyncIterable<Uint8Array>;

/** What replaces a declaration of the file's, or what inference finds of a value inside the main graph. What it leaves out stays as it is. */
export interface ValueOption {
    /** "float32", "seq(int64)", or as ONNX writes it: "tensor(float)". */
    type?: string | number | null | undefined;
    /** Integers, names or expressions; null for a size that is not known. */
    shape?: ArrayLike<number | bigint | string | null> | null | undefined;
    /** The elements, row by row; a vector of open length becomes as long as they are. Accepted and unused are more than 1,024, those of a
     * type without contents, and all of a list in which one is text or null. */
    data?: ArrayLike<number | bigint | boolean | string | null> | null | undefined;
}

/** A tensor as a rule of the host's sees it. */
export interface OperatorInput {
    name: string;
    type: string | null;
    shape: Dim[] | null;
    /** Its elements, row by row, where they are known; else null. */
    content: Element[] | null;
}

/** A node as a rule of the host's sees it. */
export interface OperatorNode {
    domain: string;
    op: string;
    name: string;
    /** The imported version of its domain. */
    opset: number;
    /** null where an input is left out. */
    inputs: (OperatorInput | null)[];
    /** Integers, floats and strings, lists of them, and tensors. Integers beyond 2^53 - 1 are bigints. */
    attributes: Record<string, any>;
    /** Names; "" where an output is left out. */
    outputs: string[];
}

/** One output, as far as it is known. */
export interface OperatorOutput {
    type?: string | null | undefined;
    shape?: ArrayLike<number | bigint | string | null> | null | undefined;
    content?: ArrayLike<number | bigint | boolean | string | null> | null | undefined;
}

export type OperatorRule = (node: OperatorNode) => (OperatorOutput | null)[];
export type AsyncOperatorRule = (node: OperatorNode) => (OperatorOutput | null)[] | Promise<(OperatorOutput | null)[]>;

/** Bounds on what a model may ask for; more than the most counts as the most. */
export interface Limits {
    /** Graphs inside graphs. Default 64, at most 250. */
    nesting?: number | undefined;
    /** Axes of a tensor. Default and at most 1,024. */
    rank?: number | undefined;
    /** Elements of a content. Default and at most 1,024. */
    elements?: number | undefined;
    /** Terms of an expression. Default and at most 64. */
    terms?: number | undefined;
    /** Nesting of an expression. Default 16, at most 32. */
    depth?: number | undefined;
    /** Values of all graphs. Default 4,000,000. */
    values?: number | undefined;
    /** Bytes of memory. Default 1 GiB, at most 2 GiB. */
    memory?: number | undefined;
    /** Nodes done, bodies' turns included. Default 1e9. */
    operations?: number | undefined;
}

export interface Progress {
    phase: 'read' | 'infer';
    /** External data's included. */
    bytesRead: number;
    /** Of the source; undefined where it is not known before its end. */
    size: number | undefined;
    /** Of the main graph's, as are `nodes`. */
    nodesDone: number;
    nodes: number;
}

export interface InferOptions<Rule = AsyncOperatorRule> {
    /** Sizes for `dim_param` names, as ONNX Runtime Web calls them. */
    freeDimensionOverrides?: ByName<number | bigint> | undefined;
    /** By name of an input, or of a value inside the graph: a shape, or more. */
    inputs?: ByName<ValueOption | ArrayLike<number | bigint | string | null>> | undefined;
    /** Where external data is, by the location that the model names. Default: beside the model. */
    externalData?: ByName<ModelSource> | undefined;
    /** Throw at the first contradiction, missing type or unknown operator. */
    strict?: boolean | undefined;
    /** What counts where the file declares a shape: "refine" (default) what is inferred, refined by it; "override" ignores it, except for operators without a rule. */
    merge?: 'refine' | 'override' | undefined;
    /** Rules for operators: `{ 'my.domain::Foo': (node) => [{ type, shape }] }`; those of ai.onnx by their name alone. */
    operators?: ByName<Rule> | undefined;
    limits?: Limits | undefined;
    /** Takes the memory of the call before it that said so, too, and leaves it to the next one: for many models one after another. What it
     * answers is the same; the memory stays until it is collected as garbage. Default false: each call has fresh memory, dropped at its end. */
    reuse?: boolean | undefined;
    /** Called between the steps of a call; what it throws ends the call. */
    onProgress?: ((progress: Progress) => void) | undefined;
    /** Ends the call between two steps: a rule, or a read of what is no URL, is waited for first. */
    signal?: AbortSignal | undefined;
}

export interface Value {
    name: string;
    /** "" for the main graph, else the path to it: `"If_3/then_branch"`. */
    graph: string;
    kind: 'input' | 'initializer' | 'output' | 'intermediate';
    /** "float32", "seq(int64)", … or null where it is unknown. */
    type: string | null;
    /** null where the rank is unknown. Of a sequence or optional: its element's. */
    shape: Dim[] | null;
    /** The node that makes it: its name, or `Op#index` where that is empty or not unique; null for inputs and initializers. */
    node: string | null;
    /** Elements, row by row, where they are known. */
    content?: Element[];
    /** Of a sequence, where it is known. */
    length?: Dim;
}

export interface Node {
    graph: string;
    /** In the file's order. */
    index: number;
    name: string;
    /** "" is ai.onnx. */
    domain: string;
    op: string;
    /** "" where one is left out. */
    inputs: string[];
    outputs: string[];
}

export interface DimSymbol {
    name: string;
    /**
     * `declared` by an input of the file; `adopted` from a declaration inside; else why nothing determines it: an unknown
     * `rank`, `data`, unknown `content`, an `input`'s open size, a `merge` of branches, `float` arithmetic, a `limit`, an
     * `unknown-op`.
     */
    origin: 'declared' | 'adopted' | 'none' | 'rank' | 'data' | 'content' | 'input' | 'merge' | 'float' | 'limit' | 'unknown-op';
    /** Declared: every input axis of that size. Others: where it appears first. */
    where: { value: string; axis: number; graph?: string }[];
    /** The node that made it. */
    graph?: string;
    node?: string;
    /** What it must equal for the model to run. */
    equalTo?: string[];
}

/** What the shapes rely on, beyond what the model needs to run: lhs >= rhs. */
export interface Assumption {
    lhs: Dim;
    rhs: Dim;
    graph: string;
    node: string | null;
    reason: string;
}

export interface Diagnostic {
    severity: 'error' | 'warning' | 'info';
    code: string;
    graph: string;
    node: string | null;
    value: string | null;
    /** `my.domain::Foo`, or null where it is about no node. */
    op: string | null;
    message: string;
}

/** One value on the way from the inputs. */
export interface WhyStep extends Value {
    /** The operator that makes it; null for inputs and initializers. */
    op: string | null;
    /** What is explained here: symbols, "rank", "elements" or "sizes". */
    about: string[];
    /** The values through which that came; none where it begins here. */
    from: { value: string; graph: string; read: 'shape' | 'elements' }[];
    /** Why it begins here; diagnostics of the node. */
    notes: string[];
}

/** About the call, not about the model. */
export interface Stats {
    /** Bytes of the source. */
    size: number;
    /** External data's included, as are `reads`. */
    bytesRead: number;
    reads: number;
    /** Of the main graph's, as are `nodesDone`. */
    nodes: number;
    nodesDone: number;
    /** Bytes of memory that the engine used. */
    memory: number;
}

/** Plain data: what `JSON.stringify` sees, with bigints beyond 2^53 - 1. */
export interface PlainResult {
    model: { irVersion: number | bigint; opsetImport: Record<string, number | bigint>; producer: string };
    /** In file order: inputs, initializers, node outputs of the main graph; then subgraphs depth first. */
    values: Value[];
    nodes: Node[];
    symbols: DimSymbol[];
    assumptions: Assumption[];
    diagnostics: Diagnostic[];
}

export interface InferResult extends Readonly<PlainResult> {
    readonly stats: Stats;
    /** The value of that name in a graph, by default the main one. */
    get(name: string, graph?: string): Value | undefined;
    /**
     * A shape, or a size, where symbols have these values.
     * @throws {RangeError} where a symbol has no value, an input's size is negative, or the values break an assumption
     */
    evaluate(dim: Dim, bindings?: ByName<number | bigint>): number | bigint;
    evaluate(shape: readonly Dim[], bindings?: ByName<number | bigint>): (number | bigint)[];
    /** The chain from a value back to the inputs through which its shape, or the lack of it, came. */
    why(name: string, graph?: string): WhyStep[];
    toJSON(): PlainResult;
    /** Exact JSON, integers beyond 2^53 - 1 included. */
    stringify(indent?: number | string): string;
    /** The same text without indentation, a thousand rows at a time, none of which is kept: for results that are too large to hold. */
    pieces(): Iterable<string>;
    /** The rows of a list one at a time, made when they are asked for and not kept. */
    each<L extends Exclude<keyof PlainResult, 'model'>>(list: L): Iterable<PlainResult[L][number]>;
}

/** A file that is no model, or that `strict` or the limits do not let pass. Its message is one line. */
export class ModelError extends Error {
    constructor(code: string, message: string, offset?: number, path?: string);
    readonly name: 'ModelError';
    /** `truncated`, `not-onnx`, … the documented list. */
    readonly code: string;
    /** In the source, in bytes. */
    readonly offset: number | undefined;
    /** The field, such as `graph.node[12].attribute[0]`, where it is known. */
    readonly path: string | undefined;
}

/**
 * Types and shapes of all tensors of a model.
 *
 * @throws {ModelError} the source is no model, or a limit or `strict` stopped the call
 * @throws {TypeError} an argument is wrong
 *
 * @example
 * const result = await inferShapes(file, { freeDimensionOverrides: { batch: 1 } });
 * result.get('logits');        // { type: 'float32', shape: [1, 'seq', 50257], … }
 */
export function inferShapes(source: ModelSource, options?: InferOptions): Promise<InferResult>;

/** The same at once, from bytes or what reads them at once. In a page after `await load()`. */
export function inferShapesSync(
    source: ArrayBufferView | ArrayBufferLike | RandomAccess, options?: InferOptions<OperatorRule>,
): InferResult;

/**
 * Prepares the engine: needed before `inferShapesSync` in a page, and where model.wasm is not beside the package's code.
 * @param source its URL, bytes or response, or the compiled module; default: the package's own
 */
export function load(source?: URL | string | ArrayBufferView | ArrayBuffer | ResponseLike | WasmModule): Promise<void>;
