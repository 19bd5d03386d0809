/** Returns the organization's current rates as a table for longest-prefix lookup by clients. */
import type { OrganizationId } from '#kernel/ids.ts';
import { now } from '#platform/clock.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { listDiscounts } from './discounts/agreement-term.table.ts';
import { type Discount, nextChange } from './discounts/discount.ts';
import { findAllCards, type RatedCard, versionAt } from './rated-card.query.ts';
import { readRateGeneration } from './rate-generation.table.ts';
import {
  type EstimationTables,
  type RateEstimatesView,
  estimationTable,
  toRateEstimatesView,
} from './estimation-table.ts';

/** Building a table matches thousands of names, so it is cached until rates change or a dated version starts. */
type Kept = { readonly generation: string; readonly untilMs: number; readonly rows: EstimationTables };

const TABLES_MAX = 100;
const tables = new WeakMap<Database, Map<string, Kept>>();

export async function getRateEstimationTable(context: SubgraphContext): Promise<RateEstimatesView> {
  const organizationId = organizationOf(context);
  const { database } = context;
  const nowMs = now().getTime();
  const kept = tables.get(database) ?? new Map<string, Kept>();
  tables.set(database, kept);
  const { rows } = await database.snapshot(organizationId, async (tx) => {
    const generation = await readRateGeneration(tx, organizationId);
    const known = kept.get(organizationId);
    if (known?.generation === generation && nowMs < known.untilMs) return known;
    const cards = await findAllCards(tx, organizationId);
    const table = buildTable(organizationId, cards, await listDiscounts(tx, organizationId), nowMs, generation);
    if (kept.size >= TABLES_MAX) kept.clear();
    kept.set(organizationId, table);
    return table;
  });
  return toRateEstimatesView(rows);
}

function buildTable(
  organizationId: OrganizationId,
  cards: readonly RatedCard[],
  discounts: readonly Discount[],
  nowMs: number,
  generation: string,
): Kept {
  const inForce = cards.flatMap((card) => {
    const version = versionAt(card, nowMs);
    return version ? [{ ...card, version: version.version }] : [];
  });
  const starts = cards
    .flatMap((card) => card.versions.map(({ fromMs }) => fromMs ?? 0))
    .filter((start) => start > nowMs);
  const untilMs = starts.reduce((least, start) => Math.min(least, start), nextChange(discounts, nowMs));
  return { generation, untilMs, rows: estimationTable(organizationId, inForce, discounts, nowMs) };
}
