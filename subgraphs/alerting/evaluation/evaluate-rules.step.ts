/**
 * Evaluates the due rules of one organization. Each rule is read and judged separately, so that one that fails does
 * not affect the others.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { DAY_MS, MINUTE_MS } from '#kernel/time/duration.ts';
import type { Log } from '#platform/log.ts';
import { BILL_MINUTES, CATCH_UP_DAYS_MAX, FIRST_DAYS, SILENCE_MINUTES } from '../config.ts';
import type { OwnedState } from '../episodes/alert-state.table.ts';
import { isOfParameters } from '../episodes/next-state.ts';
import { isRefusal, type ReadGraph } from '../figures/graph-reader.step.ts';
import { findUnsettled } from '../figures/customer-figures.step.ts';
import { LIVE, readLiveFigures, UNPRICED } from '../figures/live-figures.step.ts';
import { dayWords } from '../figures/words.ts';
import type { AlertRuleRow } from '../rules/alert-rule.table.ts';
import { applyJudgements, PROGRESS, type Writing } from './apply-judgements.step.ts';
import { evaluateAllowances } from './evaluate-allowances.step.ts';
import { evaluateBillAges, evaluateBillDifferences } from './evaluate-bills.step.ts';
import { evaluateBudget } from './evaluate-budget.step.ts';
import { evaluateCustomers } from './evaluate-customers.step.ts';
import { evaluateCapacity } from './evaluate-capacity.step.ts';
import { evaluateCostPerSuccess } from './evaluate-cost-per-success.step.ts';
import { evaluateDailyCosts } from './evaluate-daily-costs.step.ts';
import { evaluateCatalogue, evaluateCredits, evaluateSync, evaluateUnpriced } from './evaluate-live.ts';
import { evaluateCommitments, evaluateEndingAgreements, evaluateExpiringCredits } from './evaluate-ending.step.ts';
import { evaluateSilence } from './evaluate-silence.step.ts';
import { evaluateThreshold } from './evaluate-threshold.step.ts';
import type { GroupJudgement, RuleAt } from './judged.ts';
import { lastSettledDay, nextSettling, windowOf } from './settled-day.ts';
import { changes, worthKeeping } from './worth-keeping.ts';

export interface OrganizationAt {
  readonly organizationId: OrganizationId;
  readonly rules: readonly AlertRuleRow[];
  readonly states: readonly OwnedState[];
  readonly at: Date;
  readonly previousAt: Date | null;
  readonly isDailyDue: boolean;
}

interface Dependencies extends Writing {
  readonly log: Log;
}

export interface Evaluated {
  /** When rules on settled days are due again; null to leave it unchanged. */
  readonly dailyDueAt: Date | null;
  /** The part that was not judged, with the reason; null if everything was judged. */
  readonly waitingFor: string | null;
}

/** Throws if the graph cannot be read at all. */
export async function evaluateRules(
  dependencies: Dependencies,
  organization: OrganizationAt,
  read: ReadGraph,
): Promise<Evaluated> {
  const { rules, isDailyDue } = organization;
  const daily = rules.filter(isDaily);
  const refusals = await evaluateLive(dependencies, organization, read);
  const mustJudgeDays = daily.filter((rule) => isDailyDue || progressOf(rule, organization.states) === null);
  if (mustJudgeDays.length === 0)
    return { dailyDueAt: isDailyDue ? nextSettling(organization) : null, waitingFor: refusals[0] ?? null };
  const day = lastSettledDay(organization.at);
  const unsettled = await findUnsettled(read, windowOf(day));
  if (unsettled !== null)
    return {
      dailyDueAt: isDailyDue ? null : organization.at,
      waitingFor: `${dayWords(day)} has not been checked yet: ${unsettled}`,
    };
  const waits: string[] = [];
  for (const rule of mustJudgeDays)
    refusals.push(
      ...(await tolerant(dependencies, rule, async () => {
        const openDay = await judgeDays(dependencies, organization, rule, day, read);
        if (openDay !== null)
          waits.push(`${rule.name}: the fixed costs of ${dayWords(openDay)} have not been allocated yet`);
      })),
    );
  const waitingFor = refusals[0] ?? waits[0] ?? null;
  // Rules that have judged the day do not judge it again.
  if (waits.length > 0) return { dailyDueAt: isDailyDue ? null : organization.at, waitingFor };
  return { dailyDueAt: isDailyDue ? nextSettling(organization) : null, waitingFor };
}

/** Kinds whose figures rarely change and take longer to read. */
const SLOW_KINDS: ReadonlySet<AlertRuleRow['kind']> = new Set([
  'BILL_DIFFERENCE',
  'BILL_NOT_PULLED',
  'AGREEMENT_ENDING',
  'CREDIT_EXPIRING',
  'COMMITMENT_AT_RISK',
]);

/** True if the rule is judged once a day, after the day has settled. */
function isDaily({ kind, parameters }: AlertRuleRow): boolean {
  return (
    kind === 'ANOMALY' ||
    kind === 'UNIT_COST' ||
    kind === 'COST_PER_SUCCESS' ||
    kind === 'IDLE_CAPACITY' ||
    kind === 'CAPACITY_EXHAUSTED' ||
    kind === 'CUSTOMER_UNPROFITABLE' ||
    kind === 'COST_WITHOUT_REVENUE' ||
    (kind === 'THRESHOLD' && parameters.windowHours === undefined)
  );
}

/** Rules on current figures. Four kinds share one document. */
async function evaluateLive(
  dependencies: Dependencies,
  organization: OrganizationAt,
  read: ReadGraph,
): Promise<string[]> {
  const { rules, at, previousAt } = organization;
  const has = (kind: AlertRuleRow['kind']) => rules.some((rule) => rule.kind === kind);
  const wanted = {
    unpriced: has('UNPRICED'),
    credits: has('CREDITS_LOW'),
    connection: has('SYNC_FAILED'),
    catalogue: has('CATALOGUE_OLD'),
  };
  const live = Object.values(wanted).includes(true) ? await readLiveFigures(read, wanted) : null;
  const isDue = (minutes: number) => {
    const slot = (time: Date) => Math.floor(time.getTime() / (minutes * MINUTE_MS));
    return previousAt === null || slot(previousAt) !== slot(at);
  };
  const isRead = ({ kind }: AlertRuleRow) => {
    if (kind === 'NO_DATA') return isDue(SILENCE_MINUTES);
    return !SLOW_KINDS.has(kind) || isDue(BILL_MINUTES);
  };
  const refusals: string[] = [];
  for (const rule of rules.filter((one) => !isDaily(one) && isRead(one))) {
    const states = statesOf(rule, organization.states);
    const ruleAt = toRuleAt(organization, rule, states, read);
    const judge = async (): Promise<GroupJudgement[]> => {
      if (rule.kind === 'UNPRICED' && live) return evaluateUnpriced(ruleAt, live, UNPRICED);
      if (rule.kind === 'SYNC_FAILED' && live) return evaluateSync(ruleAt, live, LIVE);
      if (rule.kind === 'CREDITS_LOW' && live) return evaluateCredits(ruleAt, live, LIVE);
      if (rule.kind === 'CATALOGUE_OLD' && live) return evaluateCatalogue(ruleAt, live, LIVE);
      if (rule.kind === 'ALLOWANCE_USED') return evaluateAllowances(ruleAt);
      if (rule.kind === 'AGREEMENT_ENDING') return evaluateEndingAgreements(ruleAt);
      if (rule.kind === 'CREDIT_EXPIRING') return evaluateExpiringCredits(ruleAt);
      if (rule.kind === 'COMMITMENT_AT_RISK') return evaluateCommitments(ruleAt);
      if (rule.kind === 'BUDGET') return evaluateBudget(ruleAt);
      if (rule.kind === 'BILL_DIFFERENCE') return evaluateBillDifferences(ruleAt);
      if (rule.kind === 'BILL_NOT_PULLED') return evaluateBillAges(ruleAt);
      return rule.kind === 'NO_DATA' ? evaluateSilence(ruleAt) : evaluateThreshold(ruleAt, null);
    };
    refusals.push(
      ...(await tolerant(dependencies, rule, async () => {
        const found = changes({ rule, states, judgements: await judge(), judgedThrough: null });
        if (found !== null) await applyJudgements(dependencies, found, at);
      })),
    );
  }
  return refusals;
}

/**
 * Judges each day that has settled since the last judged one, in order. Returns the first day that cannot be judged yet,
 * or null.
 */
async function judgeDays(
  dependencies: Dependencies,
  organization: OrganizationAt,
  rule: AlertRuleRow,
  lastDay: string,
  read: ReadGraph,
): Promise<string | null> {
  let states: OwnedState[] | null = statesOf(rule, organization.states);
  const through = progressOf(rule, states);
  const last = Date.parse(lastDay);
  const first =
    through === null ? last - (FIRST_DAYS - 1) * DAY_MS : Math.max(through, last - (CATCH_UP_DAYS_MAX - 1) * DAY_MS);
  for (let at = first; at <= last && states !== null; at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    const ruleOfDay = { ...toRuleAt(organization, rule, states, read), day };
    const judgements =
      rule.kind === 'THRESHOLD'
        ? await evaluateThreshold(ruleOfDay, day)
        : rule.kind === 'ANOMALY' || rule.kind === 'UNIT_COST'
          ? await evaluateDailyCosts(ruleOfDay)
          : rule.kind === 'COST_PER_SUCCESS'
            ? await evaluateCostPerSuccess(ruleOfDay)
            : rule.kind === 'IDLE_CAPACITY' || rule.kind === 'CAPACITY_EXHAUSTED'
              ? await evaluateCapacity(ruleOfDay)
              : await evaluateCustomers(ruleOfDay);
    if (judgements === null) return day;
    const found = { rule, states, judgements, judgedThrough: windowOf(day).end };
    states = await applyJudgements(dependencies, { ...found, judgements: worthKeeping(found) }, organization.at);
  }
  return null;
}

/**
 * A rule may name something that no longer exists, or need more data than one read may add up. That is reported, and
 * the other rules continue.
 */
async function tolerant({ log }: Dependencies, rule: AlertRuleRow, judge: () => Promise<void>): Promise<string[]> {
  try {
    await judge();
    return [];
  } catch (error) {
    if (!isRefusal(error)) throw error;
    log.warn(
      { organizationId: rule.organizationId, ruleId: rule.id, code: error.code },
      'A rule could not be evaluated',
    );
    return [`${rule.name}: ${error.message}`];
  }
}

function toRuleAt(
  { organizationId, at, previousAt }: OrganizationAt,
  rule: AlertRuleRow,
  states: readonly OwnedState[],
  read: ReadGraph,
): RuleAt {
  const going = states.filter((state) => isOfParameters(state, rule.parameters));
  return { organizationId, rule, read, at, previousAt, states: new Map(going.map((state) => [state.groupKey, state])) };
}

function statesOf({ id }: AlertRuleRow, states: readonly OwnedState[]): OwnedState[] {
  return states.filter(({ ruleId }) => ruleId === id);
}

/** End of the last day judged under these parameters, in milliseconds; null if none. */
function progressOf(rule: AlertRuleRow, states: readonly OwnedState[]): number | null {
  const progress = statesOf(rule, states).find(({ groupKey }) => groupKey === PROGRESS);
  if (!progress || !isOfParameters(progress, rule.parameters) || progress.judgedThrough === null) return null;
  return Date.parse(progress.judgedThrough);
}
