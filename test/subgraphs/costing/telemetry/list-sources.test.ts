/** Sources of usage: one for each endpoint, name and version, with the first and the last time over all outcomes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listTelemetrySources } from '../../../../subgraphs/costing/telemetry/list-telemetry-sources.operation.ts';
import { type Costing, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeAll(async () => {
  costing = await startCosting();
});
afterAll(() => costing.close());

it('sources are listed with counts by outcome, the most recently seen first', async () => {
  const seen = async (
    organizationId: string,
    [livemode, door, name, version, outcome, count, first, last]: readonly (string | number | boolean)[],
  ) =>
    costing.rows(
      `insert into telemetry_source (organization_id, livemode, door, name, version, outcome, count, first_seen_at, last_seen_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        organizationId,
        livemode,
        door,
        name,
        version,
        outcome,
        count,
        `2026-03-${first}T00:00:00Z`,
        `2026-03-${last}T00:00:00Z`,
      ],
    );
  const own = costing.organizationId;
  await seen(own, [true, 'otlp-traces', 'lib', '1', 'billed', 5, '03', '04']);
  await seen(own, [true, 'otlp-traces', 'lib', '1', 'duplicate', 2, '05', '06']);
  await seen(own, [true, 'otlp-traces', 'lib', '1', 'ignored:no_usage', 3, '02', '02']);
  await seen(own, [true, 'otlp-traces', 'lib', '1', 'rejected:validation_error', 4, '04', '05']);
  await seen(own, [true, 'otlp-traces', 'lib', '2', 'billed', 1, '07', '09']);
  await seen(own, [true, 'otlp-logs', 'lib', '1', 'billed', 1, '01', '01']);
  await seen(own, [false, 'otlp-logs', 'test', '1', 'billed', 1, '01', '01']);
  await seen('00000000-0000-4000-8000-00000000000f', [true, 'otlp-logs', 'other', '1', 'billed', 1, '01', '01']);
  const at = (day: string) => new Date(`2026-03-${day}T00:00:00Z`);
  const nothing = { duplicates: 0, ignored: [], rejected: [], isCostBooked: false };
  expect(await listTelemetrySources(costing.operator, true)).toEqual([
    {
      ...{ endpoint: 'OTLP_TRACES', name: 'lib', version: '2', billed: 1, ...nothing },
      ...{ firstSeenAt: at('07'), lastSeenAt: at('09') },
    },
    {
      ...{ endpoint: 'OTLP_TRACES', name: 'lib', version: '1', billed: 5, duplicates: 2, isCostBooked: false },
      ...{ ignored: [{ reason: 'no_usage', count: 3 }], rejected: [{ reason: 'validation_error', count: 4 }] },
      ...{ firstSeenAt: at('02'), lastSeenAt: at('06') },
    },
    {
      ...{ endpoint: 'OTLP_LOGS', name: 'lib', version: '1', billed: 1, ...nothing },
      ...{ firstSeenAt: at('01'), lastSeenAt: at('01') },
    },
  ]);
  expect((await listTelemetrySources(costing.operator, false)).map(({ name }) => name)).toEqual(['test']);
});
