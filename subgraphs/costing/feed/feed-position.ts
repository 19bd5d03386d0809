/** Reads and makes followers' positions in the feed. */
import { fail } from '../../../schema/errors.ts';
import type { FeedPosition, ReplayPlace } from '../../../schema/priced-feed.ts';
import { isUuid } from '../../../kernel/uuid.ts';

const NUMBER = /^\d{1,19}$/;
const LAST_ID = '9223372036854775807';
/** Lies before every id. */
const NO_FOLLOWER = '00000000-0000-0000-0000-000000000000';

/** What a follower sent; null when it is nowhere yet. Fails with `VALIDATION_ERROR` for what was never given out. */
export function parseFeedPosition(value: unknown): FeedPosition | null {
  if (value === null || value === undefined) return null;
  const { xid, id, unfinished, replay } = value as Partial<Record<keyof FeedPosition, unknown>>;
  if (!isNumber(xid) || !isNumber(id)) return fail('VALIDATION_ERROR', 'position must be one that the feed gave');
  return {
    xid,
    id,
    ...(unfinished === true ? { unfinished } : {}),
    ...(replay === undefined ? {} : { replay: parseReplay(replay) }),
  };
}

/**
 * Where the replay of everything after transaction `after` begins. `until` is the least transaction that may still be under way:
 * what older ones wrote is read from the ledger, the rest comes by the feed.
 */
export function beginReplay(after: string, until: string): FeedPosition & { readonly replay: ReplayPlace } {
  return {
    xid: String(BigInt(until) - 1n),
    id: LAST_ID,
    replay: { after, phase: 'entries', organizationId: NO_FOLLOWER, eventId: NO_FOLLOWER, sequence: -1 },
  };
}

function parseReplay(value: unknown): ReplayPlace {
  const { after, phase, organizationId, eventId, sequence } = value as Partial<Record<keyof ReplayPlace, unknown>>;
  const isPlace =
    isNumber(after) &&
    (phase === 'entries' || phase === 'waiting') &&
    isUuidText(organizationId) &&
    isUuidText(eventId) &&
    typeof sequence === 'number' &&
    Number.isSafeInteger(sequence);
  if (!isPlace) return fail('VALIDATION_ERROR', 'position must be one that the feed gave');
  return { after, phase, organizationId, eventId, sequence };
}

function isNumber(value: unknown): value is string {
  return typeof value === 'string' && NUMBER.test(value);
}

function isUuidText(value: unknown): value is string {
  return typeof value === 'string' && isUuid(value);
}
