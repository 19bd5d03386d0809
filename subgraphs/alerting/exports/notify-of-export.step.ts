/** Adds a message about a failing export to the outbox. */
import { uuidV5 } from '#kernel/uuid.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { exportPayload } from '../deliveries/alert-payload.ts';
import { enqueueMessage } from '../deliveries/enqueue-deliveries.step.ts';
import type { ExportScheduleRow } from './export-schedule.table.ts';

/** Messages with the same `key` are sent once. `origin`: base URL of the pages. */
export async function notifyOfExport(
  tx: WriteTransaction,
  { organizationId, id, name, channelIds }: ExportScheduleRow,
  message: { readonly sentence: string; readonly at: Date; readonly origin: string; readonly key: string },
): Promise<void> {
  const { sentence, at, origin, key } = message;
  const link = `${origin}/exports/schedules/${id}`;
  const payload = exportPayload(organizationId, { title: `Export ${name}`, sentence, link, at });
  const idOf = (channelId: string) => uuidV5(channelId, `export ${id} ${key}`);
  await enqueueMessage(tx, organizationId, { payload, episodeId: null, at, channelIds, idOf });
}
