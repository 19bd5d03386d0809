/** A scripted feed, as costing's through the gateway. */
import { randomUUID } from 'node:crypto';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type {
  CostFact,
  FeedMark,
  FeedPart,
  FeedOffset,
  LedgerPage,
  PricedBatch,
  ReplayCursor,
  SeenEndUser,
} from '#schema/priced-feed.ts';

export interface StandInFeed {
  readonly gateway: GatewayClient;
  /** Publishes one batch. */
  publish(organizationId: string, facts: readonly CostFact[], endUsers?: readonly SeenEndUser[]): void;
  /** True if the follower has acknowledged everything. */
  isTaken(): boolean;
  /** Removes the last batches of an organization and what was acknowledged of them, as if the database was restored. */
  forget(organizationId: string, batches: number): void;
  /** Limits how long an organization keeps metadata. */
  retain(organizationId: string, months: number, keepDimensions: readonly string[]): void;
}

/** Entries on one page of the ledger. */
const PAGE = 7;

export function standInFeed(): StandInFeed {
  const feeds = new Map<string, PricedBatch[]>();
  const acknowledged = new Map<string, FeedMark>();
  let retentions: readonly { organizationId: string; months: number; keepDimensions: readonly string[] }[] = [];
  const batchesOf = (organizationId: string) => feeds.get(organizationId) ?? [];
  const headOf = (organizationId: string): FeedMark | null => {
    const last = batchesOf(organizationId).at(-1);
    return last ? { number: last.number, token: last.token } : null;
  };
  const holds = (organizationId: string, { number, token }: FeedMark) =>
    number === 0 ? token === null : batchesOf(organizationId)[number - 1]?.token === token;
  const partAfter = (place: FeedOffset, acknowledges: boolean): FeedPart => {
    const { organizationId, number, token, evidence } = place;
    const isKnown = holds(organizationId, place) && (evidence === null || holds(organizationId, evidence));
    if (acknowledges) acknowledged.set(organizationId, isKnown ? { number, token } : { number: 0, token: null });
    const batches = isKnown ? batchesOf(organizationId).slice(number) : [];
    return { organizationId, head: headOf(organizationId), isKnown, batches };
  };
  const ledgerPage = (organizationId: string, cursor: ReplayCursor): LedgerPage => {
    const batches = batchesOf(organizationId);
    const head = headOf(organizationId);
    if (cursor.phase === 'waiting')
      return {
        facts: [],
        endUsers: batches.flatMap(({ endUsers }) => endUsers),
        isLastOfPhase: true,
        next: null,
        head,
      };
    const keyOf = ({ eventId, sequence }: { eventId: string; sequence: number }) =>
      `${eventId}/${String(sequence).padStart(9, ' ')}`;
    const isWithin = ({ eventTime }: CostFact) =>
      (cursor.start === undefined || Date.parse(eventTime) >= Date.parse(cursor.start)) &&
      (cursor.end === undefined || Date.parse(eventTime) < Date.parse(cursor.end));
    const facts = batches
      .flatMap((batch) => batch.facts)
      .filter((fact) => keyOf(fact) > keyOf(cursor) && isWithin(fact))
      .toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
      .slice(0, PAGE);
    const isLastOfPhase = facts.length < PAGE;
    const last = facts.at(-1);
    const next: ReplayCursor =
      isLastOfPhase || !last
        ? { ...cursor, phase: 'waiting' }
        : { ...cursor, eventId: last.eventId, sequence: last.sequence };
    return { facts, endUsers: [], isLastOfPhase, next, head };
  };
  const resolve = (variables: Record<string, unknown>): Record<string, unknown> => {
    if (variables['places']) {
      const acknowledges = variables['acknowledges'] !== false;
      return { followPricedFeed: (variables['places'] as FeedOffset[]).map((place) => partAfter(place, acknowledges)) };
    }
    if (variables['cursor'])
      return { ledgerPage: ledgerPage(String(variables['organizationId']), variables['cursor'] as ReplayCursor) };
    if (!('follower' in variables) && !('acknowledged' in variables))
      return {
        metadataRetentions: retentions.filter(
          ({ organizationId }) => organizationId > String(variables['after'] ?? ''),
        ),
      };
    const organizationIds = [...feeds.keys()].toSorted();
    if (!('acknowledged' in variables))
      return {
        feedMarks: organizationIds
          .filter((organizationId) => organizationId > String(variables['after']))
          .map((organizationId) => ({
            organizationId,
            ...(acknowledged.get(organizationId) ?? { number: 0, token: null }),
          })),
      };
    for (const { organizationId, number, token } of variables['acknowledged'] as FeedOffset[])
      acknowledged.set(organizationId, { number, token });
    const coming = new Map((variables['coming'] as FeedOffset[]).map((place) => [place.organizationId, place.token]));
    return { acknowledgeFeeds: waiting().filter((id) => coming.get(id) !== headOf(id)?.token) };
  };
  const waiting = () =>
    [...feeds.keys()]
      .toSorted()
      .filter((organizationId) => acknowledged.get(organizationId)?.token !== headOf(organizationId)?.token);
  return {
    publish(organizationId, facts, endUsers = []) {
      const batches = batchesOf(organizationId);
      feeds.set(organizationId, [...batches, { number: batches.length + 1, token: randomUUID(), facts, endUsers }]);
    },
    isTaken: () => waiting().length === 0,
    forget(organizationId, batches) {
      feeds.set(organizationId, batchesOf(organizationId).slice(0, -batches));
      const head = headOf(organizationId) ?? { number: 0, token: null };
      if ((acknowledged.get(organizationId)?.number ?? 0) > head.number) acknowledged.set(organizationId, head);
    },
    retain(organizationId, months, keepDimensions) {
      const others = retentions.filter((one) => one.organizationId !== organizationId);
      retentions = [...others, { organizationId, months, keepDimensions }].toSorted((one, other) =>
        one.organizationId < other.organizationId ? -1 : 1,
      );
    },
    gateway: {
      authenticate: async () => null,
      execute: async (_, variables) => ({
        data: JSON.parse(JSON.stringify(resolve(variables as Record<string, unknown>))) as never,
      }),
      close: async () => {},
    },
  };
}
