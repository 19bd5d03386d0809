/** Values that nobody should send, as JSON texts, and bodies with one of them in each of their fields. */

/** Every type of JSON, and numbers, texts and times out of any range that a field may have. */
export const ODD_VALUES: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e308',
  '1e999',
  '-1e999',
  '1e-400',
  '2147483648',
  '8640000000000001',
  '9007199254740993',
  '18446744073709551615',
  '123456789012345678901234567890.123456789',
  '""',
  '" "',
  '"NaN"',
  '"-Infinity"',
  '"-0"',
  '"0x10"',
  '"1e999"',
  '"١٢"',
  '"12345678901234567890123456789012345678901234567890"',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u001f\\u007f"',
  '"\\ufeff\\u202e"',
  `"'; DROP TABLE usage_event; --"`,
  '"{\\"usage\\":{\\"prompt_tokens\\":-1}}"',
  `"${'x'.repeat(300)}"`,
  `"${'ü€😀'.repeat(90)}"`,
  '"9999-12-31T23:59:59.999999999Z"',
  '"+275760-09-13T00:00:00.001Z"',
  '"-271821-04-20T00:00:00Z"',
  '"2026-02-30T25:61:61Z"',
  '"8.64e21"',
  '"constructor"',
  '"__proto__"',
  '[]',
  '[null]',
  '[{}]',
  '["x",1,[]]',
  `[${Array(100).fill('-1').join(',')}]`,
  '{}',
  '{"a":null}',
  '{"__proto__":{"length":-1},"constructor":1,"toString":null}',
  '{"":1,"\\u0000":2,"\\ud800":3}',
  '{"length":1e9,"type":"x","then":1}',
  `${'['.repeat(40)}${']'.repeat(40)}`,
  `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`,
];

const MARK = '@@odd value@@';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

export interface Mutant {
  /** The field and the value, for the message of a failure. */
  readonly name: string;
  readonly text: string;
}

/** `template` as JSON texts: with each value in each of its fields, and without each field. */
export function* mutantsOf(template: unknown, values: readonly string[] = ODD_VALUES): Generator<Mutant> {
  for (const path of pathsOf(template as Json)) {
    const marked = JSON.stringify(replaced(template as Json, path, MARK));
    for (const value of values) {
      yield { name: `${path.join('.')} = ${value.slice(0, 60)}`, text: marked.replace(`"${MARK}"`, () => value) };
    }
    if (path.length > 0)
      yield { name: `no ${path.join('.')}`, text: JSON.stringify(replaced(template as Json, path, undefined)) };
  }
}

function* pathsOf(value: Json): Generator<readonly (string | number)[]> {
  yield [];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) for (const path of pathsOf(inner)) yield [name, ...path];
}

function replaced(value: Json, [name, ...rest]: readonly (string | number)[], by: Json | undefined): Json | undefined {
  if (name === undefined) return by;
  if (Array.isArray(value))
    return value.map((one, index) => (index === Number(name) ? (replaced(one, rest, by) ?? null) : one));
  const holder = value as { readonly [name: string]: Json };
  return { ...holder, [name]: replaced(holder[name] ?? null, rest, by) } as Json;
}
