/** One GraphQL query reads the records of all subgraphs for an organization, as one log. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql } from '../support/api-client.ts';
import { runningService, type RunningService } from '../support/running-service.ts';
import { addCustomer } from '../../packages/stripe-stand-in/account.ts';
import { start, type StripeStandIn } from '../../packages/stripe-stand-in/server.ts';

const WHOLE_LOG = `query WholeLog($limit: Int! = 50, $before: ID) {
  identity: auditLog(limit: $limit, before: $before) { ...record }
  costing: costingAuditLog(limit: $limit, before: $before) { ...record }
  attribution: attributionAuditLog(limit: $limit, before: $before) { ...record }
  revenue: revenueAuditLog(limit: $limit, before: $before) { ...record }
  alerting: alertingAuditLog(limit: $limit, before: $before) { ...record }
  reconciliation: reconciliationAuditLog(limit: $limit, before: $before) { ...record }
}
fragment record on AuditRecord { id at action actor accountUserId credentialId subjectId detail }`;

interface AuditRecord {
  readonly id: string;
  readonly action: string;
  readonly actor: string;
  readonly credentialId: string | null;
}

let service: RunningService;
let standIn: StripeStandIn;
beforeAll(async () => {
  [service, standIn] = await Promise.all([runningService(), start()]);
});
afterAll(async () => {
  await Promise.all([service.stop(), standIn.stop()]);
});

async function ask(
  document: string,
  variables: object = {},
  organizationId: string | undefined = service.firstRun.organization_id,
) {
  const { body } = await graphql(service.url, service.firstRun.operator_token, document, variables, organizationId);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
}

/** One page of each log; the newest records of all pages together are a page of the combined log. */
async function page(limit: number, before: string | null): Promise<AuditRecord[]> {
  const logs: AuditRecord[][] = Object.values(await ask(WHOLE_LOG, { limit, before }));
  return logs
    .flat()
    .sort((one, other) => (one.id < other.id ? 1 : -1))
    .slice(0, limit);
}

describe('the whole audit log of an organization', () => {
  it('is read by one query, paged, in chronological order', async () => {
    const customer = addCustomer(standIn.account, { metadata: {} });
    await ask('mutation { dimensionRegister(input: { key: "team" }) { dimension { key } userErrors { message } } }');
    await ask('mutation { planSet(input: { allotment: 1000 }) { credits { allotment } userErrors { message code } } }');
    await ask(
      'mutation ($apiBase: String!) { revenueConnect(input: { apiKey: "rk_live_stand_in", apiBase: $apiBase }) { connection { id } userErrors { message } } }',
      { apiBase: standIn.url },
    );
    await ask('mutation { revenueSync(input: {}) { run { id } userErrors { message } } }');
    await ask(
      'mutation ($customer: String!) { revenueCustomerLink(input: { customerId: $customer, endUserExternalId: "ada" }) { customer { id } userErrors { message } } }',
      { customer },
    );
    await ask(
      'mutation { rateSet(input: { model: "acme", input: "1" }) { rate { rateCardId } userErrors { message code } } }',
    );
    await ask(
      'mutation { apiKeyCreate(input: { name: "k", environment: "live", preset: "read" }) { createdApiKey { apiKey { id } } userErrors { message } } }',
    );

    const actions = [
      'dimension.registered',
      'plan.set',
      'connection.created',
      'sync.requested',
      'customer.linked',
      'rate_card.created',
      'api_key.created',
    ];
    const whole = await page(7, null);
    expect(whole.map(({ action }) => action)).toEqual(actions.toReversed());
    expect(new Set(whole.map(({ actor, credentialId }) => `${actor} ${String(credentialId)}`)).size).toBe(1);
    expect(whole[0]).toMatchObject({ actor: 'OPERATOR', credentialId: expect.any(String) });
    expect(JSON.stringify(whole)).not.toMatch(/sk_|rk_/);

    const first = await page(3, null);
    const second = await page(4, first.at(-1)?.id ?? '');
    expect([...first, ...second]).toEqual(whole);
  });

  it('leaves standard rate cards to an operator without an organization', async () => {
    const { body } = await graphql(
      service.url,
      service.firstRun.operator_token,
      '{ costingAuditLog { action actor detail } }',
    );
    expect(body.data.costingAuditLog).toContainEqual({
      action: 'catalogue.imported',
      actor: 'SERVICE',
      detail: expect.stringMatching(/genai-prices/),
    });
  });

  it('is closed to API keys', async () => {
    for (const field of [
      'auditLog',
      'costingAuditLog',
      'attributionAuditLog',
      'revenueAuditLog',
      'alertingAuditLog',
      'reconciliationAuditLog',
    ]) {
      const { body } = await graphql(service.url, service.firstRun.live_read_key, `{ ${field} { id } }`);
      expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
    }
  });
});
