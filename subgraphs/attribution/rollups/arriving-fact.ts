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
  return portions.flatMap(({ organizationId, facts }) =>
    facts.map((fact) => ({
      ...fact,
      organizationId,
      endUserId: fact.endUserExternalId === null ? null : endUserId(organizationId, fact.endUserExternalId),
    })),
  );
}

/** Everyone whom they name; a fact's own end user is among them even where the list forgot it. */
export function arrivingEndUsers(portions: readonly Portion[]): ArrivingEndUser[] {
  return portions.flatMap(({ organizationId, facts, endUsers }) => [
    ...endUsers.map(({ externalId, firstSeenAt, replaces }) => ({
      organizationId,
      id: endUserId(organizationId, externalId),
      externalId,
      firstSeenAt,
      replaces,
    })),
    ...facts.flatMap(({ endUserExternalId: externalId, eventTime }) =>
      externalId === null
        ? []
        : [{ organizationId, id: endUserId(organizationId, externalId), externalId, firstSeenAt: eventTime }],
    ),
  ]);
}
