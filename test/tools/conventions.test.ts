import { buildSchema } from 'graphql';
import { expect, it } from 'vitest';
import {
  amountErrors,
  graphErrors,
  nodeErrors,
  organizationErrors,
  settingErrors,
  subjectErrors,
  tenantTables,
  versionErrors,
  waitErrors,
} from '../../tools/conventions/convention-errors.ts';

const file = (text: string) => [{ path: 'a.ts', text }];

it('the check finds statements on tenant data that name no organization', () => {
  const tables = tenantTables(
    file("tableName: 'rule',\n  ...tenantTable('alerting'),\n  tableName: 'lease',\n  ...{}"),
  );
  expect([...tables]).toEqual(['rule']);
  const errors = (statement: string) => organizationErrors(file(`\n${statement}`), tables);
  expect(errors("'delete from rule where id = :id'")).toEqual([
    expect.stringMatching(/^a\.ts:2: the statement uses rule .*add `organization_id = :organizationId`/),
  ]);
  expect(errors('`select 1 from lease join rule on true`')).toHaveLength(1);
  expect(errors("'delete from rule where organization_id = :organizationId and id = :id'")).toEqual([]);
  expect(errors("'select count(*) from rule /* every organization */'")).toEqual([]);
  expect(errors("'select 1 from lease'")).toEqual([]);
});

it('the check finds long waits without a reason', () => {
  const wait = (milliseconds: string) => `  await ${'pause'}(${milliseconds});\n`;
  expect(waitErrors(file(`\n${wait('1_000')}`))).toEqual([expect.stringMatching(/^a\.ts:2: .*expect\.poll/)]);
  expect(waitErrors(file(`  // Time in which nothing may happen.\n${wait('1_000')}${wait('20')}`))).toEqual([]);
});

it('the check finds subgraphs that ask how many nodes there are', () => {
  expect(nodeErrors(file('if (isDistributed(tx)) return;'))).toEqual([expect.stringContaining('byNodes()')]);
  expect(nodeErrors(file('byNodes(tx, { onOneNode, onSeveralNodes })'))).toEqual([]);
});

it('the check finds amounts that become doubles', () => {
  for (const text of ['Number(row.totalCost)', "Number(today?.cost ?? '0')", 'parseFloat(amount)', 'margin.toNumber()'])
    expect(amountErrors(file(`\n${text}`))).toEqual([expect.stringMatching(/^a\.ts:2: .*approximate\(\)/)]);
  expect(amountErrors(file('Number(row.eventCount), Number(cost?.events), Number(a.cost < b.cost)'))).toEqual([]);
});

it('the check finds versions that are ranges', () => {
  const manifest = (version: string) =>
    file(JSON.stringify({ dependencies: { pg: version }, engines: { node: '>=20' } }));
  for (const range of ['^8.23.0', '~8.23.0', '8', '*', 'latest', '>=8.23.0'])
    expect(versionErrors(manifest(range))).toEqual([expect.stringContaining('npm install --save-exact')]);
  expect(versionErrors(manifest('8.23.0'))).toEqual([]);
  expect(versionErrors(manifest('18.4.0-beta.17'))).toEqual([]);
});

it('the check finds enum values in another case and deprecated fields', () => {
  const schema = buildSchema(`
    type Query { old: Int @deprecated(reason: "Use new."), state: State }
    enum State { OPEN, closed, halfOpen }
  `);
  expect(graphErrors(schema)).toEqual([
    'Query.old is deprecated: remove it, because nothing was released yet',
    'enum State: closed must be written CLOSED',
    'enum State: halfOpen must be written HALF_OPEN',
  ]);
});

it('the check finds settings that a document does not explain', () => {
  expect(settingErrors(['HOST', 'PORT'], file('| `HOST` | address |\n#PORTS=1'))).toEqual([
    'a.ts does not explain the setting PORT: add it there',
  ]);
  expect(settingErrors(['HOST', 'PORT'], file('#HOST=\nPORT=8080'))).toEqual([]);
});

it('the check finds commit subjects in another form', () => {
  expect(subjectErrors(['costing: price web searches', 'rest-adapter, docs: name the fix'])).toEqual([]);
  for (const subject of ['wip', 'Fix prices', 'costing: Fix prices', 'costing: fix prices.', 'costing:fix prices'])
    expect(subjectErrors([subject])).toEqual([expect.stringContaining('"area: imperative verb object"')]);
});
