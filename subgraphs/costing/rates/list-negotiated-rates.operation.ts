/** Lists the organization's negotiated rates, with past and future versions. */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { NegotiatedRate } from '../resolvers.generated.ts';
import { findOwnCards, versionAt } from './rated-card.query.ts';
import { toVersionView } from './rate-card-view.ts';

/** The organization's own rates, sorted by model, newest version first. */
export async function listNegotiatedRates(context: SubgraphContext): Promise<NegotiatedRate[]> {
  const organizationId = organizationOf(context);
  const cards = await context.database.write(organizationId, (tx) => findOwnCards(tx, organizationId));
  const at = now().getTime();
  return cards
    .filter(({ versions }) => versions.length > 0)
    .toSorted((one, other) => (one.modelSlug < other.modelSlug ? -1 : 1))
    .map((card) => {
      const current = versionAt(card, at);
      return {
        rateCardId: card.id,
        modelSlug: card.modelSlug,
        providerSlug: card.providerSlug,
        isInForce: current !== null,
        versions: card.versions.toReversed().map(toVersionView),
      };
    });
}
