// Runs one function of operator.mjs in a process of its own, for an import is first only once, and prints what it gives.
import * as operator from './operator.mjs';

const [name, rest] = process.argv.slice(2);
const load = (path) => import(new URL(`../../${path}`, import.meta.url).href);
const result = await operator[name](load, ...JSON.parse(rest));
process.stdout.write(JSON.stringify(result), () => process.exit());
