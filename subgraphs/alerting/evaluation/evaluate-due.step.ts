/** One step of the round: evaluates a limited number of due organizations, several concurrently. */
import type { OrganizationId } from '#kernel/ids.ts';
import { later, MINUTE_MS } from '#kernel/time/duration.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Log } from '#platform/log.ts';
import { EVALUATION_SECONDS, ORGANIZATIONS_AT_ONCE, ORGANIZATIONS_PER_STEP, RETRY_MINUTES_MAX } from '../config.ts';
import { listOpenEpisodes } from '../episodes/alert-episode.table.ts';
import { listStates, type OwnedState } from '../episodes/alert-state.table.ts';
import { readerOf } from '../figures/graph-reader.step.ts';
import { type AlertRuleRow, listRulesOf } from '../rules/alert-rule.table.ts';
import { ownRules } from '../rules/own-rules.step.ts';
import { endRule, type Writing } from './apply-judgements.step.ts';
import { evaluateRules } from './evaluate-rules.step.ts';
import {
  claimDueOrganizations,
  type DueOrganization,
  type EvaluatedOrganization,
  keepEvaluations,
} from './organization-evaluation.table.ts';

export interface EvaluationDependencies extends Writing {
  readonly gateway: GatewayClient;
  readonly log: Log;
}

/** Returns the number of due organizations. One whose evaluation fails is retried and does not delay the others. */
export async function evaluateDue(dependencies: EvaluationDependencies, at: Date): Promise<number> {
  const { database } = dependencies;
  const claimed = await database.system((tx) => claim(tx, at));
  if (claimed === null) return 0;
  const { places, rules, states, left } = claimed;
  const kept: EvaluatedOrganization[] = [];
  const waiting = [...places];
  const work = async () => {
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
      const { organizationId } = place;
      for (const rule of left.get(organizationId) ?? []) await endRule(dependencies, rule, at);
      const own = { rules: rules.get(organizationId) ?? [], states: states.get(organizationId) ?? [] };
      const outcome = await evaluateOrganization(dependencies, place, own, at);
      if (outcome !== null) kept.push(outcome);
    }
  };
  await Promise.all(Array.from({ length: ORGANIZATIONS_AT_ONCE }, work));
  await database.system((tx) => keepEvaluations(tx, kept));
  return places.length;
}

interface Claimed {
  readonly places: readonly DueOrganization[];
  readonly rules: ReadonlyMap<string, AlertRuleRow[]>;
  readonly states: ReadonlyMap<string, OwnedState[]>;
  /** Deleted rules that still have states or open episodes. */
  readonly left: ReadonlyMap<string, AlertRuleRow[]>;
}

/** Null if no organization is due. */
async function claim(tx: WriteTransaction, at: Date): Promise<Claimed | null> {
  const places = await claimDueOrganizations(tx, at, later(at, EVALUATION_SECONDS), ORGANIZATIONS_PER_STEP);
  if (places.length === 0) return null;
  // An organization that was never evaluated gets its built-in rules now.
  for (const { organizationId, evaluatedAt } of places)
    if (evaluatedAt === null) await ownRules(tx, organizationId, at);
  const ids = places.map(({ organizationId }) => organizationId);
  const states = await listStates(tx, ids);
  const episodes = await listOpenEpisodes(tx, ids);
  const all = await listRulesOf(tx, ids);
  const named = new Set([...states, ...episodes].map(({ organizationId, ruleId }) => `${organizationId} ${ruleId}`));
  return {
    places,
    rules: byOrganization(all.filter(({ deletedAt }) => deletedAt === null)),
    states: byOrganization(states),
    left: byOrganization(
      all.filter(({ deletedAt, organizationId, id }) => deletedAt !== null && named.has(`${organizationId} ${id}`)),
    ),
  };
}

function byOrganization<Row extends { readonly organizationId: OrganizationId }>(
  rows: readonly Row[],
): Map<string, Row[]> {
  return Map.groupBy(rows, ({ organizationId }) => organizationId);
}

/** Null if the row stays as it was claimed. */
async function evaluateOrganization(
  dependencies: EvaluationDependencies,
  { organizationId, evaluatedAt, isDailyDue, attempt, waitingFor }: DueOrganization,
  own: { readonly rules: readonly AlertRuleRow[]; readonly states: readonly OwnedState[] },
  at: Date,
): Promise<EvaluatedOrganization | null> {
  const { gateway, log } = dependencies;
  const previousAt = evaluatedAt === null ? null : new Date(evaluatedAt);
  try {
    const organization = { organizationId, ...own, at, previousAt, isDailyDue };
    const evaluated = await evaluateRules(dependencies, organization, readerOf(gateway, organizationId));
    const isSame = evaluated.dailyDueAt === null && evaluated.waitingFor === waitingFor && attempt === 0;
    return isSame ? null : { organizationId, ...evaluated, attempt: 0, dueAt: null };
  } catch (error) {
    log.warn({ err: error, organizationId, attempt }, 'The alert rules of an organization could not be evaluated');
    const minutes = Math.min(2 ** attempt, RETRY_MINUTES_MAX);
    return {
      organizationId,
      dailyDueAt: null,
      waitingFor: 'Figures could not be read; trying again later',
      attempt: Math.min(attempt + 1, RETRY_MINUTES_MAX),
      dueAt: new Date(at.getTime() + minutes * MINUTE_MS),
    };
  }
}
