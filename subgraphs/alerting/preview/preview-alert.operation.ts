/** `Query.alertPreview`: when a rule would have fired, according to the same evaluations and state machine. */
import { setImmediate as breathe } from 'node:timers/promises';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kernel/time/duration.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { requestedAt } from '#platform/subgraph/requested-at.ts';
import { fail } from '#kernel/errors.ts';
import { SERIES_MAX, SETTLE_HOURS } from '../config.ts';
import { SILENCE_HISTORY_DAYS } from '../detection/silence.ts';
import { HISTORY_DAYS } from '../detection/unusual-day.ts';
import { type GroupState, nextState } from '../episodes/next-state.ts';
import { evaluateBudget } from '../evaluation/evaluate-budget.step.ts';
import { evaluateCapacity } from '../evaluation/evaluate-capacity.step.ts';
import { evaluateCostPerSuccess } from '../evaluation/evaluate-cost-per-success.step.ts';
import { evaluateCustomers } from '../evaluation/evaluate-customers.step.ts';
import { evaluateDailyCosts } from '../evaluation/evaluate-daily-costs.step.ts';
import { evaluateSilence } from '../evaluation/evaluate-silence.step.ts';
import { evaluateThreshold } from '../evaluation/evaluate-threshold.step.ts';
import type { GroupJudgement, RuleOfDay } from '../evaluation/judged.ts';
import { readerOf } from '../figures/graph-reader.step.ts';
import type { AlertPreview, AlertPreviewEpisode, AlertRuleSaveInput } from '../resolvers.generated.ts';
import { maySee } from '../rules/alert-rule-view.ts';
import { checkRuleName, checkRuleParameters } from '../rules/check-rule.ts';
import { isOfRevenue, type RuleParameters, scopeOf } from '../rules/rule-parameters.ts';
import { pastReader } from './past-reader.step.ts';

const DAYS_MAX = 90;
const MONTH_DAYS = 30;
/** Hourly rules with groups are evaluated less often, because each evaluation reads four weeks of hours. */
const GROUPS_STEP_HOURS = 6;

/** Null: the day cannot be judged yet. */
type Evaluate = (rule: RuleOfDay) => Promise<GroupJudgement[] | null>;

/** The times at which a kind is evaluated in the past: the interval, and the delay after each interval ends. */
interface Pace {
  readonly stepMs: number;
  readonly lateMs: number;
  readonly evaluate: Evaluate;
}

/**
 * Fails with `VALIDATION_ERROR` as saving the rule would, and with `FORBIDDEN` for figures that the caller may not
 * read.
 */
export async function previewAlert(
  gateway: GatewayClient,
  context: SubgraphContext,
  input: AlertRuleSaveInput,
  days: number,
): Promise<AlertPreview> {
  if (days < 1 || days > DAYS_MAX) fail('VALIDATION_ERROR', `days must be from 1 to ${DAYS_MAX}`);
  const organizationId = organizationOf(context);
  const name = checkRuleName(input.name);
  // Past forecasts are not stored, so the preview leaves forecasts out.
  const parameters: RuleParameters = checkRuleParameters(input.kind, input);
  if (!maySee(context.principal, { scope: scopeOf(input.kind, parameters) }))
    fail('FORBIDDEN', 'The credential may not read the figures of this rule');
  const pace = paceOf(input.kind, parameters);
  const now = requestedAt(context).getTime();
  const start = Math.floor(now / DAY_MS) * DAY_MS - days * DAY_MS;
  // Rules evaluated by the hour may have fired today.
  const unit = typeof pace === 'string' || pace.stepMs === DAY_MS ? DAY_MS : HOUR_MS;
  const end = Math.floor(now / unit) * unit;
  const preview = { start: new Date(start), end: new Date(end) };
  if (typeof pace === 'string') return { ...preview, episodes: [], episodesPerMonth: 0, reason: pace };
  const past = { start: new Date(start - Math.max(HISTORY_DAYS, SILENCE_HISTORY_DAYS) * DAY_MS), end: preview.end };
  const rule = {
    organizationId,
    rule: { id: organizationId, kind: input.kind, name, parameters: withoutForecast(parameters) },
    read: pastReader(readerOf(gateway, organizationId), past, SERIES_MAX),
  };
  // A day that ended an hour ago is not judged yet.
  const episodes = await replay(rule, pace, start, Math.min(end, now - pace.lateMs));
  return { ...preview, episodes, episodesPerMonth: (episodes.length * MONTH_DAYS) / days, reason: null };
}

function withoutForecast(parameters: RuleParameters): RuleParameters {
  return parameters.withForecast === undefined ? parameters : { ...parameters, withForecast: false };
}

/** A text is the reason why the past cannot be replayed. */
function paceOf(
  kind: AlertRuleSaveInput['kind'],
  { metric, windowHours, groupBy, groupByDimension }: RuleParameters,
): Pace | string {
  const daily = { stepMs: DAY_MS, lateMs: SETTLE_HOURS * HOUR_MS };
  const isGrouped = groupBy !== undefined || groupByDimension !== undefined;
  switch (kind) {
    case 'ANOMALY':
      return { ...daily, evaluate: evaluateDailyCosts };
    case 'UNIT_COST':
      return metric === 'COST_PER_THOUSAND_TOKENS'
        ? 'Tokens are not stored by day, so there is no preview.'
        : { ...daily, evaluate: evaluateDailyCosts };
    case 'COST_PER_SUCCESS':
      return { ...daily, evaluate: evaluateCostPerSuccess };
    case 'IDLE_CAPACITY':
    case 'CAPACITY_EXHAUSTED':
      return { ...daily, evaluate: evaluateCapacity };
    case 'CUSTOMER_UNPROFITABLE':
    case 'COST_WITHOUT_REVENUE':
      return { ...daily, evaluate: evaluateCustomers };
    case 'BUDGET':
      // A minute before the day ends, because the next day may be in another month.
      return { stepMs: DAY_MS, lateMs: -MINUTE_MS, evaluate: evaluateBudget };
    case 'NO_DATA':
      return { stepMs: (isGrouped ? GROUPS_STEP_HOURS : 1) * HOUR_MS, lateMs: 0, evaluate: evaluateSilence };
    case 'THRESHOLD':
      if (windowHours === undefined || isOfRevenue(metric))
        return { ...daily, evaluate: (rule) => evaluateThreshold(rule, rule.day) };
      return metric === 'TOKENS' || metric === 'COST_PER_THOUSAND_TOKENS'
        ? 'Tokens are not stored by hour, so there is no preview.'
        : { stepMs: HOUR_MS, lateMs: 0, evaluate: (rule) => evaluateThreshold(rule, null) };
    case 'UNPRICED':
    case 'SYNC_FAILED':
    case 'CREDITS_LOW':
    case 'CATALOGUE_OLD':
    case 'BILL_DIFFERENCE':
    case 'BILL_NOT_PULLED':
    case 'ALLOWANCE_USED':
    case 'AGREEMENT_ENDING':
    case 'CREDIT_EXPIRING':
    case 'COMMITMENT_AT_RISK':
      return 'Only the current state of this figure is stored, so there is no preview.';
  }
}

/** Runs every evaluation in order, each with the states that the previous one left. Writes nothing. */
async function replay(
  rule: Pick<RuleOfDay, 'organizationId' | 'rule' | 'read'>,
  { stepMs, lateMs, evaluate }: Pace,
  start: number,
  end: number,
): Promise<AlertPreviewEpisode[]> {
  const states = new Map<string, GroupState>();
  const open = new Map<string, AlertPreviewEpisode>();
  const episodes: AlertPreviewEpisode[] = [];
  let previousAt: Date | null = null;
  for (let time = start + stepMs; time <= end; time += stepMs) {
    const at = new Date(time + lateMs);
    const day = new Date(time - 1).toISOString().slice(0, 10);
    const look = async () => {
      let isAgain = false;
      for (const judged of (await evaluate({ ...rule, day, at, previousAt, states })) ?? [])
        isAgain = record(judged, at, { states, open, episodes, parameters: rule.rule.parameters }) || isAgain;
      return isAgain;
    };
    // If an episode ended with its period, the new period is judged at once, as it would be a minute later.
    if (await look()) await look();
    previousAt = at;
    // Lets other requests run in between.
    await breathe();
  }
  return episodes;
}

/** True if an episode ended with its period. */
function record(
  { groupKey, groupName, judgement, evidence, severity }: GroupJudgement,
  at: Date,
  past: {
    readonly states: Map<string, GroupState>;
    readonly open: Map<string, AlertPreviewEpisode>;
    readonly episodes: AlertPreviewEpisode[];
    readonly parameters: RuleParameters;
  },
): boolean {
  const known = past.open.get(groupKey);
  const { state, transition } = nextState(past.parameters, known !== undefined, judgement);
  past.states.set(groupKey, state);
  if (transition?.kind === 'opened') {
    const { sentence, figures, path } = evidence;
    const episode = { groupKey, groupName, severity, openedAt: at, closedAt: null, level: transition.level };
    past.open.set(groupKey, { ...episode, sentence, figures: [...figures], path });
    past.episodes.push(past.open.get(groupKey)!);
  }
  if (known !== undefined && transition?.kind === 'level') known.level = transition.level;
  if (known === undefined || transition?.kind !== 'closed') return false;
  known.closedAt = at;
  past.open.delete(groupKey);
  return transition.reason === 'PERIOD_ENDED';
}
