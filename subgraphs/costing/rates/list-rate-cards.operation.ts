/** Rate cards that the organization may use, with their history. */
import { type PageInput, parsePage, toConnection } from '../../../kernel/page-cursor.ts';
import { now } from '../../../platform/clock.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import type { RateCardConnection, RateCardFilter } from '../resolvers.generated.ts';
import { toRateCardView } from './rate-card-view.ts';
import { countCards, listCards, versionAt } from './rated-card.query.ts';

const CARDS_MAX = 200;

export async function listRateCards(
  context: SubgraphContext,
  { filter, ...input }: PageInput & { readonly filter?: RateCardFilter | null | undefined },
): Promise<RateCardConnection> {
  const organizationId = organizationOf(context);
  const page = parsePage(input, CARDS_MAX);
  const wanted = {
    organizationId,
    search: filter?.search ?? null,
    provider: filter?.provider ?? null,
    isOwn: filter?.isNegotiated ?? null,
  };
  const { cards, totalCount } = await context.database.read(organizationId, async (tx) => ({
    cards: await listCards(tx, wanted, page),
    totalCount: await countCards(tx, wanted),
  }));
  const atMs = now().getTime();
  const nodes = cards.map((card) => toRateCardView(card, versionAt(card, atMs)));
  return toConnection(nodes, totalCount, page);
}
