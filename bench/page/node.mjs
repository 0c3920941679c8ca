// Runs one function of a file beside this one in a process of its own, and prints what it gives: an import is first only once,
// and a process's memory is nobody else's.
const [file, name, rest] = process.argv.slice(2);
const load = (path) => import(new URL(`../../${path}`, import.meta.url).href);
const result = await (await import(new URL(file, import.meta.url).href))[name](load, ...JSON.parse(rest));
process.stdout.write(JSON.stringify(result), () => process.exit());
