/**
 * Writes the results of an evaluation: states, episodes and deliveries, in one transaction. If the process ends before
 * the commit, nothing has changed and the next evaluation finds the same again.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import {
  closeEpisode,
  type EpisodeRow,
  insertEpisode,
  listOpenEpisodes,
  raiseEpisode,
} from '../episodes/alert-episode.table.ts';
import { deleteStates, listStates, type OwnedState, saveStates } from '../episodes/alert-state.table.ts';
import { type GroupState, isOfParameters, nextState, type Transition } from '../episodes/next-state.ts';
import { enqueueDeliveries } from '../deliveries/enqueue-deliveries.step.ts';
import type { AlertRuleRow } from '../rules/alert-rule.table.ts';
import type { Evidence } from '../figures/evidence.ts';
import { isMuted } from '../rules/alert-rule-view.ts';
import type { GroupJudgement } from './judged.ts';
import { lockEvaluation } from './organization-evaluation.table.ts';

/** `appUrl`: base URL of the pages that messages link to. */
export interface Writing {
  readonly database: Database;
  readonly appUrl: string;
}

export interface FoundByRule {
  readonly rule: AlertRuleRow;
  /** The rule's states when the figures were read. */
  readonly states: readonly OwnedState[];
  readonly judgements: readonly GroupJudgement[];
  /** For a rule judged by day: the end of the day, stored even if no group has a state. */
  readonly judgedThrough: string | null;
}

/** Group key under which a rule judged by day stores its progress. */
export const PROGRESS = '';

/**
 * Returns the rule's current states. Returns null and writes nothing if another process has judged since: its result
 * is kept.
 */
export function applyJudgements(
  { database, appUrl }: Writing,
  found: FoundByRule,
  at: Date,
): Promise<OwnedState[] | null> {
  const { rule, judgements } = found;
  const { organizationId } = rule;
  return database.system(async (tx) => {
    await lockEvaluation(tx, organizationId);
    const current = (await listStates(tx, [organizationId])).filter(({ ruleId }) => ruleId === rule.id);
    if (!areSame(current, found.states)) return null;
    const episodes = (await listOpenEpisodes(tx, [organizationId])).filter(({ ruleId }) => ruleId === rule.id);
    const open = new Map(episodes.map((episode) => [episode.groupKey, episode]));
    const begins = current.some((state) => !isOfParameters(state, rule.parameters));
    if (begins) {
      await deleteStates(tx, organizationId, rule.id);
      for (const episode of episodes) await endEpisode({ tx, appUrl, rule, at }, episode, 'RULE_CHANGED');
      open.clear();
    }
    const states = new Map<string, OwnedState>();
    for (const one of judgements) {
      const { groupKey } = one;
      const { state, transition } = nextState(rule.parameters, open.has(groupKey), one.judgement);
      states.set(groupKey, { organizationId, ruleId: rule.id, groupKey, ...state });
      if (transition) await write({ tx, appUrl, rule, at }, one, open.get(groupKey) ?? null, transition);
    }
    const changed = withProgress(found, states);
    await saveStates(tx, [...changed.values()], at);
    const kept = begins ? [] : current.filter(({ groupKey }) => !changed.has(groupKey));
    return [...kept, ...changed.values()];
  });
}

/** Closes the episodes and deletes the states of a rule that is no longer in use. */
export function endRule({ database, appUrl }: Writing, rule: AlertRuleRow, at: Date): Promise<void> {
  const { organizationId, id } = rule;
  return database.system(async (tx) => {
    await lockEvaluation(tx, organizationId);
    const episodes = (await listOpenEpisodes(tx, [organizationId])).filter(({ ruleId }) => ruleId === id);
    for (const episode of episodes) await endEpisode({ tx, appUrl, rule, at }, episode, 'RULE_DELETED');
    await deleteStates(tx, organizationId, id);
  });
}

function areSame(current: readonly OwnedState[], read: readonly OwnedState[]): boolean {
  const sorted = (states: readonly OwnedState[]) =>
    states.toSorted((one, other) => (one.groupKey < other.groupKey ? -1 : 1));
  return isDeepStrictEqual(sorted(current), sorted(read));
}

function withProgress({ rule, judgedThrough }: FoundByRule, states: Map<string, OwnedState>): Map<string, OwnedState> {
  if (judgedThrough === null) return states;
  const { organizationId, id: ruleId, parameters } = rule;
  const known = states.get(PROGRESS);
  const none: GroupState = { state: 'ok', counters: { parameters, memory: null }, judgedThrough };
  return states.set(PROGRESS, { organizationId, ruleId, groupKey: PROGRESS, ...(known ?? none), judgedThrough });
}

/** Context for writing one transition in the evaluation's transaction. */
interface Write {
  readonly tx: WriteTransaction;
  readonly appUrl: string;
  readonly rule: AlertRuleRow;
  readonly at: Date;
}

async function write(
  context: Write,
  { groupKey, groupName, severity, evidence }: GroupJudgement,
  open: EpisodeRow | null,
  transition: Transition,
): Promise<void> {
  const { tx, rule, at } = context;
  if (transition.kind === 'opened') {
    const episode: EpisodeRow = {
      organizationId: rule.organizationId,
      id: uuidsV7(1)[0] ?? '',
      ruleId: rule.id,
      ruleName: rule.name,
      kind: rule.kind,
      scope: rule.scope,
      groupKey,
      groupName,
      severity,
      level: transition.level,
      openedAt: at.toISOString(),
      closedAt: null,
      closedReason: null,
      evidence,
      acknowledgedAt: null,
      acknowledgedBy: null,
    };
    await insertEpisode(tx, episode);
    return deliver(context, episode, 'opened', evidence);
  }
  if (open === null) return;
  if (transition.kind === 'closed') {
    await closeEpisode(tx, open, at, transition.reason);
    return deliver(context, open, 'closed', evidence);
  }
  const raised = { ...open, severity, evidence, level: transition.level };
  await raiseEpisode(tx, raised, transition.level);
  // The message reports what is new: a forecast has no level.
  return deliver(context, { ...raised, level: transition.news }, 'level', evidence);
}

/** Everyone who was notified of the start is notified of the end, whatever its reason. */
async function endEpisode(context: Write, episode: EpisodeRow, reason: 'RULE_CHANGED' | 'RULE_DELETED'): Promise<void> {
  await closeEpisode(context.tx, episode, context.at, reason);
  const sentence = `The rule was ${reason === 'RULE_CHANGED' ? 'changed' : 'deleted'}. ${episode.evidence.sentence}`;
  await deliver(context, episode, 'closed', { ...episode.evidence, sentence });
}

/** Sends nothing for a muted rule or a rule without channels. */
async function deliver(
  { tx, appUrl, rule, at }: Write,
  { id: episodeId, level }: EpisodeRow,
  transition: Transition['kind'],
  { sentence, path }: Evidence,
): Promise<void> {
  if (isMuted(rule, at) || rule.channelIds.length === 0) return;
  const { id: ruleId, name: ruleName, kind, channelIds, organizationId } = rule;
  const alert = { episodeId, ruleId, ruleName, kind, transition, level, sentence, path, at, channelIds };
  await enqueueDeliveries(tx, organizationId, alert, appUrl);
}
