/** Reads the credits in the books, and what they paid for on each day. */
import { type DataOf, graphql } from '#schema/graphql.ts';
import type { ReadGraph } from './graph-reader.step.ts';

const CREDITS = graphql('query CreditsOfBooks { providerCredits { provider left isInForce } }');
const USED = graphql(`query UsedCreditsOfBooks($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) { usedCredits { days { day provider used } } }
}`);

export async function readOwnCredits(read: ReadGraph): Promise<DataOf<'CreditsOfBooks'>['providerCredits']> {
  return (await read(CREDITS, {})).providerCredits;
}

/** Credits used in a half-open range of UTC days. */
export async function readUsedCredits(
  read: ReadGraph,
  from: string,
  until: string,
): Promise<DataOf<'UsedCreditsOfBooks'>['window']['usedCredits']['days']> {
  const { window } = await read(USED, { start: `${from}T00:00:00Z`, end: `${until}T00:00:00Z` });
  return window.usedCredits.days;
}
