import { buildSchema } from 'graphql';
import { expect, it } from 'vitest';
import { undescribed } from '../../tools/undescribed.ts';

it('the check names types and fields without a description, except the roots', () => {
  const schema = buildSchema(`
    type Query { "Said." said: Thing, silent(argument: Filter): Int }
    "A thing." type Thing { "Said." said: Int, silent: Int }
    input Filter { silent: Int }
    enum Kind { A }
  `);
  expect(undescribed(schema).toSorted()).toEqual(['Filter', 'Filter.silent', 'Kind', 'Query.silent', 'Thing.silent']);
});
