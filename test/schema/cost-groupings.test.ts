/** Every list of groupings has the order of the one in `schema/cost-groupings.ts` (decision 88). */
import { buildSchema, type GraphQLEnumType } from 'graphql';
import { expect, it } from 'vitest';
import { GROUP_NAMES } from '../../dashboard/figures/cost-keys.ts';
import { GROUPS } from '../../dashboard/pages/alerts/rule-words.ts';
import { projectText } from '../support/project-files.ts';

const ORDER = [
  'END_USER',
  'AGENT',
  'MODEL',
  'PROVIDER',
  'FEATURE',
  'WORKFLOW',
  'EXPERIMENT',
  'VARIANT',
  'SESSION_TYPE',
  'SESSION',
];
const ROLLED_UP = ORDER.filter((key) => key !== 'SESSION');
const NAMES = [
  'customer',
  'agent',
  'model',
  'provider',
  'feature',
  'workflow',
  'experiment',
  'variant',
  'session-type',
  'session',
];

it.each([
  ['CostKey', ORDER],
  ['AlertGroup', ROLLED_UP],
])('%s of the subgraphs lists the groupings in order', (name, keys) => {
  const sdl = ['attribution', 'alerting'].map((one) => projectText(`subgraphs/${one}/schema.graphql`)).join('\n');
  const [, values = ''] = new RegExp(`^enum ${name} \\{\n([^}]*)\\}`, 'm').exec(sdl) ?? [];
  expect(values.match(/^ {2}[A-Z_]+$/gm)?.map((value) => value.trim())).toEqual(keys);
  const type = buildSchema(projectText('schema/api.graphql')).getType(name) as GraphQLEnumType;
  expect(type.getValues().map(({ name: value }) => value)).toEqual(keys.toSorted());
});

it('the pages list the groupings in order, and alert rules list all except sessions', () => {
  expect(GROUP_NAMES).toEqual(NAMES);
  expect(Object.keys(GROUPS)).toEqual(ROLLED_UP);
});

it('the guide lists the groupings in order', () => {
  expect(projectText('docs/guides/graphql.md')).toContain(`: ${ORDER.map((key) => `\`${key}\``).join(', ')}.`);
});
