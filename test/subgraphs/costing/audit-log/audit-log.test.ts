import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { makeSubgraph, type SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import { costing } from '../../../../subgraphs/costing/main.ts';
import { getCredits } from '../../../../subgraphs/costing/credits/get-credits.operation.ts';
import { breakAuditLog } from '../../../support/break-audit-log.ts';
import { call, log, type Costing, startCosting } from '../costing-builder.ts';

const FIELDS = '{ action actor accountUserId credentialId subjectId detail }';
const RENEWAL = '2999-01-01T00:00:00.000Z';

let pricing: Costing;
let ours: SubgraphContext;
let global: SubgraphContext;
const operatorToken = randomUUID();
beforeEach(async () => {
  pricing = await startCosting();
  [ours, global] = [pricing.operator, pricing.global].map((context) => ({
    ...context,
    principal: { ...context.principal, credentialId: operatorToken },
  })) as [SubgraphContext, SubgraphContext];
});
afterEach(() => pricing.close());

async function ask(context: SubgraphContext, document: string, grants: readonly string[] = ['operator']) {
  const dependencies = { database: pricing.database, log } as SubgraphDependencies;
  const { data, errors } = await inProcessSubgraph(makeSubgraph(costing, dependencies)).execute(
    document,
    {},
    { ...context.principal, grants },
  );
  return JSON.parse(JSON.stringify({ data, codes: errors?.map(({ extensions }) => extensions?.['code']) ?? [] })) as {
    data: Record<string, Record<string, any>>;
    codes: string[];
  };
}

const records = async (context: SubgraphContext, page = '') =>
  (await ask(context, `{ costingAuditLog${page} { nodes ${FIELDS} } }`)).data['costingAuditLog']?.['nodes'];
const byOperator = (action: string, subjectId: unknown, detail: unknown) => ({
  action,
  actor: 'OPERATOR',
  accountUserId: null,
  credentialId: operatorToken,
  subjectId,
  detail,
});

describe('the audit log of costing', () => {
  it('lists actions on rates, plans and packs of the organization, newest first', async () => {
    const set =
      'mutation { rateSet(input: { model: "Acme", provider: "openai", input: "1" }) { rate { rateCardId } userErrors { message code } } }';
    const cardId = (await ask(ours, set)).data['rateSet']!['rate']['rateCardId'];
    await ask(
      ours,
      'mutation { rateSet(input: { model: "acme", provider: "openai", input: "2", effectiveFrom: "2026-01-01" }) { rate { rateCardId } userErrors { message code } } }',
    );
    await ask(
      ours,
      `mutation { planSet(input: { allotment: 1000, renewsAt: "${RENEWAL}" }) { credits { allotment } userErrors { message code } } }`,
    );
    const packId = (
      await ask(
        ours,
        `mutation { eventPackAdd(input: { events: 50, expiresAt: "${RENEWAL}" }) { eventPack { packId } userErrors { message code } } }`,
      )
    ).data['eventPackAdd']!['eventPack']['packId'];
    expect(await records(ours)).toEqual([
      byOperator('event_pack.added', packId, `50 events until ${RENEWAL}`),
      byOperator('plan.set', null, `1000 events, soft limit 800, renewed on 1 Jan 2999`),
      byOperator('rate_card.changed', cardId, 'openai/acme from 2026-01-01T00:00:00.000Z'),
      byOperator('rate_card.created', cardId, 'openai/acme from ever'),
    ]);
    expect(await records(global)).toEqual([]);
  });

  it('keeps actions on standard rate cards for operators', async () => {
    const cardId = (
      await ask(
        global,
        'mutation { rateSet(input: { model: "acme", input: "1" }) { rate { rateCardId } userErrors { message code } } }',
      )
    ).data['rateSet']!['rate']['rateCardId'];
    const imported = await ask(
      global,
      'mutation { catalogueImport(input: {}) { changes { added } userErrors { message code } } }',
    );
    const added = (imported.data['catalogueImport']!['changes']['added'] as string[]).length;
    expect(await records(global)).toEqual([
      byOperator(
        'catalogue.imported',
        expect.any(String),
        expect.stringMatching(`^@pydantic/genai-prices .*: ${added} added, 0 changed, 0 held$`),
      ),
      byOperator('rate_card.created', cardId, 'acme from ever'),
    ]);
    expect(await records(ours)).toEqual([]);
  });

  it('lists repricings and their reverts, but no dry runs', async () => {
    await ask(
      global,
      'mutation { rateSet(input: { model: "acme", input: "1" }) { rate { rateCardId } userErrors { message code } } }',
    );
    await pricing.send([call()]);
    await pricing.settle();
    const reprice = (dryRun: boolean) =>
      ask(
        ours,
        `mutation { repricingRun(input: { start: "2026-01-01", end: "2026-02-01", model: "acme", dryRun: ${dryRun} }) { repricing { repricingId } userErrors { message code } } }`,
      );
    await reprice(true);
    const id = (await reprice(false)).data['repricingRun']!['repricing']['repricingId'];
    const revertId = (
      await ask(
        ours,
        `mutation { repricingRevert(input: { repricingId: "${String(id)}" }) { repricing { repricingId } userErrors { message code } } }`,
      )
    ).data['repricingRevert']!['repricing']['repricingId'];
    expect(await records(ours)).toEqual([
      byOperator('repricing.revert_begun', id, `by ${String(revertId)}`),
      byOperator('repricing.begun', id, 'acme from 2026-01-01T00:00:00.000Z to 2026-02-01T00:00:00.000Z'),
    ]);
  });

  it('shows the organization how many of its failed events were retried, even after a retry for all organizations', async () => {
    await pricing.send([call(), call()]);
    await pricing.settle();
    await pricing.rows("update unpriced_event set status = 'failed'");
    expect((await ask(global, 'mutation { failedEventsRetry { events userErrors { message code } } }')).data).toEqual({
      failedEventsRetry: { events: 2, userErrors: [] },
    });
    expect((await ask(global, 'mutation { failedEventsRetry { events userErrors { message code } } }')).data).toEqual({
      failedEventsRetry: { events: 0, userErrors: [] },
    });
    expect(await records(ours)).toEqual([byOperator('failed_events.retried', null, '2 events')]);
  });

  it('is paged by cursors', async () => {
    for (const events of [1, 2, 3])
      await ask(
        ours,
        `mutation { eventPackAdd(input: { events: ${events} }) { eventPack { packId } userErrors { message code } } }`,
      );
    const { data } = await ask(
      ours,
      '{ costingAuditLog(first: 2) { pageInfo { hasNextPage hasPreviousPage endCursor } } }',
    );
    const { pageInfo } = data['costingAuditLog'] as { pageInfo: { endCursor: string } };
    expect(pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    expect(await records(ours, `(first: 2, after: "${pageInfo.endCursor}")`)).toMatchObject([
      { detail: expect.stringMatching(/^1 events/) },
    ]);
    for (const page of ['first: 0', 'first: 201', 'after: "x"'])
      expect((await ask(ours, `{ costingAuditLog(${page}) { nodes { id } } }`)).codes).toEqual(['VALIDATION_ERROR']);
  });

  it('is for operators and owners, each of its own organization', async () => {
    await ask(
      ours,
      'mutation { planSet(input: { allotment: 1 }) { credits { allotment } userErrors { message code } } }',
    );
    const owner = (organizationId: string) => ({
      ...ours,
      principal: { ...ours.principal, kind: 'session' as const, organizationId },
    });
    const page = '{ costingAuditLog { nodes { action } } }';
    expect((await ask(owner(pricing.organizationId), page, ['owner'])).data).toEqual({
      costingAuditLog: { nodes: [{ action: 'plan.set' }] },
    });
    expect((await ask(owner(randomUUID()), page, ['owner'])).data).toEqual({ costingAuditLog: { nodes: [] } });
    for (const grants of [['admin'], ['member'], ['costs:read', 'usage:read']])
      expect((await ask(owner(pricing.organizationId), page, grants)).codes).toEqual(['FORBIDDEN']);
  });

  it('has no record of rejected actions, and no action succeeds without a record', async () => {
    const set = (allotment: number) =>
      `mutation { planSet(input: { allotment: ${allotment} }) { userErrors { code } } }`;
    expect((await ask(ours, set(-1))).data['planSet']).toEqual({ userErrors: [{ code: 'VALIDATION_ERROR' }] });
    expect(await records(ours)).toEqual([]);
    await breakAuditLog(pricing.database);
    expect((await ask(ours, set(1))).codes).toEqual(['INTERNAL_SERVER_ERROR']);
    expect(await getCredits(ours)).toMatchObject({ allotment: null });
  });
});
