/** What to know before reading the overview, in plain words. */
import { showCount } from './amount.ts';
import type { OverviewFigures } from './overview-figures.ts';

export function warningsOf({ costs: { costSummary, credits }, margin }: OverviewFigures): string[] {
  const { failed, pending, pendingRateCard } = costSummary.statusCounts;
  const { creditsLeft, allotment, softLimit } = credits;
  const spent = allotment !== null && creditsLeft !== null ? allotment - creditsLeft : null;
  return [
    ...(pendingRateCard > 0 ? [`${events(pendingRateCard)} for a rate card: no known rate fits their model. They cost nothing until one arrives.`] : []),
    ...(failed > 0 ? [`${showCount(failed)} ${failed === 1 ? 'event' : 'events'} could not be priced.`] : []),
    ...(pending > 0 ? [`${events(pending)} to be priced; the figures follow within seconds.`] : []),
    ...(creditsLeft !== null && creditsLeft <= 0 ? ['The event credits are used up: new events are refused.'] : []),
    ...(spent !== null && softLimit !== null && creditsLeft !== null && creditsLeft > 0 && spent >= softLimit ? [`Only ${showCount(creditsLeft)} event credits are left.`] : []),
    ...(margin?.warnings.map(({ message }) => message) ?? []),
  ];
}

function events(count: number): string {
  return count === 1 ? 'One event waits' : `${showCount(count)} events wait`;
}
