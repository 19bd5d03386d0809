/** Lists the rate cards that the organization may use, with their history. */
import { type PageInput, parsePage, toConnection } from '#kernel/page-cursor.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { RateCardConnection, RateCardFilter } from '../resolvers.generated.ts';
import { candidateNames } from '#usage/names/candidate-names.ts';
import { toRateCardView } from './rate-card-view.ts';
import { versionAt } from './rated-card.query.ts';
import { countCards, listCards } from './wanted-cards.query.ts';

const CARDS_MAX = 200;
const MODELS_MAX = 200;
const [FIRST_INSTANT, LAST_INSTANT] = [new Date('0001-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59.999Z')];

export async function listRateCards(
  context: SubgraphContext,
  { filter, ...input }: PageInput & { readonly filter?: RateCardFilter | null | undefined },
): Promise<RateCardConnection> {
  const organizationId = organizationOf(context);
  const page = parsePage(input, CARDS_MAX);
  if ((filter?.models?.length ?? 0) > MODELS_MAX)
    fail('VALIDATION_ERROR', `models must contain at most ${MODELS_MAX} models`);
  const wanted = {
    organizationId,
    search: filter?.search ?? null,
    provider: filter?.provider ?? null,
    isOwn: filter?.isNegotiated ?? null,
    names: filter?.models?.flatMap((model) => candidateNames(model).map(({ name }) => name)) ?? null,
    effective: effectiveBetween(filter ?? {}),
  };
  const { cards, totalCount } = await context.database.snapshot(organizationId, async (tx) => {
    const listed = await listCards(tx, wanted, page);
    const isWhole = page.offset === 0 && listed.length < page.limit;
    return { cards: listed, totalCount: isWhole ? listed.length : await countCards(tx, wanted) };
  });
  const atMs = now().getTime();
  const nodes = cards.map((card) => toRateCardView(organizationId, card, versionAt(card, atMs)));
  return toConnection(nodes, totalCount, page);
}

function effectiveBetween({ effectiveFrom, effectiveBefore }: RateCardFilter): { from: Date; before: Date } | null {
  if (!effectiveFrom && !effectiveBefore) return null;
  return { from: new Date(effectiveFrom ?? FIRST_INSTANT), before: new Date(effectiveBefore ?? LAST_INSTANT) };
}
