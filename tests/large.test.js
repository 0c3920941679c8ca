// Files larger than any memory: what is read of them, and what comes out. The weights are a hole in a sparse file.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { launch, serve } from '../bench/harness.mjs';
import { writeSparse } from '../bench/models.mjs';
import { inferShapes, inferShapesSync } from 'onnx-shape/model';

const folder = mkdtempSync(join(tmpdir(), 'onnx-shape-')), file = join(folder, 'large.onnx');
const [browser, server] = [await launch(), await serve()];
after(async () => {
    rmSync(folder, { recursive: true, force: true });
    server.close();
    await browser?.close();
});

const MIB = 2 ** 20;

/** @param {number} most bytes read: by URL, windows are wider */
function right({ values, stats }, columns, most = 16 * 1024) {
    assert.deepEqual(values.map((v) => `${v.name} ${v.type} [${v.shape}]`), ['x float32 [N,16384]', `w float32 [16384,${columns}]`, 'zero int64 [1]',
        `y float32 [N,${columns}]`, 's int64 [1]', 'to int64 [2]', `z float32 [N,${columns}]`]);
    assert.ok(stats.bytesRead < most && stats.reads < 8, `${stats.bytesRead} bytes in ${stats.reads} reads`);
    assert.ok(stats.memory <= 4 * MIB, `${stats.memory} bytes of memory`);
}

for (const gib of [3, 9]) {
    for (const first of [true, false]) {
        test(`${gib} GiB, weights ${first ? 'before' : 'after'} the nodes`, async (t) => {
            const columns = writeSparse(file, gib, first);
            await t.test('by path', async () => right(await inferShapes(file), columns));
            await t.test('as a FileHandle, and through reads of ranges', async () => {
                const handle = await open(file);
                try {
                    right(await inferShapes(handle), columns);
                    const { size } = await handle.stat();
                    const read = async (offset, length) => (await handle.read(new Uint8Array(length), 0, length, offset)).buffer;
                    right(await inferShapes({ size: BigInt(size), read }), columns);
                } finally {
                    await handle.close();
                }
            });
            await t.test('as a File in a page, and by the URL of one', { skip: !browser && 'no Chromium' }, async () => {
                const page = await browser.newPage();
                await page.goto(server.url);
                await page.setContent('<input type="file">');
                await page.locator('input').setInputFiles(file);
                const infer = (as) => page.evaluate(async ([url, source]) => {
                    const [file] = document.querySelector('input').files, { inferShapes: infer } = await import(`${url}js/model.js`);
                    const { values, stats } = await infer(source === 'file' ? file : URL.createObjectURL(file));
                    return { values: values.map(({ name, type, shape }) => ({ name, type, shape })), stats };
                }, [server.url, as]);
                right(await infer('file'), columns);
                right(await infer('url'), columns, MIB);
                await page.close();
            });
        });
    }
}

test('a size beyond what the bytes hold is an error with its place', () => {
    const head = Uint8Array.from([8, 10, 58, 0x80, 0x80, 0x80, 0x80, 0x40, 42, 4, 8, 1]);       // a graph of 16 GiB in a file of 12 bytes
    assert.throws(() => inferShapesSync(head), { name: 'ModelError', code: 'truncated' });
});
