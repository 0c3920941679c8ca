/* Types and shapes of every tensor of a model; model.wasm is loaded from the package's wasm folder. */
import { api } from './call.js';
import { readFileNow } from './source.js';

export { ModelError } from './engine.js';

const place = () => new URL('../wasm/model.wasm', import.meta.url);

/** @type {Pick<typeof import('./model.d.ts'), 'inferShapes' | 'inferShapesSync' | 'load'>} */
export const { inferShapes, inferShapesSync, load } = api(place, () => /** @type {any} */ (readFileNow(place())));
