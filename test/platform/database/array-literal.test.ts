import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import pg from 'pg';
import { arrayBytes, arrayLiteral, jsonArray } from '#platform/database/array-literal.ts';

let client: pg.Client;
beforeAll(async () => {
  const { host, port, user, password } = inject('server');
  client = new pg.Client({ host, port, user, password, database: 'postgres' });
  await client.connect();
});
afterAll(() => client.end());

/** Both as text and as bytes. */
async function throughPostgres(elements: (string | null)[]): Promise<unknown[]> {
  const { rows } = await client.query<{ text: unknown; bytes: unknown }>(
    'select to_json($1::text[]) as text, to_json($2::text::text[]) as bytes',
    [arrayLiteral(elements), arrayBytes(elements)],
  );
  return rows.flatMap(({ text, bytes }) => [text, bytes]);
}

/** Any text that PostgreSQL can store: no NUL, no lone surrogate. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }).map((input) => input.replaceAll('\0', '')),
  fc.string({
    unit: fc.constantFrom(
      '\\',
      '"',
      '\n',
      '\t',
      'n',
      'u',
      '{',
      '}',
      ',',
      '\u0001',
      '\u007f',
      '\u2028',
      '0',
      ' ',
      '\u{1F600}',
    ),
  }),
  fc.constantFrom('NULL', 'null', '', '{}', '\\n', '\\\\u0041', '"', "'", '[0:1]={a,b}'),
);

it('any texts pass through PostgreSQL unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text, { nil: null }), { minLength: 1, maxLength: 20 }), async (elements) => {
      const isEmpty = elements.every((element) => element === null);
      const whole = isEmpty ? null : elements;
      expect(await throughPostgres(elements)).toEqual([whole, whole]);
    }),
    { numRuns: 1000 },
  );
});

it('numbers and booleans are written as PostgreSQL reads them', () => {
  expect(arrayLiteral([1, 2 ** 53 - 1, null, 0])).toBe('{1,9007199254740991,null,0}');
  expect(arrayLiteral([true, null, false])).toBe('{true,null,false}');
});

it('any JSON passes through PostgreSQL as the same text', async () => {
  const json = fc.oneof(
    text.map((input) => JSON.stringify(input)),
    fc.json(),
    fc.constantFrom('{"a": 1.10,  "a":2}', '12345678901234567890.10', 'null'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(json, { nil: null }), { minLength: 1, maxLength: 20 }), async (elements) => {
      const { rows } = await client.query<{ back: string | null }>(
        'select item::text as back from unnest($1::json[]) as item',
        [jsonArray(elements)],
      );
      const isEmpty = elements.every((element) => element === null);
      expect(rows.map(({ back }) => back)).toEqual(isEmpty ? [] : elements);
    }),
    { numRuns: 300 },
  );
});
