/* The same as model.js with model.wasm embedded: nothing to load, whatever the bundler. */
import { api } from './call.js';
import { bytes } from './model-wasm.js';

export { ModelError } from './engine.js';

const decode = () => Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0));

/** @type {Pick<typeof import('./model.d.ts'), 'inferShapes' | 'inferShapesSync' | 'load'>} */
export const { inferShapes, inferShapesSync, load } = api(decode, decode);
