/**
 * Which tokens each ledger entry brings: the first one those of the event's first report, a correction for a later report the difference to
 * the report before it. The event itself holds the counts that stand (decision 76).
 */
import { byTokens, tokensOf, type TokenCounts } from '../../../schema/token-classes.ts';
import type { ReplacedCounts } from '../ledger/cost-entry-explanation.ts';

/** Null where neither report has the class. */
export function tokenDifference({ before, after }: ReplacedCounts): TokenCounts {
  return byTokens<number, number | null>((name) => {
    const [from, to] = [before[tokensOf(name)], after[tokensOf(name)]];
    return from === null && to === null ? null : (to ?? 0) - (from ?? 0);
  });
}

/**
 * SQL over the entry `c` and its event `e`, of the organization that `organization` names: the counts that the entry's correction replaced, and of
 * a first entry those that the first correction replaced; null where the event's own counts hold.
 */
export function replacedCounts(organization: string): string {
  return `
    case when c.cause = 'reported' then c.explanation -> 'counts'
      when c.sequence = 0 and e.revised_at is not null then (
        select first.explanation -> 'counts' from cost_entry first
        where first.organization_id = ${organization} and first.event_id = c.event_id and first.cause = 'reported'
        order by first.sequence limit 1)
    end`;
}
