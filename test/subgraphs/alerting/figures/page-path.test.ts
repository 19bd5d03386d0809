/** Filters of the pages that alerts link to. */
import { expect, it } from 'vitest';
import { narrowed } from '../../../../subgraphs/alerting/figures/page-path.ts';

it.each([
  ['a model', { by: 'MODEL', dimension: null }, { model: 'x' }],
  ['a feature', { by: 'FEATURE', dimension: null }, { dimensions: [{ key: 'feature', value: 'x' }] }],
  ['a workflow', { by: 'WORKFLOW', dimension: null }, { dimensions: [{ key: 'workflow_id', value: 'x' }] }],
  ['a dimension', { by: null, dimension: 'team' }, { dimensions: [{ key: 'team', value: 'x' }] }],
  ['no group', { by: null, dimension: null }, {}],
])('a filter is narrowed to %s', (_, selection, filter) => {
  expect(narrowed(null, selection, 'x')).toEqual(filter);
});
