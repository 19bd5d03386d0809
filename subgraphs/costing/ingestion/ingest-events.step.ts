/** The transaction that single and batch ingestion share. */
import type { Database } from '#platform/database/open-database.ts';
import type { Log } from '#platform/log.ts';
import type { Outcome } from './batch-result.ts';
import type { IngestionSource } from './ingestion-source.ts';
import { isContentError } from '#platform/content-error.ts';
import type { UsageEventDraft } from '../events/parse-usage-event.ts';
import { storeWithGroupCommit } from './group-commit.step.ts';
import { acceptAtOnce, acceptUsageEvents } from './accept-usage-events.step.ts';
import { coversAllOrganizations } from '#platform/database/nodes/distribution.ts';
import { recordUnknownFieldsOf } from './record-unknown-fields.step.ts';
import { hasRateCard } from '../rates/resolve-rate-card.step.ts';

/**
 * `drafts` have distinct keys; returns one outcome for each, in order. Events are durable on return. If the database
 * rejects the content of an event, each event is tried separately, and rejected ones have no outcome. Any other failure
 * stores nothing.
 */
export async function ingestEvents(
  database: Database,
  source: IngestionSource,
  drafts: readonly UsageEventDraft[],
  log: Log,
): Promise<Outcome[]> {
  if (drafts.length === 0) return [];
  return storeWithGroupCommit(database, source, drafts, async (sharedSource, together) => {
    const outcomes = await store(database, sharedSource, together, log);
    await recordUnknownFieldsOf(database, sharedSource, outcomes, log);
    return outcomes;
  });
}

async function store(
  database: Database,
  source: IngestionSource,
  drafts: readonly UsageEventDraft[],
  log: Log,
): Promise<Outcome[]> {
  try {
    return await ingestInOneTransaction(database, source, drafts);
  } catch (error) {
    if (drafts.length === 1 || !isContentError(error)) throw error;
    const { organizationId } = source;
    log.error({ err: error, organizationId }, 'A batch could not be stored; its events are tried one by one');
    return ingestOneByOne(database, source, drafts, log);
  }
}

async function ingestInOneTransaction(
  database: Database,
  source: IngestionSource,
  drafts: readonly UsageEventDraft[],
): Promise<Outcome[]> {
  const nowMs = source.receivedAt.getTime();
  const { organizationId } = source;
  const { priced, accepted } =
    // On several nodes, this takes more than one statement.
    (coversAllOrganizations(database.orm) ? await acceptAtOnce(database, source, drafts) : null) ??
    (await database.write(organizationId, async (tx) => ({
      priced: await hasRateCard(tx, organizationId, drafts),
      accepted: await acceptUsageEvents(tx, source, drafts),
    })));
  return accepted.map(({ draft, acceptance }, index): Outcome => ({
    draft,
    acceptance,
    flagContext: { nowMs, hasRateCard: priced[index] === true },
  }));
}

/**
 * Stores events in the order of the request, so that the first ones get the credits. A failure that is not an event's
 * fault, such as an outage, fails the whole batch. It is then not acknowledged, and events already stored count once
 * when it is sent again.
 */
async function ingestOneByOne(
  database: Database,
  source: IngestionSource,
  drafts: readonly UsageEventDraft[],
  log: Log,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const draft of drafts) {
    try {
      outcomes.push(...(await ingestInOneTransaction(database, source, [draft])));
    } catch (error) {
      if (!isContentError(error)) throw error;
      log.error({ err: error, organizationId: source.organizationId }, 'An event could not be stored');
    }
  }
  return outcomes;
}
