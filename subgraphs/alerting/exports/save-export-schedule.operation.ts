/** Creates or changes a scheduled export, or with `dryRun` only tests its destination. */
import type { OrganizationId } from '#kernel/ids.ts';
import { isUuid } from '#kernel/uuid.ts';
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { describeOutboundError } from '#platform/outbound/describe-outbound-error.ts';
import type { Outbound } from '#platform/outbound/outbound-client.ts';
import { randomUuid } from '#platform/random.ts';
import type { Sealing } from '#platform/seal.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { requireChannels } from '../channels/require-channel.step.ts';
import { EXPORT_SCHEDULES_MAX, EXPORT_SEAL } from '../config.ts';
import type { ExportPeriod, ExportSchedule, ExportScheduleSaveInput } from '../resolvers.generated.ts';
import { checkContent, checkDestination, checkName, checkSecret } from './check-schedule.ts';
import { resumeExports } from './export-queue.step.ts';
import { exportDueAt, lastDuePeriod } from './export-period.ts';
import {
  type ExportScheduleRow,
  findExportSchedule,
  holdExportSchedules,
  saveExportScheduleRow,
} from './export-schedule.table.ts';
import { toExportScheduleView } from './export-schedule-view.ts';
import { requireSchedule } from './require-schedule.step.ts';
import { tryDestination } from './try-destination.step.ts';

interface Dependencies {
  readonly outbound: Outbound;
  readonly sealing: Sealing;
}

/**
 * A stopped schedule resumes, and unfinished deliveries are retried at once. Fails with `VALIDATION_ERROR` for an address
 * to which nothing can be sent, and with `NOT_FOUND` for an unknown schedule or channel.
 */
export async function saveExportSchedule(
  context: SubgraphContext,
  input: ExportScheduleSaveInput,
  { outbound, sealing }: Dependencies,
): Promise<{ exportSchedule: ExportSchedule | null; testedKey: string | null }> {
  const organizationId = organizationOf(context);
  if (context.principal.sampleOf !== undefined) fail('FORBIDDEN', 'Nothing is sent from sample data');
  const content = checkContent(input);
  const destination = checkDestination(input);
  const name = checkName(input.name);
  const typed = input.secretAccessKey ?? null;
  const secret = typed === null ? null : checkSecret(typed);
  await requireReachable(outbound, destination.endpoint);
  if (input.dryRun) {
    const usable = secret ?? (await storedSecret(context, organizationId, input.id ?? null, sealing));
    return { exportSchedule: null, testedKey: await tryDestination(outbound, destination, usable) };
  }
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const known = await findKnown(tx, organizationId, input.id ?? null);
    const id = known?.id ?? randomUuid();
    const sealedSecret = secret === null ? (known?.sealedSecret ?? null) : sealing.seal(secret, EXPORT_SEAL, id);
    if (sealedSecret === null) fail('VALIDATION_ERROR', 'secretAccessKey is required');
    const channelIds = [...new Set(input.channelIds)];
    await requireChannels(tx, organizationId, channelIds);
    const nextPeriodStart = startOf(known, input.period, at);
    const schedule: ExportScheduleRow = {
      organizationId,
      id,
      name,
      ...content,
      tables: [...content.tables],
      period: input.period,
      ...destination,
      sealedSecret,
      channelIds,
      nextPeriodStart,
      dueAt: exportDueAt(nextPeriodStart, input.period),
      lastError: null,
      stoppedReason: null,
      testedAt: known?.testedAt ?? null,
      closingsCheckedAt: known?.closingsCheckedAt ?? null,
      costsOpenFrom: known?.costsOpenFrom ?? null,
      revenueOpenFrom: known?.revenueOpenFrom ?? null,
      createdAt: known?.createdAt ?? at,
      updatedAt: at,
      updatedBy: context.principal.accountUserId,
    };
    await saveExportScheduleRow(tx, schedule);
    await resumeExports(tx, { organizationId, scheduleId: id, tables: content.tables, at });
    await recordAudit(tx, {
      organizationId,
      at,
      action: known === null ? 'export_schedule.created' : 'export_schedule.changed',
      ...actorOf(context.principal),
      subjectId: id,
      detail: `${name}: ${content.tables.join(', ')} to ${destination.bucket}/${destination.prefix}`,
    });
    return { exportSchedule: toExportScheduleView(schedule), testedKey: null };
  });
}

async function findKnown(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string | null,
): Promise<ExportScheduleRow | null> {
  if (id !== null) return requireSchedule(tx, organizationId, id);
  if ((await holdExportSchedules(tx, organizationId)).length >= EXPORT_SCHEDULES_MAX)
    fail('VALIDATION_ERROR', `An organization can have at most ${EXPORT_SCHEDULES_MAX} scheduled exports`);
  return null;
}

/** Periods missed while stopped are made up for. A table that was added starts with the last period that is due. */
function startOf(known: ExportScheduleRow | null, period: ExportPeriod, at: Date): Date {
  const last = lastDuePeriod(at, period);
  return known?.period === period && known.nextPeriodStart < last ? known.nextPeriodStart : last;
}

async function storedSecret(
  context: SubgraphContext,
  organizationId: OrganizationId,
  id: string | null,
  sealing: Sealing,
): Promise<string> {
  const sealed =
    id === null || !isUuid(id)
      ? null
      : await context.database.entitySnapshot(organizationId, async (tx) => {
          const schedule = await findExportSchedule(tx, organizationId, id);
          return schedule?.sealedSecret ?? null;
        });
  const secret = sealed === null ? null : sealing.tryUnseal(sealed, EXPORT_SEAL, id ?? '');
  return secret ?? fail('VALIDATION_ERROR', 'secretAccessKey is required');
}

async function requireReachable(outbound: Outbound, endpoint: string | null): Promise<void> {
  if (endpoint === null) return;
  await outbound.check(endpoint).catch((error: unknown) => {
    fail('VALIDATION_ERROR', `endpoint is not allowed: ${describeOutboundError(error)}`);
  });
}
