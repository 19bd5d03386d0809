/** One GraphQL query reads the records of all subgraphs for an organization, as one log. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql } from '../support/api-client.ts';
import { runningService, type RunningService } from '../support/running-service.ts';
import { addCustomer } from '../../packages/stripe-stand-in/account.ts';
import { start, type StripeStandIn } from '../../packages/stripe-stand-in/server.ts';

const WHOLE_LOG = `query WholeLog($first: Int! = 50, $after: String) {
  identity: auditLog(first: $first, after: $after) { edges { cursor node { ...record } } }
  costing: costingAuditLog(first: $first, after: $after) { edges { cursor node { ...record } } }
  attribution: attributionAuditLog(first: $first, after: $after) { edges { cursor node { ...record } } }
  revenue: revenueAuditLog(first: $first, after: $after) { edges { cursor node { ...record } } }
  alerting: alertingAuditLog(first: $first, after: $after) { edges { cursor node { ...record } } }
  reconciliation: reconciliationAuditLog(first: $first, after: $after) { edges { cursor node { ...record } } }
}
fragment record on AuditRecord { id at action actor accountUserId credentialId subjectId detail }`;

interface AuditRecord {
  readonly id: string;
  readonly action: string;
  readonly actor: string;
  readonly credentialId: string | null;
}

interface Item {
  readonly cursor: string;
  readonly node: AuditRecord;
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
async function page(first: number, after: string | null): Promise<Item[]> {
  const logs: { edges: Item[] }[] = Object.values(await ask(WHOLE_LOG, { first, after }));
  return logs
    .flatMap(({ edges }) => edges)
    .sort(({ node: one }, { node: other }) => (one.id < other.id ? 1 : -1))
    .slice(0, first);
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
    expect(whole.map(({ node }) => node.action)).toEqual(actions.toReversed());
    expect(new Set(whole.map(({ node: { actor, credentialId } }) => `${actor} ${String(credentialId)}`)).size).toBe(1);
    expect(whole[0]?.node).toMatchObject({ actor: 'OPERATOR', credentialId: expect.any(String) });
    expect(JSON.stringify(whole)).not.toMatch(/sk_|rk_/);

    const first = await page(3, null);
    const second = await page(4, first.at(-1)?.cursor ?? '');
    expect([...first, ...second]).toEqual(whole);
  });

  it('omits actions on standard rate cards, which an operator without an organization reads', async () => {
    const { body } = await graphql(
      service.url,
      service.firstRun.operator_token,
      '{ costingAuditLog { nodes { action actor detail } } }',
    );
    expect(body.data.costingAuditLog.nodes).toContainEqual({
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
      const { body } = await graphql(service.url, service.firstRun.live_read_key, `{ ${field} { nodes { id } } }`);
      expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
    }
  });
});
