/** Reads one report table of one period from the graph and writes it to the bucket of its schedule. */
import { enumText } from '#kernel/enum-value.ts';
import { MINUTE_MS } from '#kernel/time/duration.ts';
import { elapsedMilliseconds, now } from '#platform/clock.ts';
import type { Outbound } from '#platform/outbound/outbound-client.ts';
import { writeExport } from '#platform/storage/write-export.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { fail } from '#kernel/errors.ts';
import { printReport } from '../../../reports/export-report.ts';
import { EXPORT_BYTES_MAX, EXPORT_MINUTES_MAX } from '../config.ts';
import { readerPrincipalOf } from '../figures/graph-reader.step.ts';
import { requestOf } from './check-schedule.ts';
import type { ClaimedExport } from './export-queue.step.ts';
import type { ExportScheduleRow } from './export-schedule.table.ts';
import { openDestination } from './open-destination.step.ts';

export type ExportDependencies = Pick<SubgraphDependencies, 'database' | 'log' | 'config' | 'sealing' | 'gateway'> & {
  readonly outbound: Outbound;
};

/**
 * Returns the number of rows, and size and SHA-256 of the data file. Fails with `UNPROCESSABLE_ENTITY` if reading takes
 * too long.
 */
export async function writeDelivery(
  { gateway, outbound }: Pick<ExportDependencies, 'gateway' | 'outbound'>,
  { delivery, schedule, secret }: { delivery: ClaimedExport; schedule: ExportScheduleRow; secret: string },
): Promise<{ rows: number; bytes: number; sha256: string; manifestKey: string }> {
  const { reportTable: table, period } = delivery;
  const request = requestOf(table, schedule, period, now());
  const since = elapsedMilliseconds();
  let rows = 0;
  const onRows = (count: number) => {
    rows += count;
    if (elapsedMilliseconds() - since > EXPORT_MINUTES_MAX * MINUTE_MS)
      fail('UNPROCESSABLE_ENTITY', `reading took longer than ${EXPORT_MINUTES_MAX} minutes`);
  };
  const parts = printReport(gateway, readerPrincipalOf(schedule.organizationId), request, onRows);
  const hasGrain = request.grain !== request.table.grains[0];
  const written = await writeExport(openDestination(outbound, schedule, secret), {
    table,
    parameters: {
      period,
      format: enumText(schedule.format),
      ...(hasGrain && { grain: request.grain }),
      ...(request.edition !== undefined && { version: request.edition }),
    },
    parts,
    rows: () => rows,
    bytesMax: EXPORT_BYTES_MAX,
  });
  return { rows, ...written };
}
