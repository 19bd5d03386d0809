/**
 * Fills a sample organization with the events of an imaginary product: accepted, queued and priced like any others
 * (decision 58).
 */
import type { AccountUserId } from '#kernel/ids.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { now } from '#platform/clock.ts';
import type { OperationKind } from '#platform/operations/run-operation.ts';
import { eventsOfDay } from '../../../sample/events-of-day.ts';
import { DAYS, historyBegan, historyDay, SAMPLE_SHARE } from '../../../sample/history.ts';
import { BATCH_EVENTS_MAX } from '../config.ts';
import { parseUsageEvent, type UsageEventDraft } from '../events/parse-usage-event.ts';
import { acceptUsageEvents } from '../ingestion/accept-usage-events.step.ts';
import { readQueueDepth } from '../pricing-queue/pricing-job.table.ts';
import { saveSampleTerms } from './save-sample-terms.step.ts';

export const FILL_SAMPLE = 'fill-sample';

export interface FillParameters {
  /** The account user who requested it. */
  readonly accountUserId: AccountUserId;
  /** ISO 8601 UTC; the end of the sample history. */
  readonly endsAt: string;
}

const LOOK_EVERY_MILLISECONDS = 200;

/**
 * Progress counts days, one step each: an interrupted operation resumes with the next day. When all events are priced,
 * it saves fixed costs, commitments, credits and allowances, and finishes.
 */
export const fillSampleKind: OperationKind = {
  kind: FILL_SAMPLE,
  async step(operation, commit) {
    const { accountUserId, endsAt } = operation.parameters as FillParameters;
    if (operation.done >= DAYS) {
      await pause(LOOK_EVERY_MILLISECONDS);
      return commit(async (tx, { organizationId, done }) => {
        const { events } = await readQueueDepth(tx, organizationId);
        // Saved last, so that each day is allocated once, with all its events.
        if (events === 0) await saveSampleTerms(tx, organizationId, new Date(endsAt));
        return { place: null, done, isFinished: events === 0 };
      });
    }
    const drafts = draftsOfDay(new Date(endsAt), operation.done);
    return commit(async (tx, { organizationId, done }) => {
      const source = { organizationId, accountUserId, apiKeyId: null, livemode: true, receivedAt: now() };
      for (let from = 0; from < drafts.length; from += BATCH_EVENTS_MAX)
        await acceptUsageEvents(tx, source, drafts.slice(from, from + BATCH_EVENTS_MAX));
      return { place: null, done: done + 1, isFinished: false };
    });
  },
};

function draftsOfDay(endsAt: Date, day: number): UsageEventDraft[] {
  const { date } = historyDay(historyBegan(endsAt), day);
  return eventsOfDay(date, day, SAMPLE_SHARE)
    .filter(({ event_invoked_at }) => new Date(event_invoked_at) <= endsAt)
    .map((event) => {
      const parsed = parseUsageEvent(event);
      if (!parsed.ok) throw new Error(`A sample event is invalid: ${parsed.message}`);
      return parsed.event;
    });
}
