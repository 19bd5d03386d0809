/** The transaction that both ways of ingestion share. */
import type { Database } from '../../../platform/database/open-database.ts';
import type { Log } from '../../../platform/log.ts';
import type { Outcome } from './batch-result.ts';
import type { IngestionSource } from './ingestion-source.ts';
import { isContentError } from '../../../platform/content-error.ts';
import type { UsageEventDraft } from '../events/parse-usage-event.ts';
import { storeInGroup } from './group-commit.step.ts';
import { acceptAtOnce, acceptUsageEvents } from './accept-usage-events.step.ts';
import { isDistributed } from '../../../platform/database/nodes/distribution.ts';
import { recordUnknownFieldsOf } from './record-unknown-fields.step.ts';
import { hasRateCard } from '../rates/resolve-rate-card.step.ts';

/**
 * `drafts` have different keys; one answer for each, in order. Durable when it returns. Where the database refuses the content
 * of an event, each is tried by itself, and those that are not stored have no answer; every other failure stores nothing.
 */
export async function ingestEvents(
  database: Database,
  source: IngestionSource,
  drafts: readonly UsageEventDraft[],
  log: Log,
): Promise<Outcome[]> {
  if (drafts.length === 0) return [];
  return storeInGroup(database, source, drafts, async (sharedSource, together) => {
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
    return await ingestTogether(database, source, drafts);
  } catch (error) {
    if (drafts.length === 1 || !isContentError(error)) throw error;
    const { organizationId } = source;
    log.error({ err: error, organizationId }, 'A batch could not be stored as one; its events are tried one by one');
    return ingestOneByOne(database, source, drafts, log);
  }
}

async function ingestTogether(
  database: Database,
  source: IngestionSource,
  drafts: readonly UsageEventDraft[],
): Promise<Outcome[]> {
  const nowMs = source.receivedAt.getTime();
  const { organizationId } = source;
  const { priced, accepted } =
    // On several nodes it takes more than one statement.
    (isDistributed(database.orm.em) ? null : await acceptAtOnce(database, source, drafts)) ??
    (await database.forOrganization(organizationId, async (em) => ({
      priced: await hasRateCard(em, organizationId, drafts),
      accepted: await acceptUsageEvents(em, source, drafts),
    })));
  return accepted.map(({ draft, acceptance }, index): Outcome => ({
    draft,
    acceptance,
    flagContext: { nowMs, hasRateCard: priced[index] === true },
  }));
}

/**
 * In the order of the request, so that the first ones get the credits. What is not an event's fault, such as an outage in the
 * middle, fails the whole: the batch is not acknowledged, and sent again it counts what was stored once.
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
      outcomes.push(...(await ingestTogether(database, source, [draft])));
    } catch (error) {
      if (!isContentError(error)) throw error;
      log.error({ err: error, organizationId: source.organizationId }, 'An event could not be stored');
    }
  }
  return outcomes;
}
