/* Files as sources, in Node. */
import { builtin, checkInside, fromStream, LOCAL, outside } from './source.js';

/** @import { Source } from './source.js' */

/** @param {any} handle a FileHandle of Node's @param {number} size @returns {Source} */
export const fromHandle = (handle, size) => ({
    ...LOCAL, size,
    async read(offset, length) {
        const bytes = new Uint8Array(length);
        let done = 0;
        for (let part = 1; part && done < length; done += part) {
            part = (await handle.read(bytes, done, length - done, offset + done)).bytesRead;
        }
        return bytes.subarray(0, done);
    },
});

/** @param {string | URL} path @returns {Promise<Source>} */
export async function fromPath(path) {
    const { open, realpath } = await builtin('node:fs/promises');
    const handle = await open(path);
    try {
        const info = await handle.stat();
        if (!info.isFile()) {
            if (info.isDirectory()) throw Object.assign(new Error(`${path} is a folder: name the .onnx file in it`), { code: 'EISDIR' });
            return { ...fromStream(handle.createReadStream({ autoClose: false })), close: () => handle.close() };
        }
        return {
            ...fromHandle(handle, info.size),
            close: () => handle.close(),
            async external(location) {
                const { dirname, resolve, relative, isAbsolute, sep } = await builtin('node:path');
                const name = path instanceof URL ? (await builtin('node:url')).fileURLToPath(path) : path;
                checkInside(location);
                const folder = await realpath(dirname(resolve(name)));
                const file = await realpath(resolve(folder, location)).catch(() => { throw new Error('no such file beside the model'); });
                const from = relative(folder, file);
                if (from === '..' || from.startsWith(`..${sep}`) || isAbsolute(from)) throw outside(location);
                return fromPath(file);
            },
        };
    } catch (error) {
        await handle.close();
        throw error;
    }
}
