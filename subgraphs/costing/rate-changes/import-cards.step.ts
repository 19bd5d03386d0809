/** Writes the changes of a catalogue import: new cards in bulk, new versions and names of existing ones. */
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import type { CardChange, CatalogueComparison } from './compare-catalogue.ts';
import { deleteRateAliases, insertRateAliases } from '../rates/rate-alias.table.ts';
import { insertRateCards } from '../rates/rate-card.table.ts';
import { insertVersions, type NewVersion, openVersions } from '../rates/rate-card-version.table.ts';
import { GLOBAL_TENANT } from '../config.ts';

/** Applies the changes at an instant. `known` returns the id of the stored card for a draft. */
export async function importCards(
  tx: WriteTransaction,
  comparison: CatalogueComparison,
  known: (card: CardChange['draft']) => string,
  at: Date,
): Promise<void> {
  await addCards(tx, comparison.added, at);
  await openVersions(
    tx,
    comparison.changed.flatMap(({ draft, open }) =>
      open.map(({ effectiveFrom, version }) => ({
        organizationId: GLOBAL_TENANT,
        rateCardId: known(draft),
        from: effectiveFrom,
        version,
      })),
    ),
    at,
  );
  const aliases = (pick: 'add' | 'remove') =>
    comparison.renamed.flatMap((renamed) =>
      renamed[pick].map((name) => ({ organizationId: GLOBAL_TENANT, rateCardId: known(renamed.draft), name })),
    );
  await deleteRateAliases(tx, aliases('remove'));
  await insertRateAliases(tx, aliases('add'));
}

async function addCards(tx: WriteTransaction, added: CatalogueComparison['added'], at: Date): Promise<void> {
  if (added.length === 0) return;
  const ids = uuidsV7(added.length);
  const cards = added.map((change, index) => ({ ...change, id: ids[index]! }));
  await insertRateCards(
    tx,
    cards.map(({ id, draft }) => ({
      organizationId: GLOBAL_TENANT,
      id,
      providerSlug: draft.providerSlug,
      modelSlug: draft.modelSlug,
      matchKind: 'catalogue' as const,
    })),
    at,
  );
  await insertRateAliases(
    tx,
    cards.flatMap(({ id, draft }) =>
      [draft.modelSlug, ...draft.aliases].map((name) => ({ organizationId: GLOBAL_TENANT, rateCardId: id, name })),
    ),
  );
  await insertVersions(tx, cards.flatMap(timeline), at);
}

/** Ends each version where the next one begins. */
function timeline({ id, open }: CardChange & { readonly id: string }): NewVersion[] {
  const sorted = open.toSorted(
    (a, b) => (a.effectiveFrom?.getTime() ?? -Infinity) - (b.effectiveFrom?.getTime() ?? -Infinity),
  );
  const versionIds = uuidsV7(sorted.length);
  return sorted.map(({ effectiveFrom, version }, index) => ({
    organizationId: GLOBAL_TENANT,
    id: versionIds[index]!,
    rateCardId: id,
    from: effectiveFrom,
    to: sorted[index + 1]?.effectiveFrom ?? null,
    version,
  }));
}
