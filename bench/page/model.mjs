// One call of inferShapes over a file, alike in Node and in a page.

/** What the call took and read; `values`, the first ones, tell that the answer is right. @param {(path: string) => Promise<any>} load @param {any} source */
export async function once(load, source) {
    const { inferShapes } = await load('js/model.js');
    const before = performance.now(), { stats, values, diagnostics } = await inferShapes(source), ms = performance.now() - before;
    return { ms, ...stats, values: values.slice(0, 16).map((v) => `${v.name} ${v.type} [${v.shape ?? '?'}]`), errors: diagnostics.filter((d) => d.severity === 'error').length };
}

/** The same in a process of its own, with how far its memory rose above what it was before the call, in bytes. */
export async function alone(load, source) {
    const { readFileSync, writeFileSync } = await import('node:fs');
    const status = (field) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync('/proc/self/status', 'latin1'))[1]) * 1024;
    await (await load('js/model.js')).load();
    writeFileSync('/proc/self/clear_refs', '5');        // Linux forgets the highest so far
    const before = status('VmRSS'), result = await once(load, source);
    return { ...result, grown: status('VmHWM') - before };
}
