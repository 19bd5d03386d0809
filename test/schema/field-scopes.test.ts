/**
 * The scope that each field needs, maintained by hand: a scope that is forgotten or widened in a schema file fails
 * here, whatever is generated from that file. For a new field, add a line to field-scopes.txt after deciding who may
 * read it.
 */
import { expect, test } from 'vitest';
import { projectText } from '../support/project-files.ts';
import { supergraphFields } from './supergraph-fields.ts';

const OPEN = 'everybody';

test('every field of the graph needs the scopes of the list', () => {
  const listed = projectText('test/schema/field-scopes.txt').trim().split('\n');
  const served = [...supergraphFields()].map(([field, grants]) =>
    [field, ...(grants.length === 0 ? [OPEN] : grants)].join(' '),
  );
  expect(
    served.toSorted(),
    'Decide who may read each new field, and add its line to test/schema/field-scopes.txt',
  ).toEqual(listed);
});
