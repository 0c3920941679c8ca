// What every benchmark shares: a local server, headless Chromium, medians, targets, a table. Timing itself is mitata's.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

/** The project's folder. */
export const root = fileURLToPath(new URL('..', import.meta.url));

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm',
    '.json': 'application/json' };

/** Serves a folder on this machine; counts requests and bytes sent. `ranges: false` makes a server without Range, `cache:
 *  true` one whose files a page may keep. */
export async function serve(dir = root, { ranges = true, cache = false } = {}) {
    const sent = { requests: 0, bytes: 0 };
    const server = createServer(async (request, response) => {
        sent.requests++;
        // Isolation gives pages the finest timer.
        const headers = { 'cache-control': cache ? 'max-age=3600' : 'no-store', 'cross-origin-opener-policy': 'same-origin',
            'cross-origin-embedder-policy': 'require-corp' };
        const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
        if (path === '/') {
            response.writeHead(200, { ...headers, 'content-type': 'text/html' });
            return response.end('<!doctype html><title>bench</title>');
        }
        const file = await open(join(dir, path)).catch(() => undefined);
        if (!file) return response.writeHead(404, headers).end();
        const { size } = await stat(join(dir, path));
        const range = ranges && /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
        const start = range ? Number(range[1]) : 0;
        const end = Math.min(range && range[2] ? Number(range[2]) : size - 1, size - 1);
        response.writeHead(range ? 206 : 200, { ...headers, 'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
            'content-length': end + 1 - start, ...(ranges && { 'accept-ranges': 'bytes' }),
            ...(range && { 'content-range': `bytes ${start}-${end}/${size}` }) });
        if (request.method === 'HEAD' || size === 0) return file.close().then(() => response.end());
        file.createReadStream({ start, end }).on('data', (chunk) => { sent.bytes += chunk.length; })
            .on('error', () => response.destroy()).pipe(response);
    });
    await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    return { url: `http://127.0.0.1:${server.address().port}/`, sent, close: () => server.close() };
}

/** What a function of a file of page/ gives in a process of its own; its arguments are plain data. */
export const inProcess = (file, name, ...rest) => JSON.parse(execFileSync(process.execPath,
    [join(root, 'bench/page/node.mjs'), `./${file}`, name, JSON.stringify(rest)], { encoding: 'utf8' }));

/** Headless Chromium; undefined, with a word on stderr, where none is installed. */
export async function launch() {
    const path = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
    if (!path) {
        console.error('no Chromium: pages are not measured; install it with tools/setup.sh browser');
        return undefined;
    }
    return chromium.launch({ executablePath: path, args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic',
        '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
}

/** The middle value. */
export const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** A time given in ns, with a fitting unit. */
export const time = (ns) => ns < 1e3 ? `${ns.toFixed(1)} ns` : ns < 1e6 ? `${(ns / 1e3).toFixed(1)} us` : `${(ns / 1e6).toFixed(1)} ms`;

const missed = [];

/** Holds a value against its target, at most or at least. */
export function target(what, value, { most = Infinity, least = -Infinity }) {
    if (value > most || value < least) missed.push(`${what}: ${value.toFixed(2)}, target ${value > most ? `at most ${most}` : `at least ${least}`}`);
}

/** Tells what missed its target; the process fails where anything did. */
export function verdict() {
    for (const miss of missed) console.error(`missed: ${miss}`);
    process.exitCode = missed.length > 0 ? 1 : 0;
}

/** Prints rows as a Markdown table, aligned. */
export function table(head, rows) {
    const cells = [head, ...rows].map((row) => row.map(String));
    const width = head.map((_, i) => Math.max(...cells.map((row) => row[i].length)));
    const line = (row) => `| ${row.map((cell, i) => i === 0 ? cell.padEnd(width[i]) : cell.padStart(width[i])).join(' | ')} |`;
    console.log([line(cells[0]), `|${width.map((w, i) => '-'.repeat(w + 1) + (i === 0 ? '-' : ':')).join('|')}|`,
        ...cells.slice(1).map(line)].join('\n'));
}
