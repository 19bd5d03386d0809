/** Returns one rate card that the organization may use, with its history. */
import { isUuid } from '#kernel/uuid.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { requireGrant } from '#platform/subgraph/require-grant.ts';
import { fail } from '#kernel/errors.ts';
import type { RateCard } from '../resolvers.generated.ts';
import { toRateCardView } from './rate-card-view.ts';
import { findCardsById, versionAt } from './rated-card.query.ts';

/** Fails with `NOT_FOUND` if the card does not exist or belongs to another organization. */
export async function getRateCard(context: SubgraphContext, id: string): Promise<RateCard> {
  requireGrant(context, ['costs:read', 'operator']);
  const organizationId = organizationOf(context);
  const [card] = isUuid(id)
    ? await context.database.snapshot(organizationId, (tx) => findCardsById(tx, organizationId, id))
    : [];
  return card
    ? toRateCardView(organizationId, card, versionAt(card, now().getTime()))
    : fail('NOT_FOUND', 'Unknown rate card');
}
