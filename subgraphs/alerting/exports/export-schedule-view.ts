/** Scheduled exports and their deliveries as the API returns them, without secrets. */
import type { ExportDelivery, ExportSchedule } from '../resolvers.generated.ts';
import type { ExportDeliveryRow } from './export-delivery.table.ts';
import { exportDueAt } from './export-period.ts';
import type { ExportScheduleRow } from './export-schedule.table.ts';

export function toExportScheduleView(schedule: ExportScheduleRow): ExportSchedule {
  const { id, name, format, period, grain, version, endpoint, region, bucket, prefix, accessKeyId } = schedule;
  const { lastError, stoppedReason, nextPeriodStart } = schedule;
  return {
    id,
    name,
    tables: [...schedule.tables],
    format,
    period,
    grain,
    version,
    endpoint,
    region,
    bucket,
    prefix,
    accessKeyId,
    channelIds: [...schedule.channelIds],
    state: stoppedReason !== null ? 'STOPPED' : lastError !== null ? 'FAILING' : 'ACTIVE',
    problem: stoppedReason ?? lastError,
    nextPeriodStart: nextPeriodStart.toISOString(),
    nextAt: stoppedReason === null ? exportDueAt(nextPeriodStart, period).toISOString() : null,
    createdAt: schedule.createdAt.toISOString(),
    updatedAt: schedule.updatedAt.toISOString(),
    updatedBy: schedule.updatedBy,
  };
}

export function toExportDeliveryView(delivery: ExportDeliveryRow): ExportDelivery {
  const { id, scheduleId, reportTable, period, attempts, sha256, manifestKey, lastError } = delivery;
  return {
    id,
    scheduleId,
    table: reportTable,
    period,
    state: delivery.dueAt !== null ? 'PENDING' : lastError === null && manifestKey !== null ? 'DELIVERED' : 'STOPPED',
    attempts,
    rows: delivery.rows,
    bytes: delivery.bytes,
    sha256,
    manifestKey,
    error: lastError,
    createdAt: delivery.createdAt.toISOString(),
    dueAt: delivery.dueAt?.toISOString() ?? null,
    deliveredAt: delivery.deliveredAt?.toISOString() ?? null,
  };
}
