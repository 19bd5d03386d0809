/** The transaction that both ways of ingestion share. */
import type { Database } from '../../../platform/database/open-database.ts';
import type { Told } from '../rules/batch-result.ts';
import type { IngestionSource } from '../rules/ingestion-source.ts';
import type { UsageEventDraft } from '../rules/usage-event-draft.ts';
import { acceptUsageEvents } from './accept-usage-events.ts';
import { hasRateCard } from './resolve-rate-card.ts';

/** `drafts` have different keys; one answer for each, in order. Durable when it returns. */
export async function ingestEvents(database: Database, source: IngestionSource, drafts: readonly UsageEventDraft[]): Promise<Told[]> {
  if (drafts.length === 0) return [];
  const nowMs = source.receivedAt.getTime();
  return database.forOrganization(source.organizationId, async (em) => {
    // Asked before anything is locked.
    const priced = await hasRateCard(em, source.organizationId, drafts);
    const acceptances = await acceptUsageEvents(em, source, drafts);
    return acceptances.map(({ draft, acceptance }, index): Told => ({
      draft, acceptance, circumstances: { nowMs, hasRateCard: priced[index] === true },
    }));
  });
}
