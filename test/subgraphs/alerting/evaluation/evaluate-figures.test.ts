/** How rules on bills, agreements, credits and the current state judge the figures of one reading of the graph. */
import { describe, expect, it } from 'vitest';
import type { RuleParameters } from '../../../../subgraphs/alerting/rules/rule-parameters.ts';
import {
  evaluateBillAges,
  evaluateBillDifferences,
} from '../../../../subgraphs/alerting/evaluation/evaluate-bills.step.ts';
import {
  evaluateCommitments,
  evaluateEndingAgreements,
  evaluateExpiringCredits,
} from '../../../../subgraphs/alerting/evaluation/evaluate-ending.step.ts';
import {
  evaluateCatalogue,
  evaluateCredits,
  evaluateSync,
  evaluateUnpriced,
} from '../../../../subgraphs/alerting/evaluation/evaluate-live.ts';
import type { GroupJudgement, RuleAt } from '../../../../subgraphs/alerting/evaluation/judged.ts';
import { lastSettledDay, nextSettling, windowOf } from '../../../../subgraphs/alerting/evaluation/settled-day.ts';

const AT = new Date('2026-11-20T12:00:00.000Z');

/** A rule that reads these figures; `memory` is what it stored for each group. */
function ruleAt(
  figures: object,
  parameters: RuleParameters = {},
  memory: Readonly<Record<string, object>> = {},
): RuleAt {
  const states = Object.entries(memory).map(
    ([group, value]) => [group, { groupKey: group, state: 'firing', counters: { parameters, memory: value } }] as const,
  );
  return {
    organizationId: '0a1e0000-0000-4000-8000-000000000001',
    rule: { id: '1', kind: 'UNPRICED', name: 'A rule', parameters },
    read: (() => Promise.resolve(figures)) as never,
    at: AT,
    previousAt: null,
    states: new Map(states) as never,
  };
}
const short = ({ groupKey, severity, judgement: { state, end } }: GroupJudgement) => [groupKey, severity, state, end];
const LIVE = { credits: null, connection: null, catalogue: null, unpriced: [] };

describe('a rule on the current state', () => {
  const ago = (minutes: number) => ({ since: new Date(AT.getTime() - minutes * 60_000).toISOString() });
  const model = {
    provider: 'openai',
    model: 'm',
    reasons: ['no rate'],
    events: 1,
    firstAt: AT.toISOString(),
    lastAt: '',
  };
  const group = JSON.stringify(['openai', 'm']);

  it.each([
    [{}, 'PENDING'],
    [{ [group]: ago(14.99) }, 'PENDING'],
    [{ [group]: ago(15) }, 'FIRING'],
  ])('fires for a model that has had no price for a quarter of an hour: %j', (memory, state) => {
    expect(evaluateUnpriced(ruleAt({}, {}, memory), { ...LIVE, unpriced: [model] }, '').map(short)).toEqual([
      [group, 'WARNING', state, null],
    ]);
  });

  it('ends for a model that has a price', () => {
    expect(evaluateUnpriced(ruleAt({}, {}, { [group]: ago(60) }), LIVE, '').map(short)).toEqual([
      [group, 'WARNING', 'OK', 'RECOVERED'],
    ]);
  });

  it.each([
    ['FAILING', 29.99, 'PENDING', null],
    ['FAILING', 30, 'FIRING', null],
    ['CONNECTED', 60, 'OK', 'RECOVERED'],
    ['DISCONNECTED', 60, 'OK', 'RECOVERED'],
  ])('fires for a sync that is %s for %s minutes: %s', (state, minutes, expected, end) => {
    const connection = { state, error: 'No', lastSyncAt: null, nextSyncAt: null } as never;
    expect(evaluateSync(ruleAt({}, {}, { '': ago(minutes) }), { ...LIVE, connection }, '').map(short)).toEqual([
      ['', 'CRITICAL', expected, end],
    ]);
  });

  it.each([
    [100, 900, 100, 'WARNING', 'OK', '100 of 1,000 event credits are left (10.00%).'],
    [99, 900, 100, 'WARNING', 'FIRING', '99 of 1,000 event credits are left (9.90%).'],
    [0, 900, 100, 'CRITICAL', 'FIRING', '0 of 1,000 event credits are left (0.00%).'],
    [9, 0, 100, 'WARNING', 'FIRING', '9 of 100 event credits are left (9.00%).'],
    [50, 100, 0, 'WARNING', 'OK', '50 of 100 event credits are left (50.00%).'],
  ])('fires for %i of %i and %i credits: %s, %s', (creditsLeft, allotment, packsLeft, severity, state, sentence) => {
    const credits = { creditsLeft, allotment, packsLeft, allotmentLeft: 0, renewsAt: null } as never;
    const [judged] = evaluateCredits(ruleAt({}, { value: '10' }), { ...LIVE, credits }, '');
    expect([judged!.severity, judged!.judgement.state, judged!.evidence.sentence]).toEqual([severity, state, sentence]);
  });

  it.each([
    ['2026-11-06T12:00:00.000Z', 'OK'],
    ['2026-11-05T12:00:00.001Z', 'OK'],
    ['2026-11-05T12:00:00.000Z', 'FIRING'],
  ])('fires for a catalogue of %s: %s', (publishedAt, state) => {
    const catalogue = { source: 'prices', publishedAt } as never;
    expect(evaluateCatalogue(ruleAt({}, { value: '14' }), { ...LIVE, catalogue }, '').map(short)).toEqual([
      ['', 'WARNING', state, null],
    ]);
  });
});

describe('a rule on bills', () => {
  const CONNECTION = { id: 'c', name: 'OpenAI', lastDay: '2026-11-18', lastError: null };
  const day = (amounts: readonly (string | null)[], more: object = {}) => ({
    connectionId: 'c',
    day: '2026-11-10',
    isUnexplained: true,
    differences: amounts.map((unexplained) => ({ unexplained, unknownCurrency: null, fix: null })),
    ...more,
  });
  const differences = async (...billDays: readonly object[]) => {
    const figures = { billConnections: [CONNECTION], billDays };
    return (await evaluateBillDifferences(ruleAt(figures, { floor: '1' }))).map(({ judgement, evidence }) => [
      judgement.state,
      evidence.figures.map(({ value }) => value),
    ]);
  };

  it.each([
    ['nothing', [], 'OK', ['0', '0']],
    ['less than the floor', [day(['0.999999999999999'])], 'OK', ['0.999999999999999', '1']],
    ['the floor', [day(['1'])], 'FIRING', ['1', '1']],
    ['amounts of both signs', [day(['0.6', '-0.6'])], 'FIRING', ['1.2', '1']],
    ['two days', [day(['0.6']), day(['-0.6'])], 'FIRING', ['1.2', '2']],
    ['an explained day', [day(['5'], { isUnexplained: false })], 'OK', ['0', '0']],
    ['a day of another source', [day(['5'], { connectionId: 'other' })], 'OK', ['0', '0']],
    [
      'what a fix explains',
      [day([], { differences: [{ unexplained: '5', unknownCurrency: null, fix: { id: 'f' } }] })],
      'OK',
      ['0', '1'],
    ],
    [
      'an unknown currency',
      [day([], { differences: [{ unexplained: null, unknownCurrency: 'EUR', fix: null }] })],
      'FIRING',
      ['0', '1'],
    ],
  ])('fires for differences that reach the floor: %s', async (_, days, state, figures) => {
    expect(await differences(...days)).toEqual([[state, figures]]);
  });

  it.each([
    ['2026-11-16', null, 'OK', 'The newest bill from OpenAI ended 3 days ago.'],
    ['2026-11-15', null, 'FIRING', 'The newest bill from OpenAI ended 4 days ago.'],
    ['2026-11-18', 'refused', 'OK', 'The newest bill from OpenAI ended 1 day ago: refused.'],
    ['2026-11-20', null, 'OK', 'The newest bill from OpenAI ended 0 days ago.'],
    [null, null, 'OK', 'OpenAI has no bill yet.'],
    [null, 'refused', 'FIRING', 'OpenAI has no bill yet: refused.'],
  ])('fires if the newest bill is of %s (%s): %s', async (lastDay, lastError, state, sentence) => {
    const figures = { billConnections: [{ ...CONNECTION, lastDay, lastError }] };
    const [judged] = await evaluateBillAges(ruleAt(figures, { value: '3' }));
    expect([judged!.judgement.state, judged!.evidence.sentence]).toEqual([state, sentence]);
  });
});

describe('a rule on agreements, credits and commitments that end', () => {
  const groups = (judgements: readonly GroupJudgement[]) =>
    judgements.map(({ groupKey, severity, judgement: { state, level } }) => [groupKey, severity, state, level]);

  it.each([
    ['2027-02-19', 'OK', 'WARNING', null],
    ['2027-02-18', 'FIRING', 'WARNING', 90],
    ['2026-12-20', 'FIRING', 'WARNING', 30],
    ['2026-11-28', 'FIRING', 'WARNING', 30],
    ['2026-11-27', 'FIRING', 'CRITICAL', 7],
    ['2026-11-21', 'FIRING', 'CRITICAL', 7],
    ['2026-11-20', 'OK', 'WARNING', null],
  ])('warns of an agreement until %s: %s', async (until, state, severity, level) => {
    const agreements = [{ id: 'a', provider: 'openai', name: 'Deal', until, discounts: [] }];
    expect(groups(await evaluateEndingAgreements(ruleAt({ agreements })))).toEqual([
      [`a ${until}`, severity, state, level],
    ]);
  });

  it.each([
    [null, ['2026-11-25', '2026-11-25', null], ['2026-11-25']],
    ['2026-11-26', ['2026-11-25'], ['2026-11-26', '2026-11-25']],
    ['2026-11-25', ['2026-11-25'], ['2026-11-25']],
    ['2026-11-25', ['2026-11-26'], ['2026-11-25']],
  ])('warns of discounts that end before an agreement until %s: %j', async (until, ends, expected) => {
    const discounts = ends.map((end) => ({ until: end }));
    const agreements = [{ id: 'a', provider: 'openai', name: 'Deal', until, discounts }];
    const judged = await evaluateEndingAgreements(ruleAt({ agreements }));
    expect(judged.map(({ groupKey }) => groupKey)).toEqual(expected.map((day) => `a ${day}`));
    const [first] = judged.map(({ evidence }) => evidence.sentence);
    expect(first).toMatch(until === null ? /^A discount of the agreement Deal/ : /^The agreement Deal/);
  });

  it.each([
    [{ left: '10', forecast: null }, 1],
    [{ left: '10', forecast: { expiresUnused: '3' } }, 1],
    [{ left: '10', forecast: { expiresUnused: '0' } }, 0],
    [{ left: '0', forecast: null }, 0],
    [{ left: '-1', forecast: { expiresUnused: '3' } }, 0],
    [{ left: '10', forecast: null, until: null }, 0],
  ])('warns of a credit with %j: %i', async (more, count) => {
    const credit = { id: 'c', kind: 'CREDIT', name: 'Gift', provider: 'openai', until: '2026-11-25', ...more };
    expect(await evaluateExpiringCredits(ruleAt({ providerCredits: [credit] }))).toHaveLength(count);
  });

  it.each([
    [{ left: '10', forecast: null }, 1],
    [{ left: '10', forecast: { missedBy: '3' } }, 1],
    [{ left: '10', forecast: { missedBy: '0' } }, 0],
    [{ left: '0', forecast: { missedBy: '3' } }, 0],
  ])('warns of a commitment with %j: %i', async (more, count) => {
    const periods = [{ until: '2026-11-25', ...more }];
    const commitments = [{ id: 'c', name: 'Deal', provider: 'openai', amount: '100', periods }];
    expect(await evaluateCommitments(ruleAt({ commitments }))).toHaveLength(count);
  });

  it('ends for an agreement that was removed', async () => {
    const rule = ruleAt({ agreements: [] }, {}, { 'a 2026-11-25': { stage: 7 } });
    expect((await evaluateEndingAgreements(rule)).map(short)).toEqual([['a 2026-11-25', 'WARNING', 'OK', 'RECOVERED']]);
  });
});

describe('a day', () => {
  it.each([
    ['2026-11-20T01:59:59.999Z', '2026-11-18'],
    ['2026-11-20T02:00:00.000Z', '2026-11-19'],
    ['2026-11-20T23:59:59.999Z', '2026-11-19'],
  ])('is settled two hours after its end: at %s, that is %s', (at, day) => {
    expect(lastSettledDay(new Date(at))).toBe(day);
  });

  it.each([
    ['2026-11-20T01:59:59.999Z', '0000', '2026-11-20T02:00:00.000Z'],
    ['2026-11-20T02:00:00.000Z', '0000', '2026-11-21T02:00:00.000Z'],
    ['2026-11-20T12:00:00.000Z', '003b', '2026-11-21T02:59:00.000Z'],
    ['2026-11-20T12:00:00.000Z', '003c', '2026-11-21T02:00:00.000Z'],
  ])('seen from %s, the next one is settled in the minute of the organization …%s: %s', (at, ending, expected) => {
    const organizationId = `0a1e0000-0000-4000-8000-00000000${ending}`;
    expect(nextSettling({ at: new Date(at), organizationId }).toISOString()).toBe(expected);
  });

  it('is a window whose end is exclusive', () => {
    expect(windowOf('2026-11-20')).toEqual({ start: '2026-11-20T00:00:00.000Z', end: '2026-11-21T00:00:00.000Z' });
  });
});
