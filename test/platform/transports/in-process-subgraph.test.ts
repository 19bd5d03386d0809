/** Our own documents are compiled, with no visible difference in their results. */
import { type GraphQLObjectType, buildSchema } from 'graphql';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { anonymous } from '#platform/principal.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { GraphQLAnswer } from '#platform/transports/subgraph-transport.ts';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import { KnownError } from '#kernel/errors.ts';

const schema = buildSchema(`
  enum Color { RED GREEN }
  input Range { from: Int! = 1, to: Int, colors: [Color!] }
  type Thing { name: String!, color: Color, size: Int!, part: Thing, parts: [Thing!], others: [Thing], later: String, broken: String, worked: Int }
  type Query { thing(known: Boolean = true): Thing, surely: Thing!, things: [Thing]!, sum(range: Range, list: [Int!]! = [1, 2]): String, text(value: String!): String }
  type Mutation { add(number: Int!): Int!, fail: Int }
`);

const THING = { name: 'one', color: 'RED', size: 1, part: { name: 'part', color: null, size: 2 } };

function resolve(type: string, resolvers: Record<string, (...args: never[]) => unknown>): void {
  const fields = (schema.getType(type) as GraphQLObjectType).getFields();
  for (const [name, resolver] of Object.entries(resolvers)) fields[name]!.resolve = resolver as never;
}

let sum = 0;
resolve('Query', {
  thing: (_: unknown, { known }: { known: boolean }) => {
    if (!known) throw new KnownError('NOT_FOUND', 'Unknown thing', { thing: 'one' });
    return Promise.resolve(THING);
  },
  surely: async () => {
    throw new KnownError('FORBIDDEN', 'Not for you');
  },
  things: () => [
    THING,
    null,
    { name: null, size: 1 },
    { ...THING, size: 'large' },
    { ...THING, color: 'BLUE' },
    { ...THING, others: [THING, { size: 1 }], parts: [THING, { size: 1 }] },
  ],
  sum: (_: unknown, { range, list }: { range?: object; list: number[] }) => JSON.stringify({ range, list }),
  text: (_: unknown, { value }: { value: string }) => value,
});
resolve('Mutation', {
  add: async (_: unknown, { number }: { number: number }) => {
    const before = sum;
    await new Promise((done) => setTimeout(done, number === 1 ? 5 : 0));
    return (sum = before + number);
  },
  fail: () => {
    throw new Error('secret');
  },
});
resolve('Thing', {
  later: async ({ name }: { name: string }) => `${name} later`,
  broken: async () => {
    throw new Error('secret');
  },
});

const ask = () => inProcessSubgraph({ schema, database: { name: 'test' } as Database, log: pino({ level: 'silent' }) });
const principal = anonymous('test');

/** Errors may be in any order. */
function comparable({ data, errors }: GraphQLAnswer): unknown {
  const texts = errors?.map((error) => JSON.stringify(error)).toSorted();
  return JSON.parse(JSON.stringify({ data, errors: texts }));
}

describe('a compiled document returns the same response as an executed one', () => {
  it.each<[string, string, Record<string, unknown>?]>([
    [
      'values, lists, enums and promises',
      '{ thing { n: name color part { size later } later worked } things { name } }',
    ],
    ['a known error', '{ thing(known: false) { name } text(value: "x") }'],
    ['an unexpected error', '{ thing { name broken } }'],
    ['an error where null may not be', '{ text(value: "x") surely { name } }'],
    ['null and nonsense in a list', '{ things { name size color others { name } parts { name } } }'],
    [
      'variables',
      'query Sum($r: Range, $l: [Int!]!) { sum(range: $r, list: $l) }',
      { r: { to: 3, colors: ['RED'] }, l: 5 },
    ],
    [
      'defaults',
      'query Sum($r: Range, $l: [Int!]! = [7]) { a: sum(list: $l) b: sum(range: $r) c: sum(range: { from: 2 }) }',
    ],
    ['a variable that is null', 'query Sum($r: Range) { sum(range: $r) }', { r: null }],
    ['a variable of another type', 'query Text($v: String!) { text(value: $v) }', { v: 5 }],
    ['a variable that is missing', 'query Text($v: String!) { text(value: $v) }', {}],
    ['an unknown member of a variable', 'query Sum($r: Range) { sum(range: $r) }', { r: { other: 1 } }],
    ['a number that is none', 'query Sum($l: [Int!]!) { sum(list: $l) }', { l: [1.5, 3e10] }],
    [
      'what is left out',
      'query T($yes: Boolean!) { thing @include(if: $yes) { name } text(value: "x") @skip(if: $yes) }',
      { yes: true },
    ],
    ['fragments', '{ thing { ...F ... on Thing { size } } } fragment F on Thing { name part { name } }'],
    ['names of types', '{ thing { __typename part { __typename } } }'],
    ['mutations, one after the other', 'mutation { a: add(number: 1) b: add(number: 10) fail c: add(number: 100) }'],
  ])('%s', async (_, query, variables = {}) => {
    const subgraph = ask();
    sum = 0;
    const executed = await subgraph.execute(query, variables, principal);
    for (let times = 0; times < 2; times++) {
      sum = 0;
      const compiled = await subgraph.executeOwn(query, variables, principal);
      expect(comparable(compiled)).toEqual(comparable(executed));
    }
  });

  it('a value that is a function or a promise is an error in both, not something else', async () => {
    for (const worked of [() => 1, Promise.resolve(1)]) {
      const thing = { ...THING, worked };
      resolve('Query', { thing: () => thing });
      const { data, errors } = await ask().execute('{ thing { worked } }', {}, principal);
      expect({ data, errors }).toMatchObject({
        data: { thing: { worked: null } },
        errors: [{ path: ['thing', 'worked'] }],
      });
      expect(await ask().executeOwn('{ thing { worked } }', {}, principal)).toMatchObject({
        data: { thing: { worked: null } },
        errors: [{ path: ['thing', 'worked'] }],
      });
    }
  });
});
