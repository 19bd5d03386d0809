/** A fact of the feed on its way into the database, and the end users that came with it. */
import { endUserId } from '../../../kernel/end-user-id.ts';
import type { CostFact, SeenEndUser } from '../../../schema/priced-feed.ts';

/** Facts and end users of one organization. */
export interface Portion {
  readonly organizationId: string;
  readonly facts: readonly CostFact[];
  readonly endUsers: readonly SeenEndUser[];
}

export interface ArrivingFact extends CostFact {
  readonly organizationId: string;
  readonly endUserId: string | null;
}

export interface ArrivingEndUser {
  readonly organizationId: string;
  readonly id: string;
  readonly externalId: string;
  /** ISO 8601 UTC. */
  readonly firstSeenAt: string;
  /** Id of the end user whose place it takes. */
  readonly replaces?: string | undefined;
}

export function arrivingFacts(portions: readonly Portion[]): ArrivingFact[] {
  return portions.flatMap(({ organizationId, facts }) => {
    const idOf = endUserIds(organizationId);
    return facts.map((fact) => ({
      ...fact,
      organizationId,
      endUserId: fact.endUserExternalId === null ? null : idOf(fact.endUserExternalId),
    }));
  });
}

/** Many facts name the same end user. */
function endUserIds(organizationId: string): (externalId: string) => string {
  const ids = new Map<string, string>();
  return (externalId) => {
    const id = ids.get(externalId) ?? endUserId(organizationId, externalId);
    ids.set(externalId, id);
    return id;
  };
}

/** Everyone whom they name; a fact's own end user is among them even where the list forgot it. */
export function arrivingEndUsers(portions: readonly Portion[]): ArrivingEndUser[] {
  return portions.flatMap(({ organizationId, facts, endUsers }) => {
    const idOf = endUserIds(organizationId);
    return [
      ...endUsers.map(({ externalId, firstSeenAt, replaces }) => ({
        organizationId,
        id: idOf(externalId),
        externalId,
        firstSeenAt,
        replaces,
      })),
      ...facts.flatMap(({ endUserExternalId: externalId, eventTime }) =>
        externalId === null ? [] : [{ organizationId, id: idOf(externalId), externalId, firstSeenAt: eventTime }],
      ),
    ];
  });
}

/** The same, each once with the least time where costing wrote all times alike; one who takes another's place comes for each. */
export function earliestEndUsers(portions: readonly Portion[]): ArrivingEndUser[] {
  return portions.flatMap((portion) => {
    const earliest = new Map<string, ArrivingEndUser>();
    const others: ArrivingEndUser[] = [];
    for (const one of arrivingEndUsers([portion])) {
      const known = earliest.get(one.id);
      if (one.replaces !== undefined || !CANONICAL.test(one.firstSeenAt)) others.push(one);
      else if (known === undefined || one.firstSeenAt < known.firstSeenAt) earliest.set(one.id, one);
    }
    return [...others, ...earliest.values()];
  });
}

const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
