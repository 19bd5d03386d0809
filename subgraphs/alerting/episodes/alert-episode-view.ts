/** An episode as the schema describes it, and the scopes whose episodes a caller may read. */
import type { Principal } from '#platform/principal.ts';
import type { AlertEpisode } from '../resolvers.generated.ts';
import { maySee } from '../rules/alert-rule-view.ts';
import type { RuleScope } from '../rules/rule-parameters.ts';
import type { EpisodeRow } from './alert-episode.table.ts';

/** The rule and the notes have their own resolvers. */
export type AlertEpisodeView = Omit<AlertEpisode, 'rule' | 'notes'>;

export function toAlertEpisodeView(episode: EpisodeRow): AlertEpisodeView {
  const { evidence } = episode;
  return {
    id: episode.id,
    ruleId: episode.ruleId,
    ruleName: episode.ruleName,
    kind: episode.kind,
    state: episode.closedAt === null ? 'OPEN' : 'CLOSED',
    groupKey: episode.groupKey,
    groupName: episode.groupName,
    severity: episode.severity,
    level: episode.level,
    openedAt: episode.openedAt,
    closedAt: episode.closedAt,
    closedReason: episode.closedReason,
    acknowledgedAt: episode.acknowledgedAt,
    acknowledgedBy: episode.acknowledgedBy,
    sentence: evidence.sentence,
    figures: [...evidence.figures],
    windowStart: evidence.windowStart,
    windowEnd: evidence.windowEnd,
    computedAt: evidence.computedAt,
    query: evidence.query,
    path: evidence.path,
  };
}

/** The scopes of rules whose figures the caller may read. */
export function scopesOf(principal: Pick<Principal, 'grants'>): RuleScope[] {
  return (['costs:read', 'revenue:read'] as const).filter((scope) => maySee(principal, { scope }));
}
