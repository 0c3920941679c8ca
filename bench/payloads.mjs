// What a model's file holds beside its weights, counted by a walk of its own over the whole file: the bound on what may be read.

const PAYLOAD = 1024;               // a longer field that is no message of the schema is one
const TYPE = { 1: { 2: { 1: {} } }, 8: { 2: { 1: {} } } };
TYPE[4] = { 1: TYPE };
TYPE[9] = { 1: TYPE };
TYPE[5] = { 2: TYPE };
const ENTRY = {}, TENSOR = { 3: {}, 13: ENTRY }, SPARSE = { 1: TENSOR, 2: TENSOR }, VALUE = { 2: TYPE };
const GRAPH = { 5: TENSOR, 11: VALUE, 12: VALUE, 13: VALUE, 14: { 2: ENTRY }, 15: SPARSE };
const ATTRIBUTE = { 5: TENSOR, 6: GRAPH, 10: TENSOR, 11: GRAPH, 14: TYPE, 15: TYPE, 22: SPARSE, 23: SPARSE };
const NODE = { 5: ATTRIBUTE };
GRAPH[1] = NODE;
const FUNCTION = { 7: NODE, 9: {}, 11: ATTRIBUTE, 12: VALUE };
const MODEL = { 7: GRAPH, 8: {}, 20: { 1: GRAPH, 2: GRAPH }, 25: FUNCTION };

/** { outside, payloads }: bytes outside payloads and how many payloads there are. @param {Uint8Array} bytes */
export function payloads(bytes) {
    let at = 0, hidden = 0, count = 0;
    const varint = () => {
        let value = 0, scale = 1;
        for (; bytes[at] > 127; scale *= 128) value += (bytes[at++] & 127) * scale;
        return value + bytes[at++] * scale;
    };
    const walk = (schema, end) => {
        while (at < end) {
            const key = varint(), wire = key % 8;
            if (wire === 0) varint();
            else if (wire === 1) at += 8;
            else if (wire === 5) at += 4;
            else {
                const length = varint(), inner = schema[Math.floor(key / 8)];
                if (inner) walk(inner, at + length);
                else if (length > PAYLOAD) { hidden += length; count++; at += length; }
                else at += length;
            }
        }
    };
    walk(MODEL, bytes.length);
    return { outside: bytes.length - hidden, payloads: count };
}
