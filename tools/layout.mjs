// Writes js/layout.js: the numbers and sentences that JS shares with C, from the headers of src/.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const header = (name) => readFileSync(join(root, 'src', name), 'utf8').replaceAll('\\\n', ' ').replace(/\/\*[\s\S]*?\*\//g, '');

/** The rows of an X-macro: the arguments of each X(…), as text. */
function rows(text, macro) {
    const line = new RegExp(`^#define ${macro}\\(X\\)(.*)$`, 'm').exec(text);
    if (!line) throw new Error(`no list ${macro}`);
    return [...line[1].matchAll(/X\(((?:"(?:[^"\\]|\\.)*"|[^()"])*)\)/g)]
        .map(([, list]) => list.match(/"(?:[^"\\]|\\.)*"|'.'|[^,\s]+/g).map((arg) => (arg[0] === '"' ? JSON.parse(arg) : arg)));
}

/** The codes of errors and diagnostics. */
export const codes = () => rows(header('error.h'), 'SHP_CODES').map(([, code, severity, sentence]) => ({ code, severity: severity[1], sentence }));

export function layout() {
    const report = header('report.h'), shp = header('shp.h');
    const constants = (prefix, list) => list.map(([name, value], i) =>
        `export const ${prefix}${name} = ${Number((value ?? `${i}`).replace(/u$/, ''))};`).join(' ');
    const tables = rows(report, 'SHP_REPORT_TABLES');
    const columns = tables.map(([name]) => rows(report, `SHP_REPORT_${name}`));
    const number = (file, name) => {
        const text = new RegExp(`\\bSHP_${name}(?: =)? (\\w+?)u?\\b`).exec(header(file))[1];
        return text === 'UINT32_MAX' ? 2 ** 32 - 1 : Number(text);
    };
    return [
        '// Made from the headers of src/ by tools/layout.mjs.',
        // Numbers first: bundlers put only those where they are used.
        constants('', rows(shp, 'SHP_STATUSES')),
        constants('', rows(shp, 'SHP_EVALUATIONS')),
        constants('WORD_', rows(shp, 'SHP_REQUEST_WORDS')),
        constants('FIELD_', ['OPTION', 'BINDING', 'VALUE', 'ANSWER'].flatMap((list) => rows(shp, `SHP_${list}_FIELDS`))),
        constants('CELL_', rows(report, 'SHP_REPORT_CELL_MARKS')),
        constants('', tables),
        ...tables.slice(0, tables.findIndex(([name]) => name === 'LISTS')).map(([name], i) => constants(`${name.replace(/S$/, '')}_`, columns[i])),
        `export const ELEMENTS_MAX = ${number('node.h', 'ELEMENTS_MAX')}; export const NONE = ${number('model.h', 'NONE')}; export const REALS_FROM = ${number('report.h', 'REPORT_REALS_FROM')};`,
        `export const WIDTHS = ${JSON.stringify(columns.map((list) => list.length))};`,
        `export const CODES = ${JSON.stringify(['', ...codes().map(({ code }) => code)])};`,
        '// Sentences of the codes that end a call; these come first.',
        `export const SENTENCES = ${JSON.stringify(['', ...codes().filter(({ severity }) => severity === 'x').map(({ sentence }) => sentence)])};`,
        `export const KINDS = ${JSON.stringify(rows(report, 'SHP_REPORT_KINDS').map((row) => row[1]))};`,
        `export const ORIGINS = ${JSON.stringify(rows(report, 'SHP_REPORT_ORIGINS').map((row) => row[0]))};`,
        `export const REASONS = ${JSON.stringify(rows(report, 'SHP_REPORT_ORIGINS').map((row) => row[1]))};`,
        '',
    ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(join(root, 'js/layout.js'), layout());
