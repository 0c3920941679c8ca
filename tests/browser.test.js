// The operator in a page and in a worker of headless Chromium; skipped where there is none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launch, serve } from '../bench/harness.mjs';

const browser = await launch();

test('shape in a page and in a worker, by its URL, without a bundler', { skip: !browser && 'no Chromium' }, async (t) => {
    const server = await serve();
    t.after(() => Promise.all([browser.close(), server.close()]));
    const page = await browser.newPage();
    await page.goto(server.url);
    const answers = await page.evaluate(async (url) => {
        const use = `const { shape, shapeInto } = await import('${url}js/index.js');
            const out = [0, 0, 0];
            shapeInto([2, 3, 4], out, 1);
            const answer = [shape([2, 3, 4], { start: -1 }).join(), shape({ dims: [1, 2], type: 'int8' }).join(), out.join()];`;
        const inPage = await new (async () => {}).constructor(`${use} return answer;`)();
        const source = URL.createObjectURL(new Blob([`${use} postMessage(answer);`], { type: 'text/javascript' }));
        const inWorker = await new Promise((resolve, reject) => {
            const worker = new Worker(source, { type: 'module' });
            worker.onmessage = ({ data }) => resolve(data);
            worker.onerror = ({ message }) => reject(new Error(message));
        });
        return [inPage, inWorker];
    }, server.url);
    assert.deepEqual(answers, Array(2).fill(['4', '1,2', '3,4,0']));
});
