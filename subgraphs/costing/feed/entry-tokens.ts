/**
 * Tokens of each ledger entry: for the first entry, the tokens of the event's first report; for a correction by a
 * later report, the difference from the report before it. The event itself has the current counts (decision 76).
 */
import { byTokens, tokensOf, type TokenCounts } from '#schema/token-classes.ts';
import type { ReplacedCounts } from '../ledger/cost-entry-explanation.ts';

/** Null if neither report has the class. */
export function tokenDifference({ before, after }: ReplacedCounts): TokenCounts {
  return byTokens<number, number | null>((name) => {
    const [from, to] = [before[tokensOf(name)], after[tokensOf(name)]];
    return from === null && to === null ? null : (to ?? 0) - (from ?? 0);
  });
}

/**
 * SQL for the replaced counts of entry `c` of event `e`, in the organization given by `organization`. For a correction,
 * the counts it replaced; for a first entry, the counts that the first correction replaced; null if the event's own
 * counts apply.
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
