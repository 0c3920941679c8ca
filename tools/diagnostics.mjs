// Writes docs/diagnostics.md: the codes of src/error.h, their severity and sentence, and what to do about each. A test compares.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { codes } from './layout.mjs';

/** The code that no caller sees: a wrong option is a TypeError. */
const INTERNAL = 'bad-option';

/** What to do, by code. */
const ADVICE = {
    'empty-file': 'Fetch or export the file again.',
    'not-onnx': 'The message says what the file seems to be. A Git LFS pointer stands for a file still to be fetched with `git lfs pull`; an HTML page is mostly a download that failed or asked for a login.',
    truncated: 'Compare the file\'s size with the original\'s and fetch it again. `offset` is where it ends, `path` the field that is cut.',
    malformed: 'The file is damaged, or no program should write this: an initializer of more than 1,024 axes, a name of more than 64 KiB. `offset` and `path` say where.',
    'nesting-limit': 'Raise `limits.nesting` if the model is meant to be that deep.',
    'memory-limit': 'Raise `limits.memory`.',
    'values-limit': 'Raise `limits.values`.',
    'operations-limit': 'Raise `limits.operations`. Loops and functions that call functions multiply what has to be done.',
    'function-recursion': 'Functions of a model must not call themselves, however indirectly: break the cycle that the message names.',
    cycle: 'A graph must have an order in which its nodes can run. Look for a node that reads what it makes, often after a rename.',
    'defined-twice': 'Give each value of a graph a name of its own, which no graph around it has.',
    'undefined-input': 'Look for a misspelt name, or a node or initializer that was removed while something still reads it.',
    'outer-output': 'Put an Identity between: ONNX Runtime refuses a body or branch that gives a value of a graph around it.',
    'negative-dim': 'Declare a size that is not known by a `dim_param`, or leave it out. It is taken as unknown.',
    'data-size': 'The dims or the data of that tensor are wrong: write it again.',
    'no-data': 'Weights were stripped from the file. Use the complete one if sizes depend on them.',
    'external-data': 'Put the file beside the model, or pass it in `externalData` by the location that the message names. Ranks and all that does not depend on it are known anyway.',
    'missing-type': 'Give the type and shape with `inputs`, or `--input`.',
    'unknown-name': 'Check the spelling against `symbols` and `values` of the result. Overrides go by the whole `dim_param`, spaces included.',
    'default-used': 'If the model is run with another value for that input, give it with `inputs`.',
    'unknown-operator': 'Give a rule for it with `operators`. Without one, its outputs have the types and shapes that the file declares, or none.',
    opset: 'The operator is not in the version that the model imports: raise `opset_import`, or use the operator\'s older form, or, where it is gone, what took its place. A model must import an opset, 1 or later, and the domains of the functions that it calls; so must functions.',
    arity: 'Compare the node\'s inputs and outputs with the operator\'s definition at that opset.',
    attribute: 'The attribute that the message names is missing, of another kind, there twice, none of the operator\'s at that opset (from where on it may be an input), or has a value that is not allowed.',
    type: 'Put a Cast in front of that input, or correct its type.',
    rank: 'Follow that input back (`--why`): it has more or fewer axes than the operator takes. Often a batch axis is missing.',
    axis: 'Axes run from -rank to rank - 1. The rank may not be what the exporter had in mind.',
    shape: 'The message has both shapes. Either one of them is not what you think (`--why`), or a size given with an option does not suit the model.',
    value: 'An input\'s elements, such as an index, a size or a number of repeats, cannot be.',
    'host-rule': 'A rule in `operators` threw, or gave something that is no type or shape; its message follows.',
    'declared-mismatch': 'The file\'s own declaration is wrong, and what was inferred stands. If it is the inference that seems wrong, please report it.',
    'declared-narrower': 'The file declares a size or name for what is an expression over the inputs\' sizes. The declaration holds only for some sizes; the expression stands.',
    limit: 'The model goes beyond `limits.rank`: raise it if more should be known (1,024 axes are the most); or it imports an opset newer than the rules here.',
    overflow: 'No tensor can be that large: sizes given with an option, or constants in the model, are too big.',
};

const KINDS = {
    x: ['Ends the call', 'The promise is rejected, or the call throws, with a `ModelError` of that `code`; the command ends with exit code 3.'],
    e: ['Errors', 'The model contradicts itself: no run of it can succeed. Inference goes on, outputs of that node may stay unknown, and the command ends with exit code 1. '
        + 'Inside a branch that is not, or may not be, taken, the severity is `warning`, but for what no runtime loads: these (L) are errors there, too.'],
    w: ['Warnings', 'Something is missing or suspicious.'],
    i: ['Notes', 'Severity `info`: what an answer rests on. The command tells them only with `--json`, but for `unknown-name`.'],
};

export function markdown() {
    const rows = codes().filter(({ code }) => code !== INTERNAL);
    const without = rows.filter(({ code }) => !ADVICE[code]).map(({ code }) => code), stale = Object.keys(ADVICE).filter((code) => !rows.some((row) => row.code === code));
    if (without.length || stale.length) throw new Error(`tools/diagnostics.mjs: advice is missing for [${without}], and is for no code at [${stale}]`);
    const sections = Object.entries(KINDS).map(([letter, [title, text]]) => [
        `## ${title}`, '', text, '', '| code | it means | what to do |', '| --- | --- | --- |',
        ...rows.filter((row) => row.severity.toLowerCase() === letter)
            .map(({ code, severity, sentence }) => `| \`${code}\`${{ E: ' (L)', W: ' (S)', I: ' (S)' }[severity] ?? ''} | ${sentence} | ${ADVICE[code]} |`), '',
    ].join('\n'));
    return [
        '# Codes of errors and diagnostics', '',
        'Made by `node tools/diagnostics.mjs` from `src/error.h`; a test compares.', '',
        'Each diagnostic of a result has a `severity`, a `code`, the place (`graph`, `node`, `value`, `op`) and a `message`: one line that names the',
        'node, its inputs with their shapes, and what was expected. Codes stay the same from version to version; messages may not.', '',
        'With `strict: true` (`--strict`) the first error ends the call with a `ModelError` of its code, and so does what is marked (S).', '',
        ...sections,
    ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(new URL('../docs/diagnostics.md', import.meta.url), markdown());
