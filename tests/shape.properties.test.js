// Properties of the operator, against a plain slice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { shape, shapeInto } from '../js/index.js';

const INT64_MIN = -(2n ** 63n), INT64_MAX = 2n ** 63n - 1n;
const dim = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.bigInt({ min: 0n, max: INT64_MAX }));
const dims = fc.array(dim, { maxLength: 40 });
const axis = fc.oneof(fc.integer({ min: -50, max: 50 }), fc.maxSafeInteger(), fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
    fc.constantFrom(undefined, null, INT64_MIN, INT64_MAX, -(2 ** 63), 2 ** 32, -(2 ** 32), 2 ** 31, -(2 ** 31)));

// Array.prototype.slice has the operator's rule: negative counts from the back, then both ends are clamped.
const slice = (list, start, end) => list.slice(start == null ? 0 : Number(start), end == null ? undefined : Number(end));

test('shape is a slice', () => {
    fc.assert(fc.property(dims, axis, axis, (list, start, end) => {
        assert.deepEqual(Array.from(shape(list, { start, end })), slice(list, start, end).map(BigInt));
    }), { numRuns: 2000 });
});

test('shapeInto writes what shape returns', () => {
    fc.assert(fc.property(dims, axis, axis, (list, start, end) => {
        const out = Array(list.length).fill(-1), length = shapeInto(list, out, start, end);
        assert.deepEqual(out.slice(0, length), slice(list, start, end));
        assert.ok(out.slice(length).every((value) => value === -1));
    }), { numRuns: 2000 });
});

test('numbers and bigints, arrays and typed arrays, objects and protos give the same', () => {
    const small = fc.array(fc.nat(), { maxLength: 12 }), int = fc.maxSafeInteger();
    fc.assert(fc.property(small, int, int, (list, start, end) => {
        const expected = shape(list, { start, end });
        const protos = [{ name: 'end', type: 2, i: BigInt(end) }, { name: 'start', type: 2, i: start }];
        for (const input of [list.map(BigInt), Int32Array.from(list), BigUint64Array.from(list, BigInt), { dims: list, type: 'int8' }]) {
            assert.deepEqual(shape(input, { start: BigInt(start), end: BigInt(end) }), expected);
            assert.deepEqual(shape(input, protos), expected);
        }
    }), { numRuns: 500 });
});

test('what is not a dim, a start or an attribute never passes', () => {
    const wrongDim = fc.oneof(fc.double({ noInteger: true }), fc.integer({ max: -1 }), fc.bigInt({ max: -1n }),
        fc.bigInt({ min: INT64_MAX + 1n }), fc.constantFrom(NaN, Infinity, 2 ** 53, null, undefined, true, '1'));
    fc.assert(fc.property(dims, wrongDim, dims, (before, wrong, after) => {
        assert.throws(() => shape([...before, wrong, ...after]), (error) => (error instanceof TypeError || error instanceof RangeError)
            && error.message.startsWith(`dims[${before.length}] is `));
    }));
    const wrongAxis = fc.oneof(fc.double({ noInteger: true }), fc.bigInt({ max: INT64_MIN - 1n }), fc.bigInt({ min: INT64_MAX + 1n }),
        fc.constantFrom(NaN, -Infinity, 2 ** 63, true, '1', Symbol('1')));
    fc.assert(fc.property(dims, wrongAxis, fc.constantFrom('start', 'end'), (list, wrong, name) => {
        assert.throws(() => shape(list, { [name]: wrong }), (error) => (error instanceof TypeError || error instanceof RangeError)
            && error.message.startsWith(`${name} is `));
    }));
    fc.assert(fc.property(fc.string().filter((name) => name !== 'start' && name !== 'end'), (name) => {
        assert.throws(() => shape([1], Object.fromEntries([[name, 1]])), TypeError);
        assert.throws(() => shape([1], [{ name, type: 2, i: 1 }]), TypeError);
    }));
});
