/** Compares an organization's bills with its books. Results are not stored, so they are always current. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Money } from '#kernel/money.ts';
import { isUuid } from '#kernel/uuid.ts';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { resultInSlices } from '#platform/slices.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { readerOf } from '../books/graph-reader.step.ts';
import { readKnownPrices } from '../books/known-prices.step.ts';
import { readAdjustments } from '../books/adjustments.step.ts';
import { readLateCharges } from '../books/late-charges.step.ts';
import { readOwnCharges } from '../books/own-charges.step.ts';
import { applyAdjustments } from '../comparison/apply-adjustments.ts';
import type { BillDay } from '../comparison/bill-comparison.ts';
import { compareBill, daysToRead, spanOf } from '../comparison/compare-bill.ts';
import type { OwnCharge } from '../comparison/own-charge.ts';
import { COMPARED_DAYS_MAX, LINES_MAX } from '../config.ts';
import { type BillConnectionRow, listConnections } from '../connections/bill-connection.table.ts';
import { whyUnsettled } from '../connections/source-facts.ts';
import { listFixes, type StoredFix } from '../decisions/bill-fix.table.ts';
import type { BillLine, BillSource } from '../lines/bill-line.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import { listChangedDays } from '../pulls/bill-day.table.ts';
import { listLines } from '../pulls/bill-line.table.ts';

export interface ComparedDay extends BillDay {
  readonly connection: BillConnectionRow;
  readonly fixes: readonly StoredFix[];
  /** Ids of fixes whose amounts are booked in costing. */
  readonly adjustments: ReadonlySet<string>;
  /** Provider by model, for the models in the books on these days. */
  readonly providers: ReadonlyMap<string, string>;
}

/** A half-open range of UTC days. */
export interface DayWindow {
  readonly from: string;
  readonly until: string;
}

/** Days with a bill, in order. Fails with `VALIDATION_ERROR` for a window that is too long. */
export async function compareDays(
  context: Pick<SubgraphContext, 'database'>,
  gateway: GatewayClient,
  organizationId: OrganizationId,
  { from, until }: DayWindow,
  connectionId: string | null,
): Promise<ComparedDay[]> {
  if (connectionId !== null && !isUuid(connectionId)) fail('NOT_FOUND', 'connectionId: bill connection not found');
  if (addDays(from, COMPARED_DAYS_MAX) < until)
    fail('VALIDATION_ERROR', `The window can contain at most ${COMPARED_DAYS_MAX} days`);
  // A day is compared with its neighbours, which may be outside the window.
  const wider = { organizationId, from: addDays(from, -1), until: addDays(until, 1) };
  const stored = await context.database.entitySnapshot(organizationId, async (tx) => {
    const lines = await listLines(tx, { ...wider, connectionId, max: LINES_MAX + 1 });
    // A line of several days is stored under its first day, which may be before the window.
    const first = [...lines.values()].flat().reduce((least, { day }) => (day < least ? day : least), wider.from);
    const stated = { ...wider, from: first };
    return {
      connections: await listConnections(tx, organizationId),
      lines,
      changed: await listChangedDays(tx, stated),
      fixes: await listFixes(tx, stated),
    };
  });

  const bills = stored.connections.flatMap((connection) => {
    const lines = stored.lines.get(connection.id) ?? [];
    return lines.length === 0 ? [] : [{ connection, lines }];
  });
  if (bills.reduce((total, { lines }) => total + lines.length, 0) > LINES_MAX)
    fail('UNPROCESSABLE_ENTITY', 'The bills have too many lines in this window: compare fewer days');
  const read = readerOf(gateway, organizationId);
  const span = daysToRead(bills.flatMap(({ lines }) => lines));
  const own =
    span === null
      ? []
      : [
          ...(await readOwnCharges(read, span.from, span.until)),
          ...(await readLateCharges(read, span.from, span.until)),
        ];
  const isAdjusted = ({ kind, revertedAt }: StoredFix) => kind === 'ADJUST' && revertedAt === null;
  const adjusted = stored.fixes.filter(isAdjusted).map(({ id }) => id);
  const adjustments = adjusted.length === 0 ? new Map<string, Money>() : await readAdjustments(read, adjusted);
  const compared = await Promise.all(
    bills.map(async ({ connection, lines }): Promise<ComparedDay[]> => {
      const providers = providersOf(lines);
      const charges = own.filter(({ provider }) => providers.has(provider));
      const prices = await Promise.all(
        [...providers].map((provider) => readKnownPrices(read, provider, modelsOf(provider, charges))),
      );
      const changed = new Set(stored.changed.filter((day) => day.connectionId === connection.id).map(({ day }) => day));
      const days = await resultInSlices(
        compareBill({
          lines,
          own: charges,
          prices: prices.flat(),
          untracked: new Set(connection.untrackedScopes),
          unsettled: unsettledPeriods(connection, lines, changed),
        }),
      );
      return days.map((day) => {
        const fixes = fixesOf(stored.fixes, connection.id, day.day);
        const booked = fixes.flatMap((fix) => {
          const amount = adjustments.get(fix.id);
          return amount === undefined ? [] : [{ ...fix, amount }];
        });
        return {
          ...applyAdjustments(day, booked),
          connection,
          fixes,
          adjustments: new Set(booked.map(({ id }) => id)),
          providers: new Map(charges.map(({ model, provider }) => [model, provider])),
        };
      });
    }),
  );
  return compared
    .flat()
    .filter(({ day, lastDay }) => day < until && lastDay >= from)
    .sort((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : 0));
}

/** Providers whose usage the bill charges. Lines of other services have no events. */
function providersOf(lines: readonly BillLine[]): ReadonlySet<string> {
  return new Set(lines.map(({ provider }) => provider).filter((provider) => provider !== 'other'));
}

function modelsOf(provider: string, charges: readonly OwnCharge[]): string[] {
  return [...new Set(charges.filter((charge) => charge.provider === provider).map(({ model }) => model))];
}

function unsettledPeriods(connection: BillConnectionRow, lines: readonly BillLine[], changed: ReadonlySet<string>) {
  const at = now();
  const facts = { source: connection.source as BillSource, settleHours: connection.settleHours };
  const periods = new Map(lines.map(({ day, lastDay }) => [spanOf({ day, lastDay }), { day, lastDay }]));
  return new Map(
    [...periods].flatMap(([span, { day, lastDay }]) => {
      const why = whyUnsettled(facts, lastDay, changed.has(day), at);
      return why === null ? [] : [[span, why] as const];
    }),
  );
}

function fixesOf(fixes: readonly StoredFix[], connectionId: string, day: string): StoredFix[] {
  return fixes.filter((fix) => fix.connectionId === connectionId && fix.day === day && fix.revertedAt === null);
}
