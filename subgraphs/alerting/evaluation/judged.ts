/** What the evaluation of a rule gives: a judgement of each of its groups, with what it rests on. */
import type { Evidence } from '../figures/evidence.ts';
import type { GroupState, Judgement } from '../episodes/next-state.ts';
import type { ReadGraph } from '../figures/graph-reader.step.ts';
import type { AlertRuleRow } from '../rules/alert-rule.table.ts';

export interface GroupJudgement {
  /** Empty for a rule without groups. */
  readonly groupKey: string;
  /** For people; null for a rule without groups. */
  readonly groupName: string | null;
  readonly judgement: Judgement;
  readonly severity: 'WARNING' | 'CRITICAL';
  readonly evidence: Evidence;
}

/** One rule at one moment. */
export interface RuleAt {
  readonly organizationId: string;
  readonly rule: Pick<AlertRuleRow, 'id' | 'kind' | 'name' | 'parameters'>;
  readonly read: ReadGraph;
  readonly at: Date;
  /** When it was evaluated before; null: never. */
  readonly previousAt: Date | null;
  /** As they go on under the rule's parameters, by group. */
  readonly states: ReadonlyMap<string, GroupState>;
}

/** One rule for one settled day. */
export interface RuleOfDay extends RuleAt {
  /** `YYYY-MM-DD`. */
  readonly day: string;
}

/** What the detection of this kind kept. */
export function memoryOf<Memory>({ states }: Pick<RuleAt, 'states'>, groupKey: string): Memory | null {
  return (states.get(groupKey)?.counters.memory ?? null) as Memory | null;
}

/** Groups about which something is known that figures may not name any more. */
export function unsettledGroups({ states }: Pick<RuleAt, 'states'>): string[] {
  return [...states].flatMap(([groupKey, { state }]) => (state === 'ok' ? [] : [groupKey]));
}

/** A judgement that no level belongs to. */
export function plainJudgement(
  verdict: Pick<Judgement, 'state' | 'memory' | 'end'>,
  judgedThrough: string | null = null,
): Judgement {
  const { state, memory, end } = verdict;
  return { state, memory, end, judgedThrough, level: null, news: null };
}
