/** Imports a release of the price catalogue into our own tables. Imports only append, and reject implausible prices. */
import { fail } from '#kernel/errors.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { finishOperation } from '#platform/operations/run-operation.ts';
import { randomUuid } from '#platform/random.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { BUILT_IN_PUBLISHED_AT, BUILT_IN_SOURCE, readBuiltInProviders } from './built-in-catalogue.ts';
import { insertCatalogRelease } from './catalog-release.table.ts';
import { importCards } from './import-cards.step.ts';
import { beginRateChange, lockRates, readRateGeneration } from '../rates/rate-generation.table.ts';
import { GLOBAL_TENANT } from '../config.ts';
import { findCatalogueCards, type RatedCard } from '../rates/rated-card.query.ts';
import { beginRequeue, requeuedEventsOf, requeueWaitingKind } from '../pricing-queue/requeue-events.step.ts';
import { acceptHeld, type CatalogueComparison, compareCatalogue, type StoredCard } from './compare-catalogue.ts';
import { type CatalogueDocument, parseCatalogueDocument } from './parse-providers.ts';
import type { CardDraft } from '../rates/corrections/card-draft.ts';
import { correctDrafts } from '../rates/corrections/correct-drafts.ts';
import { DATED_ALIASES } from '../rates/corrections/dated-aliases.ts';
import { PRICE_CORRECTIONS } from '../rates/corrections/price-corrections.ts';
import { readCatalogue } from './read-catalogue.ts';

/** Model names as `provider/model`, with a reason if there is one. */
export interface CatalogueImport {
  readonly added: string[];
  readonly changed: string[];
  readonly held: string[];
  readonly dropped: string[];
  readonly refused: string[];
  readonly omitted: string[];
  /** Corrections that the catalogue now contains; they can be removed. */
  readonly unnecessaryCorrections: string[];
  readonly requeuedEvents: number;
}

/**
 * `providers`: a document as parsed by `parse-providers.ts`; without it the built-in release is imported. Fails if the
 * catalogue shrinks by more than a tenth. `accept`: names of held cards whose sudden change a person has reviewed.
 * Fails for a name without a held change in this release.
 */
export async function importCatalogue(
  { database, principal }: Pick<SubgraphContext, 'database' | 'principal'>,
  providers?: unknown,
  accept: readonly string[] = [],
): Promise<CatalogueImport> {
  const input = providers !== undefined && providers !== null;
  const document: CatalogueDocument = input
    ? parseCatalogueDocument(providers)
    : { providers: await readBuiltInProviders(), publishedAt: BUILT_IN_PUBLISHED_AT };
  const reading = readCatalogue(document.providers);
  const { drafts, unnecessary } = correctDrafts(reading.drafts, { prices: PRICE_CORRECTIONS, aliases: DATED_ALIASES });
  const source = input ? 'given' : BUILT_IN_SOURCE;
  const write = async (tx: WriteTransaction, { comparison, idOf, at }: PlannedImport) => {
    await beginRateChange(tx, GLOBAL_TENANT, at);
    await importCards(tx, comparison, idOf, at);
    const report = {
      added: comparison.added.map(({ draft }) => nameOf(draft)),
      changed: comparison.changed.map(({ draft }) => nameOf(draft)),
      held: comparison.held.map(({ draft, why }) => `${nameOf(draft)}: ${why}`),
      dropped: comparison.dropped.map(nameOf),
      refused: reading.dropped.map(({ model, what }) => `${model}: ${what}`),
      omitted: reading.omitted.map(({ model, what }) => `${model}: ${what}`),
      unnecessaryCorrections: [...unnecessary],
    };
    const id = randomUuid();
    await insertCatalogRelease(tx, { id, source, importedAt: at, publishedAt: document.publishedAt, report });
    await recordAudit(tx, {
      organizationId: GLOBAL_TENANT,
      at,
      action: 'catalogue.imported',
      ...actorOf(principal),
      subjectId: id,
      detail: `${source}: ${report.added.length} added, ${report.changed.length} changed, ${report.held.length} held${accept.length > 0 ? `, accepted ${accept.join(', ')}` : ''}`,
    });
    return { report, requeue: await beginRequeue(tx, GLOBAL_TENANT) };
  };
  const { report, requeue } = await planAndWrite(database, (tx) => plan(tx, drafts, accept), write);
  const requeuedEvents = requeuedEventsOf(await finishOperation(database, requeueWaitingKind, requeue));
  return { ...report, requeuedEvents };
}

interface PlannedImport {
  /** Generation of the cards that were compared. */
  readonly generation: string;
  readonly comparison: CatalogueComparison;
  readonly idOf: (draft: CardDraft) => string;
  readonly at: Date;
}

async function plan(
  tx: WriteTransaction,
  drafts: readonly CardDraft[],
  accept: readonly string[],
): Promise<PlannedImport> {
  const at = now();
  const generation = await readRateGeneration(tx, GLOBAL_TENANT);
  const cards = await findCatalogueCards(tx);
  const compared = compareCatalogue(cards.map(storedCard), drafts, at);
  if (compared.stop !== null) fail('VALIDATION_ERROR', compared.stop);
  const heldNames = new Set(compared.held.map(({ draft }) => nameOf(draft)));
  const stray = accept.find((name) => !heldNames.has(name));
  if (stray !== undefined) fail('VALIDATION_ERROR', `accept: ${stray} has no held change`);
  const ids = new Map(cards.map((card) => [nameOf(storedCard(card)), card.id]));
  return {
    generation,
    comparison: acceptHeld(compared, (draft) => accept.includes(nameOf(draft))),
    idOf: (draft) => ids.get(nameOf(draft)) ?? fail('INTERNAL_SERVER_ERROR', 'An unknown card changed'),
    at,
  };
}

const PLANS_MAX = 5;

/**
 * Compares without a lock, because that takes long, and locks rates only to write the result. If rates changed in
 * between, compares again, finally under the lock.
 */
async function planAndWrite<Result>(
  database: Database,
  makePlan: (tx: WriteTransaction) => Promise<PlannedImport>,
  write: (tx: WriteTransaction, planned: PlannedImport) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; tries < PLANS_MAX; tries++) {
    const planned = await database.system(makePlan);
    const result = await database.system(async (tx) => {
      await lockRates(tx);
      const isCurrent = (await readRateGeneration(tx, GLOBAL_TENANT)) === planned.generation;
      return isCurrent ? { written: await write(tx, planned) } : null;
    });
    if (result !== null) return result.written;
  }
  return database.system(async (tx) => {
    await lockRates(tx);
    return write(tx, await makePlan(tx));
  });
}

function storedCard(card: RatedCard): StoredCard {
  return {
    providerSlug: card.providerSlug ?? '',
    modelSlug: card.modelSlug,
    aliases: card.names.filter((name) => name !== card.modelSlug),
    versions: card.versions.map(({ fromMs, version }) => ({
      effectiveFrom: fromMs === null ? null : new Date(fromMs),
      version,
    })),
  };
}

function nameOf({ providerSlug, modelSlug }: { readonly providerSlug: string; readonly modelSlug: string }): string {
  return modelSlug.startsWith(`${providerSlug}/`) ? modelSlug : `${providerSlug}/${modelSlug}`;
}
