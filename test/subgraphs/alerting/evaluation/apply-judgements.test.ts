/** Two processes that evaluate a rule at the same time produce one result and one incident. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertEpisode } from '../../../../subgraphs/alerting/episodes/alert-episode.table.ts';
import { applyJudgements, type FoundByRule } from '../../../../subgraphs/alerting/evaluation/apply-judgements.step.ts';
import { plainJudgement } from '../../../../subgraphs/alerting/evaluation/judged.ts';
import { listRules } from '../../../../subgraphs/alerting/rules/alert-rule.table.ts';
import { type AlertingService, startAlerting } from '../deliveries-builder.ts';

let service: AlertingService;
beforeAll(async () => {
  service = await startAlerting();
});
afterAll(() => service.close());

const AT = new Date('2026-11-22T12:00:00.000Z');
const EVIDENCE = {
  sentence: 'Something is unusual.',
  figures: [],
  windowStart: '2026-11-21T00:00:00.000Z',
  windowEnd: '2026-11-22T00:00:00.000Z',
  computedAt: AT.toISOString(),
  query: { document: '{ __typename }', variables: {} },
  path: '/alerts',
};

async function foundBy(name: string): Promise<(memory: string, state: 'FIRING' | 'OK') => FoundByRule> {
  await service.ask(
    'mutation ($input: AlertRuleSaveInput!) { alertRuleSave(input: $input) { alertRule { id } userErrors { message } } }',
    { input: { name, kind: 'UNPRICED' } },
  );
  const { organizationId, dependencies } = service;
  const rules = await dependencies.database.write(organizationId, (tx) => listRules(tx, organizationId));
  const rule = rules.find((one) => one.name === name)!;
  return (memory, state) => ({
    rule,
    states: [],
    judgedThrough: null,
    judgements: [
      {
        groupKey: '',
        groupName: null,
        severity: 'WARNING',
        evidence: EVIDENCE,
        judgement: plainJudgement({ state, memory: { by: memory }, end: null }),
      },
    ],
  });
}

const memories = () =>
  service.rows<{ by: string }>(
    "select counters #>> '{memory,by}' as by from alert_state where organization_id = $1 order by 1",
    [service.organizationId],
  );

it('a result computed from outdated states is not stored: the newer state stays', async () => {
  const found = await foundBy('Two evaluators');
  const writing = { database: service.dependencies.database, appUrl: 'https://books.example' };
  expect(await applyJudgements(writing, found('first', 'OK'), AT)).toHaveLength(1);
  expect(await applyJudgements(writing, found('second', 'FIRING'), AT)).toBeNull();
  expect(await memories()).toEqual([{ by: 'first' }]);
  expect(await service.rows('select 1 from alert_episode')).toEqual([]);
});

it('a group has one open incident: PostgreSQL refuses a second one', async () => {
  const { rule } = (await foundBy('One incident'))('x', 'FIRING');
  const episode = {
    organizationId: service.organizationId,
    ruleId: rule.id,
    ruleName: rule.name,
    kind: rule.kind,
    scope: rule.scope,
    groupKey: 'one group',
    groupName: null,
    severity: 'WARNING' as const,
    level: null,
    openedAt: AT.toISOString(),
    closedAt: null,
    closedReason: null,
    evidence: EVIDENCE,
    acknowledgedAt: null,
    acknowledgedBy: null,
  };
  const open = (id: string) => service.dependencies.database.system((tx) => insertEpisode(tx, { ...episode, id }));
  await open('01a0b1c2-0000-7000-8000-00000000000a');
  await expect(open('01a0b1c2-0000-7000-8000-00000000000b')).rejects.toThrow('alert_episode_open_index');
  await service.rows("update alert_episode set closed_at = now(), closed_reason = 'RECOVERED'");
  await open('01a0b1c2-0000-7000-8000-00000000000b');
});
