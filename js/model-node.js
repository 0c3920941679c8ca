/* The same as model.js in Node, whose older versions (before 20.16) give their modules only to those who import them. */
import { readFileSync } from 'node:fs';
import { api } from './call.js';

export { ModelError } from './engine.js';

const place = () => new URL('../wasm/model.wasm', import.meta.url);

/** @type {Pick<typeof import('./model.d.ts'), 'inferShapes' | 'inferShapesSync' | 'load'>} */
export const { inferShapes, inferShapesSync, load } = api(place, () => readFileSync(place()));
