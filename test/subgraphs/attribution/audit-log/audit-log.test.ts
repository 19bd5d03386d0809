import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { breakAuditLog } from '../../../support/break-audit-log.ts';
import { startAttribution, type Attribution } from '../attribution-builder.ts';

const LOG = '{ attributionAuditLog { nodes { action actor accountUserId credentialId subjectId detail } } }';

let world: Attribution;
beforeAll(async () => {
  world = await startAttribution();
});
afterAll(() => world.close());

function byOperator(action: string, subjectId: string, detail: string) {
  return { action, actor: 'OPERATOR', accountUserId: null, credentialId: null, subjectId, detail };
}

it('every action on a dimension is in the audit log of its organization, newest first', async () => {
  const organizationId = randomUUID();
  for (const action of [
    'dimensionRegister(input: { key: "team", label: "Team" })',
    'dimensionRename(input: { key: "team", label: "Squad" })',
    'dimensionRetire(input: { key: "team" })',
  ])
    await world.ask(organizationId, `mutation { ${action} { dimension { key } } }`);
  expect(
    await world.ask(organizationId, 'mutation { dimensionRetire(input: { key: "team" }) { userErrors { code } } }'),
  ).toEqual({
    dimensionRetire: { userErrors: [{ code: 'NOT_FOUND' }] },
  });
  expect(await world.ask(organizationId, LOG)).toEqual({
    attributionAuditLog: {
      nodes: [
        byOperator('dimension.retired', 'team', 'Squad'),
        byOperator('dimension.renamed', 'team', 'Squad'),
        byOperator('dimension.registered', 'team', 'Team'),
      ],
    },
  });
  expect(await world.ask(randomUUID(), LOG)).toEqual({ attributionAuditLog: { nodes: [] } });
});

it('no action succeeds without an audit record', async () => {
  const organizationId = randomUUID();
  await breakAuditLog(world.database);
  await expect(
    world.ask(
      organizationId,
      'mutation { dimensionRegister(input: { key: "team" }) { dimension { key } userErrors { message } } }',
    ),
  ).rejects.toMatchObject({
    code: 'INTERNAL_SERVER_ERROR',
  });
  expect(await world.ask(organizationId, '{ dimensions { key } }')).toEqual({ dimensions: [] });
});
