import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeSubgraph } from '#platform/subgraph/subgraph.ts';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import { revenue } from '../../../../subgraphs/revenue/main.ts';
import { breakAuditLog } from '../../../support/break-audit-log.ts';
import { addCustomer } from '../../../../packages/stripe-stand-in/account.ts';
import { type RevenueService, startRevenue } from '../revenue-builder.ts';

const LOG = '{ revenueAuditLog { nodes { action actor accountUserId credentialId subjectId detail } } }';

let service: RevenueService;
beforeEach(async () => {
  service = await startRevenue();
});
afterEach(() => service.close());

async function ask(document: string, grants: readonly string[] = ['operator']) {
  const subgraph = inProcessSubgraph(makeSubgraph(revenue, service.dependencies));
  const { data, errors } = await subgraph.execute(document, {}, { ...service.context.principal, grants });
  const answer = { data, codes: errors?.map(({ extensions }) => extensions?.['code']) ?? [] };
  return JSON.parse(JSON.stringify(answer)) as { data: Record<string, unknown>; codes: string[] };
}

const records = async () => ((await ask(LOG)).data['revenueAuditLog'] as { nodes: Record<string, unknown>[] }).nodes;

function byOperator(action: string, subjectId: unknown, detail: string | null) {
  return { action, actor: 'OPERATOR', accountUserId: null, credentialId: null, subjectId, detail };
}

describe('the audit log of revenue', () => {
  it('records the connection, requested syncs and links, newest first, and no key', async () => {
    const ada = addCustomer(service.standIn.account, { metadata: {} });
    await service.connect();
    await service.connect();
    const [{ id } = { id: '' }] = await service.rows<{ id: string }>('select id from payment_connection');
    const requested = ask('mutation { revenueSync(input: { full: true }) { run { id } userErrors { message } } }');
    await expect
      .poll(() => service.rows('select 1 from payment_connection where requested_at is not null'))
      .toHaveLength(1);
    await service.sync();
    await requested;
    await ask(
      `mutation { revenueCustomerLink(input: { customerId: "${ada}", endUserExternalId: "ada" }) { customer { id } userErrors { message } } }`,
    );
    await ask(
      `mutation { revenueCustomerUnlink(input: { customerId: "${ada}" }) { customer { id } userErrors { message } } }`,
    );
    await ask(
      'mutation { revenueCustomerLink(input: { customerId: "cus_unknown", endUserExternalId: "ada" }) { customer { id } userErrors { message } } }',
    );
    await ask('mutation { revenueDisconnect(input: {}) { connection { id } userErrors { message } } }');
    await ask('mutation { revenueDisconnect(input: {}) { connection { id } userErrors { message } } }');
    await ask(
      'mutation { revenueDisconnect(input: { withdrawRecords: true }) { connection { id } userErrors { message } } }',
    );
    await ask('mutation { revenueSync(input: { waitSeconds: 0 }) { run { id } userErrors { message } } }');
    expect(await records()).toEqual([
      byOperator('connection.disconnected', id, 'records withdrawn'),
      byOperator('connection.disconnected', id, null),
      byOperator('customer.unlinked', ada, null),
      byOperator('customer.linked', ada, 'ada'),
      byOperator('sync.requested', null, 'full'),
      byOperator('connection.replaced', id, 'stripe, key ending in d_in'),
      byOperator('connection.created', id, 'stripe, key ending in d_in'),
    ]);
  });

  it('is for operators and owners', async () => {
    expect((await ask(LOG, ['owner'])).data).toEqual({ revenueAuditLog: { nodes: [] } });
    expect((await ask(LOG, ['admin', 'revenue:read', 'usage:read'])).codes).toEqual(['FORBIDDEN']);
  });

  it('does not allow a connection that it cannot record', async () => {
    await breakAuditLog(service.database);
    await expect(service.connect()).rejects.toThrow(/broken/);
    expect(await service.rows('select id from payment_connection')).toEqual([]);
  });
});
