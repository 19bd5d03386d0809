import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql } from '../../../support/api-client.ts';
import type { RunningService } from '../../../support/running-service.ts';
import { sharedService } from '../../../support/shared-service.ts';

const FIELDS = `id kind name groupBy metric comparator value windowDays amount period levels withForecast floor channelIds
  isBuiltIn isMuted mutedUntil filter { endUser model dimensions { key value } }`;
const SAVE = `mutation Save($input: AlertRuleSaveInput!) {
  alertRuleSave(input: $input) { alertRule { ${FIELDS} } userErrors { field message code } }
}`;

let service: RunningService;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service.stop());

async function ask(document: string, variables: object = {}, key = service.firstRun.operator_token, own = true) {
  const { body } = await graphql(
    service.url,
    key,
    document,
    variables,
    own ? service.firstRun.organization_id : undefined,
  );
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
}
const save = async (input: object) => (await ask(SAVE, { input })).alertRuleSave;

it('three default rules exist, muted', async () => {
  const { alertRules } = await ask('{ alertRules { kind name isBuiltIn isMuted floor channelIds } }');
  expect(alertRules).toEqual([
    { kind: 'UNPRICED', name: 'Events without a price', isBuiltIn: true, isMuted: true, floor: null, channelIds: [] },
    {
      kind: 'CUSTOMER_UNPROFITABLE',
      name: 'Customer turned unprofitable',
      isBuiltIn: true,
      isMuted: true,
      floor: '1',
      channelIds: [],
    },
    { kind: 'ANOMALY', name: 'Unusual cost', isBuiltIn: true, isMuted: true, floor: '5', channelIds: [] },
  ]);
});

it('a key with only costs:read sees no rule about revenue', async () => {
  const rules = await ask('{ alertRules { kind } }', {}, service.firstRun.live_read_key, false);
  expect(rules.alertRules).toHaveLength(3);
});

it('a rule is created, changed, muted for a time and deleted, with records in the audit log', async () => {
  const made = await save({
    name: ' Budget of the month ',
    kind: 'BUDGET',
    amount: '1500.00',
    filter: { model: 'gpt-4o', dimensions: [{ key: 'team', value: 'search' }] },
  });
  expect(made.userErrors).toEqual([]);
  const { id } = made.alertRule;
  expect(made.alertRule).toMatchObject({
    name: 'Budget of the month',
    amount: '1500',
    period: 'MONTH',
    levels: [50, 80, 100],
    withForecast: true,
    filter: { endUser: null, model: 'gpt-4o', dimensions: [{ key: 'team', value: 'search' }] },
    isMuted: false,
  });
  expect((await save({ id, name: 'Less', kind: 'BUDGET', amount: '10', levels: [90] })).alertRule).toMatchObject({
    id,
    name: 'Less',
    amount: '10',
    levels: [90],
    filter: null,
  });
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const MUTE = `mutation Mute($id: ID!, $muted: Boolean, $until: Instant) {
    alertRuleMute(input: { id: $id, muted: $muted, until: $until }) { alertRule { isMuted mutedUntil } userErrors { message } }
  }`;
  expect((await ask(MUTE, { id, until })).alertRuleMute.alertRule).toEqual({ isMuted: true, mutedUntil: until });
  expect((await ask(MUTE, { id, muted: false })).alertRuleMute.alertRule).toEqual({ isMuted: false, mutedUntil: null });
  expect((await ask(MUTE, { id, muted: true, until })).alertRuleMute.userErrors).toEqual([
    { message: 'muted or until is required, but not both' },
  ]);
  await ask('mutation Delete($id: ID!) { alertRuleDelete(input: { id: $id }) { alertRule { id } } }', { id });
  expect((await ask('query One($id: ID!) { alertRule(id: $id) { id } }', { id })).alertRule).toBeNull();
  const {
    alertingAuditLog: { nodes: alertingAuditLog },
  } = await ask('{ alertingAuditLog { nodes { action subjectId detail } } }');
  expect(alertingAuditLog).toEqual(
    [
      ['deleted', 'Less'],
      ['unmuted', 'Less'],
      ['muted', 'Less'],
      ['changed', 'Less'],
      ['created', 'Budget of the month'],
    ].map(([action, detail]) => ({ action: `alert_rule.${action}`, subjectId: id, detail })),
  );
});

it.each([-1, 0, 366])('a rule cannot be muted until %i days from now', async (days) => {
  const { alertRules } = await ask('{ alertRules { id } }');
  const until = new Date(Date.now() + days * 86_400_000 + (days > 0 ? 60_000 : 0)).toISOString();
  const { alertRuleMute } = await ask(
    'mutation ($id: ID!, $until: Instant) { alertRuleMute(input: { id: $id, until: $until }) { userErrors { message } } }',
    { id: alertRules[0].id, until },
  );
  expect(alertRuleMute.userErrors).toMatchObject([{ message: expect.stringMatching(/^until must be within/) }]);
});

it('a deleted default rule is not created again', async () => {
  const { alertRules } = await ask('{ alertRules { id kind } }');
  const { id } = alertRules.find(({ kind }: { kind: string }) => kind === 'ANOMALY');
  await ask('mutation Delete($id: ID!) { alertRuleDelete(input: { id: $id }) { alertRule { id } } }', { id });
  expect((await ask('{ alertRules { kind } }')).alertRules).toEqual([
    { kind: 'UNPRICED' },
    { kind: 'CUSTOMER_UNPROFITABLE' },
  ]);
});

describe('an invalid parameter is a user error of its field', () => {
  it.each([
    ['amount', { kind: 'ANOMALY', amount: '5' }],
    ['amount', { kind: 'BUDGET' }],
    ['amount', { kind: 'BUDGET', amount: '0' }],
    ['levels', { kind: 'BUDGET', amount: '5', levels: [80, 50] }],
    ['metric', { kind: 'UNIT_COST', metric: 'REVENUE' }],
    ['groupByDimension', { kind: 'ANOMALY', groupBy: 'MODEL', groupByDimension: 'team' }],
    ['groupBy', { kind: 'THRESHOLD', metric: 'MARGIN', value: '-5', windowDays: 7, groupBy: 'MODEL' }],
    ['windowHours', { kind: 'THRESHOLD', metric: 'REVENUE', value: '5', windowHours: 3 }],
    ['windowHours', { kind: 'THRESHOLD', metric: 'COST', value: '5' }],
    ['windowDays', { kind: 'THRESHOLD', metric: 'COST', value: '5', windowDays: 91 }],
    ['value', { kind: 'THRESHOLD', metric: 'COST', value: '-5', windowDays: 1 }],
    ['value', { kind: 'CREDITS_LOW', value: '101' }],
    ['filter', { kind: 'NO_DATA', filter: { model: '' } }],
    ['outcome', { kind: 'COST_PER_SUCCESS', value: '1' }],
    ['outcome', { kind: 'COST_PER_SUCCESS', value: '1', outcome: '' }],
    ['outcome', { kind: 'BUDGET', amount: '5', outcome: 'ticket_resolved' }],
    ['value', { kind: 'COST_PER_SUCCESS', outcome: 'ticket_resolved' }],
    ['windowDays', { kind: 'COST_PER_SUCCESS', outcome: 'ticket_resolved', value: '1', windowDays: 0 }],
    ['windowHours', { kind: 'COST_PER_SUCCESS', outcome: 'ticket_resolved', value: '1', windowHours: 3 }],
    ['filter', { kind: 'COST_PER_SUCCESS', outcome: 'ticket_resolved', value: '1', filter: { provider: 'openai' } }],
    ['amount', { kind: 'ALLOWANCE_USED', amount: '5' }],
    ['levels', { kind: 'ALLOWANCE_USED', levels: [] }],
    ['channelIds', { kind: 'UNPRICED', channelIds: ['0a1e0000-0000-4000-8000-000000000009'] }],
    ['id', { kind: 'UNPRICED', id: '0a1e0000-0000-4000-8000-000000000009' }],
    ['kind', { kind: 'BUDGET', amount: '5', id: '0a1e0000-0000-4000-8000-000000000001' }],
    ['name', { kind: 'UNPRICED', name: ' ' }],
  ])('%s of %j', async (field, input) => {
    const { alertRule, userErrors } = await save({ name: 'A rule', ...input });
    expect([alertRule, userErrors.map((error: { field: string[] }) => error.field)]).toEqual([
      null,
      [['input', field]],
    ]);
  });
});
