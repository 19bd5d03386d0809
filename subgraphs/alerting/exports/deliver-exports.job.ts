/** Plans the exports of periods that have ended, and writes them one after another. */
import type { OrganizationId } from '#kernel/ids.ts';
import { daysEarlier, later } from '#kernel/time/duration.ts';
import { uuidV5 } from '#kernel/uuid.ts';
import { now } from '#platform/clock.ts';
import { databaseTime } from '#platform/database/sql.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { Job } from '#platform/job-loop.ts';
import { EXPORT_DAYS_KEPT, EXPORT_NOTIFY_ATTEMPTS, EXPORT_RETRY_MINUTES, EXPORT_SEAL } from '../config.ts';
import { addExportDelivery, forgetExports } from './export-delivery.table.ts';
import { claimExport, type ClaimedExport, endExport, failExport } from './export-queue.step.ts';
import { exportDueAt, nextExportPeriod, periodName } from './export-period.ts';
import {
  advanceExportSchedule,
  type ExportScheduleRow,
  findExportSchedule,
  holdDueSchedule,
  holdExportSchedules,
  markExportAttempt,
} from './export-schedule.table.ts';
import { mayExport } from './may-export.step.ts';
import { notifyOfExport } from './notify-of-export.step.ts';
import { describeExportError } from './open-destination.step.ts';
import { stopSchedule } from './stop-schedule.step.ts';
import { type ExportDependencies, writeDelivery } from './write-delivery.step.ts';

const REST_MILLISECONDS = 5_000;
const MINUTE_SECONDS = 60;

/** A step spends most of its time waiting for the storage. */
const PARALLEL = 2;

export function deliverExports(dependencies: ExportDependencies): Job {
  const { database, log, config, gateway, sealing } = dependencies;
  const origin = config.appUrl;
  return {
    name: 'deliver-exports',
    restMilliseconds: REST_MILLISECONDS,
    parallel: PARALLEL,
    async step(found) {
      if (await database.system(planNext)) return 'more';
      const claimed = await database.system(async (tx) => {
        const delivery = await claimExport(tx, await databaseTime(tx));
        if (delivery === null) return null;
        return { delivery, schedule: await findExportSchedule(tx, delivery.organizationId, delivery.scheduleId) };
      });
      if (claimed === null) return 'idle';
      found?.();
      const { delivery, schedule } = claimed;
      if (schedule !== null) await deliver(delivery, schedule);
      return 'more';
    },
  };

  async function deliver(delivery: ClaimedExport, schedule: ExportScheduleRow): Promise<void> {
    const { organizationId, updatedBy, sealedSecret } = schedule;
    try {
      // A process that dies in every attempt never reports a failure, so attempts are also counted here.
      if (delivery.attempts > EXPORT_RETRY_MINUTES.length + 1)
        return await stop(schedule, 'the service was interrupted in every attempt');
      if (updatedBy !== null && !(await mayExport(gateway, organizationId, updatedBy)))
        return await stop(schedule, 'the person who saved it is no longer an owner or admin');
      const secret = sealedSecret === null ? null : sealing.tryUnseal(sealedSecret, EXPORT_SEAL, schedule.id);
      if (secret === null) return await stop(schedule, 'its secret access key cannot be decrypted');
      const written = await writeDelivery(dependencies, { delivery, schedule, secret });
      await database.system(async (tx) => {
        await holdSchedule(tx, organizationId, schedule.id);
        if (await endExport(tx, delivery, { at: now(), ...written })) await markExportAttempt(tx, schedule, null);
      });
    } catch (error) {
      const reason = describeExportError(error);
      log.warn({ err: error, organizationId, scheduleId: schedule.id, reason }, 'An export could not be written');
      await fail(delivery, reason);
    }
  }

  async function fail(delivery: ClaimedExport, error: string): Promise<void> {
    const { organizationId, scheduleId, attempts, reportTable, period } = delivery;
    await database.system(async (tx) => {
      const at = now();
      const minutes = EXPORT_RETRY_MINUTES[attempts - 1];
      const dueAt = minutes === undefined ? null : later(at, minutes * MINUTE_SECONDS);
      const schedule = await holdSchedule(tx, organizationId, scheduleId);
      if (!(await failExport(tx, delivery, { dueAt, error })) || schedule === null) return;
      await markExportAttempt(tx, schedule, error);
      const named = `${reportTable} for ${period}`;
      if (dueAt === null) {
        const reason = `${named} could not be written in ${attempts} attempts: ${error}`;
        return stopSchedule(tx, { ...schedule, lastError: error }, { reason, at, origin });
      }
      if (attempts !== EXPORT_NOTIFY_ATTEMPTS) return;
      const sentence = `${named} could not be written in ${attempts} attempts and is retried for a day: ${error}.`;
      await notifyOfExport(tx, schedule, { sentence, at, origin, key: `${delivery.id} ${at.toISOString()}` });
    });
  }

  /** Leaves a schedule unchanged if it was saved again in the meantime. */
  async function stop({ organizationId, id, updatedAt }: ExportScheduleRow, reason: string): Promise<void> {
    await database.system(async (tx) => {
      const schedule = await holdSchedule(tx, organizationId, id);
      if (schedule === null || schedule.updatedAt.getTime() !== updatedAt.getTime()) return;
      await stopSchedule(tx, schedule, { reason, at: now(), origin });
    });
  }
}

/**
 * Locks the schedule until the transaction ends. A save also locks the schedule first, then its deliveries; the opposite
 * order would deadlock. Null if it was deleted.
 */
async function holdSchedule(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<ExportScheduleRow | null> {
  return (await holdExportSchedules(tx, organizationId)).find((one) => one.id === id) ?? null;
}

/** Adds the deliveries of the next period of one schedule that is due. False if none is. */
async function planNext(tx: WriteTransaction): Promise<boolean> {
  const at = await databaseTime(tx);
  const due = await holdDueSchedule(tx, at);
  if (due === null) return false;
  const { organizationId, id: scheduleId, tables, period, nextPeriodStart } = due;
  const name = periodName(nextPeriodStart, period);
  for (const reportTable of tables) {
    const id = deliveryId(scheduleId, reportTable, name);
    await addExportDelivery(tx, { organizationId, id, scheduleId, reportTable, period: name }, at);
  }
  const start = nextExportPeriod(nextPeriodStart, period);
  await advanceExportSchedule(tx, due, { start, dueAt: exportDueAt(start, period) });
  await forgetExports(tx, { organizationId, scheduleId, before: daysEarlier(at, EXPORT_DAYS_KEPT) });
  return true;
}

/** Planning a period twice adds nothing. */
function deliveryId(scheduleId: string, reportTable: string, period: string): string {
  return uuidV5(scheduleId, `${reportTable} ${period}`);
}
