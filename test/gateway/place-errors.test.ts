import { buildSchema, GraphQLError, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { placeErrors } from '../../gateway/failures/place-errors.ts';

const schema = buildSchema('type Query { one: Thing two(id: ID): Thing } type Thing { name: String part: Thing }');
const place = (document: string, data: Record<string, unknown>, ...paths: (string | number)[][]) =>
  placeErrors(
    { data, errors: paths.map((path) => new GraphQLError('failed', { path })) },
    { document: parse(document) },
    schema,
    new Map(),
  ).map(({ path }) => path?.join('.'));

describe('the errors of a response', () => {
  it('are in the order of the document, whichever field failed first', () => {
    const document = '{ two(id: 1) { part { name } name } other: two { name } one { name } }';
    const data = { two: { part: null, name: null }, other: null, one: { name: null } };
    expect(place(document, data, ['one', 'name'], ['other'], ['two', 'name'], ['two', 'part'])).toEqual([
      'two.part',
      'two.name',
      'other',
      'one.name',
    ]);
  });

  it('keep their order at the same path', () => {
    const document = '{ one { name } }';
    expect(place(document, { one: null }, ['one', 'name'], ['one'], ['one', 'name'])).toEqual([
      'one',
      'one.name',
      'one.name',
    ]);
  });
});
