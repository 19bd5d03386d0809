/** The rates that an organization has for itself, with what they were and will be. */
import { plain } from '../../../kernel/money.ts';
import { now } from '../../../platform/clock.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { TOKEN_CLASS_NAMES, wireName } from '../../../schema/token-classes.ts';
import type { NegotiatedRate } from '../resolvers.generated.ts';
import { findOwnCards, versionAt } from './rated-card.query.ts';
import { unitInWords } from './rate-card-version.ts';

/** By model; of each the newest version first. */
export async function listNegotiatedRates(context: SubgraphContext): Promise<NegotiatedRate[]> {
  const organizationId = organizationOf(context);
  const cards = await context.database.forOrganization(organizationId, (em) => findOwnCards(em, organizationId));
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
        versions: card.versions.toReversed().map(({ fromMs, toMs, version }) => ({
          effectiveFrom: fromMs === null ? null : new Date(fromMs),
          effectiveTo: toMs === null ? null : new Date(toMs),
          unit: unitInWords(version),
          prices: [
            ...TOKEN_CLASS_NAMES.flatMap((name) => {
              const rate = version.rates[name];
              return rate === null ? [] : [{ name: wireName(name), price: plain(rate) }];
            }),
            ...(version.perUnit === null ? [] : [{ name: 'unit', price: plain(version.perUnit) }]),
            ...Object.entries(version.unitPrices).map(([name, price]) => ({ name, price: plain(price) })),
          ],
        })),
      };
    });
}
