/** A rule as the schema describes it. */
import type { Principal } from '#platform/principal.ts';
import type { AlertRule } from '../resolvers.generated.ts';
import type { AlertRuleRow } from './alert-rule.table.ts';

export function toAlertRuleView(rule: AlertRuleRow, now: Date): AlertRule {
  const { parameters } = rule;
  const { filter } = parameters;
  return {
    id: rule.id,
    kind: rule.kind,
    name: rule.name,
    filter: filter
      ? {
          endUser: filter.endUser ?? null,
          agent: filter.agent ?? null,
          model: filter.model ?? null,
          provider: filter.provider ?? null,
          dimensions: [...(filter.dimensions ?? [])],
        }
      : null,
    outcome: parameters.outcome ?? null,
    groupBy: parameters.groupBy ?? null,
    groupByDimension: parameters.groupByDimension ?? null,
    metric: parameters.metric ?? null,
    comparator: parameters.comparator ?? null,
    value: parameters.value ?? null,
    windowHours: parameters.windowHours ?? null,
    windowDays: parameters.windowDays ?? null,
    period: parameters.period ?? null,
    amount: parameters.amount ?? null,
    levels: parameters.levels ? [...parameters.levels] : null,
    withForecast: parameters.withForecast ?? null,
    floor: parameters.floor ?? null,
    channelIds: rule.channelIds,
    isBuiltIn: rule.isBuiltIn,
    isMuted: isMuted(rule, now),
    mutedUntil: !rule.muted && rule.mutedUntil !== null && rule.mutedUntil > now ? rule.mutedUntil : null,
    createdAt: rule.createdAt,
    updatedAt: rule.updatedAt,
    createdBy: rule.createdBy,
  };
}

/** True if the rule's episodes are not delivered. */
export function isMuted({ muted, mutedUntil }: Pick<AlertRuleRow, 'muted' | 'mutedUntil'>, now: Date): boolean {
  return muted || (mutedUntil !== null && mutedUntil > now);
}

/**
 * True if the caller may see the rule's figures. Owners, admins and operators can change every rule, so they see all.
 */
export function maySee({ grants }: Pick<Principal, 'grants'>, { scope }: Pick<AlertRuleRow, 'scope'>): boolean {
  return ['operator', 'owner', 'admin', scope].some((grant) => grants.includes(grant));
}
