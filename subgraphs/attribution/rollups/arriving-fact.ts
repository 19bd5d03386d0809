/** A fact of the feed on its way into the database, and the end users that came with it. */
import { endUserId } from '../../../kernel/end-user-id.ts';
import type { CostFact, PricedBatch } from '../../../schema/priced-feed.ts';

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
}

export function arrivingFacts(batches: readonly PricedBatch[]): ArrivingFact[] {
  return batches.flatMap(({ organizationId, facts }) =>
    facts.map((fact) => ({
      ...fact,
      organizationId,
      endUserId: fact.endUserExternalId === null ? null : endUserId(organizationId, fact.endUserExternalId),
    })),
  );
}

/** Everyone whom the batches name; a fact's own end user is among them even where the list forgot it. */
export function arrivingEndUsers(batches: readonly PricedBatch[]): ArrivingEndUser[] {
  return batches.flatMap(({ organizationId, facts, endUsers }) => [
    ...endUsers.map(({ externalId, firstSeenAt }) => ({
      organizationId,
      id: endUserId(organizationId, externalId),
      externalId,
      firstSeenAt,
    })),
    ...facts.flatMap(({ endUserExternalId: externalId, eventTime }) =>
      externalId === null
        ? []
        : [{ organizationId, id: endUserId(organizationId, externalId), externalId, firstSeenAt: eventTime }],
    ),
  ]);
}
