/** An error is the caller's fault only if it is about the caller's input. */
import { buildSchema, graphql, GraphQLError, type GraphQLScalarType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { maskError } from '#platform/subgraph/mask-error.ts';
import { KnownError } from '#kernel/errors.ts';
import { createLog } from '#platform/log.ts';
import { scalarResolvers } from '#schema/scalars.ts';

const schema = buildSchema(`
  scalar Decimal
  enum Direction { UP DOWN }
  union Either = Left | Right
  type Left { a: Int }
  type Right { b: Int }
  type Query { count(at: Int): Int amount(of: Decimal): Decimal direction(to: Direction): Direction list: [Int!] either: Either }
`);
const decimal = schema.getType('Decimal') as GraphQLScalarType;
decimal.serialize = scalarResolvers.Decimal.serialize;
decimal.parseValue = scalarResolvers.Decimal.parseValue;

const CONTEXT = { log: createLog('silent'), principal: { correlationId: 'c' } } as Parameters<typeof maskError>[1];
const codesOf = async (source: string, rootValue: object = {}, variableValues: Record<string, unknown> = {}) => {
  const { errors } = await graphql({ schema, source, rootValue, variableValues });
  return errors
    ?.map((error) => maskError(error, CONTEXT))
    .map(({ message, extensions }) => [extensions?.['code'], message]);
};

const thrown = (error: Error) => {
  throw error;
};

const INTERNAL = [['INTERNAL_SERVER_ERROR', 'Internal server error']];

describe('a value of our own that does not fit its type', () => {
  it.each([
    ['a text for an Int', '{ count }', { count: 'many' }],
    ['an Int of more than 32 bits', '{ count }', { count: 3_000_000_000 }],
    ['an unknown value of an enum', '{ direction }', { direction: 'SIDEWAYS' }],
    ['no list', '{ list }', { list: 1 }],
    ['null in a list without nulls', '{ list }', { list: [null] }],
    ['an object of no type', '{ either { __typename } }', { either: { __typename: 'Query' } }],
    ['an amount that is none', '{ amount }', { amount: {} }],
  ])('is an internal error: %s', async (_, document, root) => {
    expect(await codesOf(document, root)).toEqual(INTERNAL);
  });
});

describe('what the caller sent', () => {
  it.each([
    ['a variable of the wrong type', 'query ($at: Int) { count(at: $at) }', { at: 'x' }],
    ['a scalar that does not parse', 'query ($of: Decimal) { amount(of: $of) }', { of: 'NaN' }],
    ['an unknown value of an enum', 'query ($to: Direction) { direction(to: $to) }', { to: 'SIDEWAYS' }],
    ['an unknown field', '{ nothing }', {}],
  ])('is VALIDATION_ERROR: %s', async (_, document, variables) => {
    expect(await codesOf(document, {}, variables)).toEqual([['VALIDATION_ERROR', expect.any(String)]]);
  });

  it('keeps the error code that a resolver chose for refusing it', async () => {
    const refuse = () => {
      throw new GraphQLError('Not here', { extensions: { code: 'NOT_FOUND' } });
    };
    expect(await codesOf('{ count }', { count: refuse })).toEqual([['NOT_FOUND', 'Not here']]);
  });
});

describe('an error of a resolver', () => {
  it.each([
    ['known', new KnownError('NOT_FOUND', 'Unknown rate'), 'NOT_FOUND', 'Unknown rate'],
    [
      'of a text that PostgreSQL cannot store',
      Object.assign(new Error('invalid byte sequence for encoding "UTF8": 0x00'), { code: '22021' }),
      'VALIDATION_ERROR',
      'A text contains a NUL character, which cannot be stored',
    ],
    [
      'of an unavailable dependency',
      Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5432'), { code: 'ECONNREFUSED' }),
      'SERVICE_UNAVAILABLE',
      'This is not available for the moment. Send the same request again soon',
    ],
    ['of ours', new Error('relation "secret" does not exist'), 'INTERNAL_SERVER_ERROR', 'Internal server error'],
  ])('%s is masked as its kind requires', async (_, error, code, message) => {
    expect(await codesOf('{ count }', { count: () => thrown(error) })).toEqual([[code, message]]);
  });

  it('passes its details on', async () => {
    const details = { retryAfterSeconds: 3 };
    const { errors } = await graphql({
      schema,
      source: '{ count }',
      rootValue: { count: () => thrown(new KnownError('RATE_LIMIT_EXCEEDED', 'Too many requests', details)) },
    });
    expect(errors?.map((error) => maskError(error, CONTEXT))).toMatchObject([
      { path: ['count'], extensions: { code: 'RATE_LIMIT_EXCEEDED', details } },
    ]);
  });
});
