/** Result of evaluating a rule: a judgement per group, with its evidence. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Evidence } from '../figures/evidence.ts';
import type { GroupState, Judgement } from '../episodes/next-state.ts';
import type { ReadGraph } from '../figures/graph-reader.step.ts';
import type { AlertRuleRow } from '../rules/alert-rule.table.ts';

export interface GroupJudgement {
  /** Empty for a rule without groups. */
  readonly groupKey: string;
  /** Display name; null for a rule without groups. */
  readonly groupName: string | null;
  readonly judgement: Judgement;
  readonly severity: 'WARNING' | 'CRITICAL';
  readonly evidence: Evidence;
}

/** One rule at one instant. */
export interface RuleAt {
  readonly organizationId: OrganizationId;
  readonly rule: Pick<AlertRuleRow, 'id' | 'kind' | 'name' | 'parameters'>;
  readonly read: ReadGraph;
  readonly at: Date;
  /** Time of the previous evaluation; null if there was none. */
  readonly previousAt: Date | null;
  /** States that belong to the rule's current parameters, by group. */
  readonly states: ReadonlyMap<string, GroupState>;
}

/** One rule for one settled day. */
export interface RuleOfDay extends RuleAt {
  /** `YYYY-MM-DD`. */
  readonly day: string;
}

/** The memory stored by this kind's detection. */
export function memoryOf<Memory>({ states }: Pick<RuleAt, 'states'>, groupKey: string): Memory | null {
  return (states.get(groupKey)?.counters.memory ?? null) as Memory | null;
}

/** Groups with a state other than `ok`, which the figures may no longer contain. */
export function unsettledGroups({ states }: Pick<RuleAt, 'states'>): string[] {
  return [...states].flatMap(([groupKey, { state }]) => (state === 'ok' ? [] : [groupKey]));
}

/** A judgement without a level. */
export function plainJudgement(
  verdict: Pick<Judgement, 'state' | 'memory' | 'end'>,
  judgedThrough: string | null = null,
): Judgement {
  const { state, memory, end } = verdict;
  return { state, memory, end, judgedThrough, level: null, news: null };
}
