// Writes the types of the page's protocol from the schema that the program prints: `npm run make-types`. A scenario compares the file.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PROGRAM = process.env.TENGEN ?? fileURLToPath(new URL('../../target/debug/tengen', import.meta.url));
export const FILE = fileURLToPath(new URL('../../web/page/js/protocol/types.js', import.meta.url));

/** The definitions that get a type of their own, and its name. */
const NAMED = { score: 'Score', line: 'Line', move: 'Move', wdl: 'Wdl', id: 'Id', board: 'Board', limits: 'Limits', proof: 'Proof', threats: 'Threats', Code: 'Code' };
const PLAIN = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' };

/** Returns the type of a schema. @param {any} schema @returns {string} */
function typeOf(schema) {
  if (schema === true || schema === undefined) return 'any';
  if (schema.$ref) return NAMED[schema.$ref.split('/').at(-1)] ?? 'any';
  if (schema.const !== undefined) return JSON.stringify(schema.const).replaceAll('"', "'");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value).replaceAll('"', "'")).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeOf))].join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  if (schema.type === 'array') return `(${typeOf(schema.items)})[]`;
  if (schema.type === 'object' && schema.properties) return objectOf(schema);
  return PLAIN[schema.type] ?? 'any';
}

/** @param {any} schema */
function objectOf({ properties, required = [] }) {
  return `{ ${Object.entries(properties).map(([name, field]) => `${name}${required.includes(name) ? '' : '?'}: ${typeOf(field)}`).join(', ')} }`;
}

/** Returns one type with the fields of all kinds of a message. A field that differs between kinds is `any`. @param {any[]} kinds @param {string} name */
function messageOf(kinds, name) {
  /** @type {Map<string, { type: string, text: string }>} */
  const fields = new Map();
  for (const { properties } of kinds) {
    for (const [field, schema] of Object.entries(properties)) {
      const [type, known] = [typeOf(schema), fields.get(field)];
      const both = known && known.type !== type ? (/^'/.test(type) && /^'/.test(known.type) ? `${known.type} | ${type}` : 'any') : type;
      fields.set(field, { type: both, text: known?.text ?? (schema.description ?? '').replace(/\s+/g, ' ') });
    }
  }
  const lines = [...fields].sort(([a], [b]) => a.localeCompare(b)).map(([field, { type, text }]) => ` * @property {${type.split(' | ').filter((one, n, all) => all.indexOf(one) === n).join(' | ')}} [${field}] ${text.replace(/\*\//g, '')}`.trimEnd());
  return `/**\n * @typedef {object} ${name}\n${lines.join('\n')}\n */`;
}

/** Returns the text of the module. */
export function make() {
  const { $defs } = JSON.parse(execFileSync(PROGRAM, ['schema'], { encoding: 'utf8' }));
  const named = Object.entries(NAMED).map(([key, name]) => `/** ${$defs[key].description ?? ''} @typedef {${typeOf($defs[key])}} ${name} */`);
  return [
    '//! The types of the JSON protocol, made from `tengen schema` by `npm run make-types`. Nothing loads this module.',
    '', ...named, '', messageOf($defs.query.oneOf, 'Query'), '', messageOf($defs.reply.oneOf, 'Reply'), '', 'export {};', '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(FILE, make());
