/** The end users that events mention for the first time, priced or not (`schema/priced-feed.ts`). */
import type { SeenEndUser } from '#schema/priced-feed.ts';

export interface EndUserTrace {
  readonly livemode: boolean;
  readonly endUserExternalId: string | null;
  /** ISO 8601 UTC, all with the same number of fraction digits. */
  readonly eventTime: string;
}

/** Returns each end user of the live events once, with its earliest event time. */
export function seenEndUsers(events: Iterable<EndUserTrace>): SeenEndUser[] {
  const firstSeen = new Map<string, string>();
  for (const { livemode, endUserExternalId: externalId, eventTime } of events) {
    if (!livemode || externalId === null) continue;
    const known = firstSeen.get(externalId);
    if (known === undefined || eventTime < known) firstSeen.set(externalId, eventTime);
  }
  return Array.from(firstSeen, ([externalId, firstSeenAt]) => ({ externalId, firstSeenAt }));
}
