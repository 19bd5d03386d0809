/** A fact of the feed before it is written, and the end users delivered with it. */
import type { EndUserId, OrganizationId } from '#kernel/ids.ts';
import { endUserId } from '#kernel/end-user-id.ts';
import type { CostFact, SeenEndUser } from '#schema/priced-feed.ts';

/** Facts and end users of one organization. */
export interface Portion {
  readonly organizationId: OrganizationId;
  readonly facts: readonly CostFact[];
  readonly endUsers: readonly SeenEndUser[];
}

export interface ArrivingFact extends CostFact {
  readonly organizationId: OrganizationId;
  readonly endUserId: EndUserId | null;
}

export interface ArrivingEndUser {
  readonly organizationId: OrganizationId;
  readonly id: string;
  readonly externalId: string;
  /** ISO 8601 UTC. */
  readonly firstSeenAt: string;
  /** Id of the end user that it replaces. */
  readonly replaces?: string | undefined;
}

/**
 * Adds organization and end user to the fact objects themselves: thousands are held at a time, and copying would
 * double them.
 */
export function arrivingFacts(portions: readonly Portion[]): ArrivingFact[] {
  const arriving: ArrivingFact[] = [];
  for (const portion of portions) {
    const { organizationId } = portion;
    for (const fact of portion.facts) {
      const { endUserExternalId: externalId } = fact;
      const endUserId = externalId === null ? null : idWithin(portion, externalId);
      arriving.push(Object.assign(fact, { organizationId, endUserId }));
    }
  }
  return arriving;
}

/** All end users of the portions. A fact's end user is included even if the list omits it. */
export function arrivingEndUsers(portions: readonly Portion[]): ArrivingEndUser[] {
  const arriving: ArrivingEndUser[] = [];
  for (const portion of portions) {
    for (const endUser of portion.endUsers) arriving.push(arrivingEndUser(portion, endUser));
    for (const { endUserExternalId: externalId, eventTime: firstSeenAt } of portion.facts)
      if (externalId !== null) arriving.push(arrivingEndUser(portion, { externalId, firstSeenAt }));
  }
  return arriving;
}

/**
 * End users of the portions, each once with the earliest time, provided that costing wrote the times in one format. An
 * end user that replaces others is listed once for each of them.
 */
export function earliestEndUsers(portions: readonly Portion[]): ArrivingEndUser[] {
  const arriving: ArrivingEndUser[] = [];
  for (const portion of portions) {
    const earliest = new Map<string, string>();
    const see = (endUser: SeenEndUser): void => {
      const { externalId, firstSeenAt, replaces } = endUser;
      const known = earliest.get(externalId);
      if (replaces !== undefined || !CANONICAL.test(firstSeenAt)) arriving.push(arrivingEndUser(portion, endUser));
      else if (known === undefined || firstSeenAt < known) earliest.set(externalId, firstSeenAt);
    };
    for (const endUser of portion.endUsers) see(endUser);
    for (const { endUserExternalId: externalId, eventTime: firstSeenAt } of portion.facts)
      if (externalId !== null) see({ externalId, firstSeenAt });
    for (const [externalId, firstSeenAt] of earliest)
      arriving.push(arrivingEndUser(portion, { externalId, firstSeenAt }));
  }
  return arriving;
}

const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

function arrivingEndUser(portion: Portion, { externalId, firstSeenAt, replaces }: SeenEndUser): ArrivingEndUser {
  return {
    organizationId: portion.organizationId,
    id: idWithin(portion, externalId),
    externalId,
    firstSeenAt,
    replaces,
  };
}

/** Cached ids by portion, since many facts of a portion name the same end user. */
const idsOf = new WeakMap<Portion, Map<string, string>>();

function idWithin(portion: Portion, externalId: string): string {
  const ids = idsOf.get(portion) ?? new Map<string, string>();
  if (ids.size === 0) idsOf.set(portion, ids);
  const id = ids.get(externalId) ?? endUserId(portion.organizationId, externalId);
  ids.set(externalId, id);
  return id;
}
