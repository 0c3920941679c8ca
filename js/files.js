/* Files as sources, in Node. Windows are small and read at once: by way of Node's threads they take ten times as long. */
import { builtin, checkInside, fromStream, LOCAL, outside } from './source.js';

/** @import { Source } from './source.js' */

/** @param {number} fd an open file's descriptor @param {number} size @returns {Promise<Source>} */
export async function fromDescriptor(fd, size) {
    const { readSync } = await builtin('node:fs');
    let bytes = new Uint8Array(LOCAL.max);
    return {
        ...LOCAL, size,
        read(offset, length) {
            if (length > bytes.length) bytes = new Uint8Array(length);
            let done = 0;
            for (let part = 1; part && done < length; done += part) part = readSync(fd, bytes, done, length - done, offset + done);
            return bytes.subarray(0, done);
        },
    };
}

/** @param {string | URL} path @returns {Promise<Source>} */
export async function fromPath(path) {
    const { closeSync, createReadStream, existsSync, openSync, realpathSync, statSync } = await builtin('node:fs'), info = statSync(path);
    if (info.isDirectory()) throw Object.assign(new Error(`${path} is a folder: name the file in it`), { code: 'EISDIR' });
    if (!info.isFile()) return fromStream(createReadStream(path));
    const fd = openSync(path);
    return {
        ...await fromDescriptor(fd, info.size),
        close: () => closeSync(fd),
        async external(location) {
            const { dirname, resolve, relative, isAbsolute, sep } = await builtin('node:path');
            const name = path instanceof URL ? (await builtin('node:url')).fileURLToPath(path) : path;
            checkInside(location);
            // The folder that the model is named in, and the one that it lies in where the name is a link.
            const folders = [realpathSync(dirname(resolve(name))), dirname(realpathSync(name))];
            const file = folders.map((folder) => resolve(folder, location)).find(existsSync);
            if (!file) throw new Error('no such file beside the model');
            const real = realpathSync(file);
            const leaves = (/** @type {string} */ from) => from === '..' || from.startsWith(`..${sep}`) || isAbsolute(from);
            if (folders.every((folder) => leaves(relative(folder, real)))) throw outside();
            return fromPath(real);
        },
    };
}
