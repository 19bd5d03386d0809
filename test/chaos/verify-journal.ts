/**
 * Compares the books with the journal: every count, credit and total must match exactly, and the books must be
 * consistent.
 */
import { deepStrictEqual } from 'node:assert';
import { RANGE } from './clients.ts';
import { type Journal, printCost } from './journal.ts';
import { askOperator, eventually } from './operator.ts';
import type { Topology } from './topology.ts';

export const ALLOTMENT = 1_000_000_000;
/** Maximum time that a busy machine needs to price the sent events. */
const MILLISECONDS_MAX = 300_000;
/** Lease of a sync whose process was killed. */
const LEASE_MILLISECONDS_MAX = 450_000;
const VERIFY_MILLISECONDS_MAX = 240_000;

/** Throws if they still differ after minutes. Nothing may be sent during this time. */
export async function verifyJournal(
  topology: Topology,
  journal: Journal,
  { books }: { books: boolean },
): Promise<void> {
  await eventually(MILLISECONDS_MAX, () => verifySettled(topology));
  await eventually(MILLISECONDS_MAX, () => verifyTotals(topology, journal));
  await eventually(MILLISECONDS_MAX, () => verifyCredits(topology, journal));
  if (!books) return;
  await eventually(LEASE_MILLISECONDS_MAX, () => verifyRevenue(topology, journal));
  await eventually(MILLISECONDS_MAX, () => verifyBooks(topology));
}

async function verifySettled(topology: Topology): Promise<void> {
  const { pricingBacklog, attributionLag } = await askOperator(
    topology,
    '{ pricingBacklog { pendingEvents feedLag } attributionLag { batches } }',
  );
  deepStrictEqual([pricingBacklog.pendingEvents, pricingBacklog.feedLag, attributionLag.batches], [0, 0, 0]);
}

async function verifyTotals(topology: Topology, journal: Journal): Promise<void> {
  const { total_events: accepted } = await read(topology, `/usage/summary?${RANGE}`);
  const { models, total_cost: total } = await read(topology, `/cost-data/by-model?${RANGE}`);
  const { org_total: margin } = await read(topology, `/margin-data/by-end-user?${RANGE}`);
  const found = models.map((model: any) => [model.model_slug, model.event_count, model.total_cost]);
  const expected = [...journal.models].map(([model, { count, cost }]) => [model, count, printCost(cost)]);
  deepStrictEqual(
    { accepted, total, cost: margin.total_cost, models: found.toSorted() },
    {
      accepted: journal.events,
      total: printCost(journal.cost),
      cost: printCost(journal.cost),
      models: expected.toSorted(),
    },
  );
}

/** A pack whose sale got no response counts only if the audit log contains it. */
async function verifyCredits(topology: Topology, journal: Journal): Promise<void> {
  const {
    credits,
    costingAuditLog: { nodes: costingAuditLog },
  } = await askOperator(
    topology,
    '{ credits { creditsLeft } costingAuditLog(first: 200) { nodes { action subjectId detail } } }',
  );
  const sold = costingAuditLog
    .filter(({ action }: any) => action === 'event_pack.added')
    .map(({ subjectId, detail }: any) => [Number(/^\d+/.exec(detail)?.[0]), subjectId]);
  for (const pack of journal.packs.filter(({ isVerified }) => !isVerified)) {
    const found = sold.filter(([events]: [number, string]) => events === pack.events);
    if (found.length > 1) throw new Error(`A pack of ${pack.events} was sold ${found.length} times`);
    if (pack.packId !== null) deepStrictEqual(found[0]?.[1], pack.packId);
    pack.packId ??= found[0]?.[1] ?? null;
  }
  const packs = journal.packs.reduce((sum, { events, packId }) => sum + (packId === null ? 0 : events), 0);
  deepStrictEqual(credits.creditsLeft, ALLOTMENT + packs - journal.events);
  for (const pack of journal.packs) pack.isVerified = true;
}

async function verifyRevenue(topology: Topology, journal: Journal): Promise<void> {
  const { revenueSync } = await askOperator(
    topology,
    'mutation { revenueSync(input: { waitSeconds: 25 }) { run { state } userErrors { message } } }',
  );
  deepStrictEqual(revenueSync.run.state, 'FINISHED');
  const { org_total: total } = await read(topology, `/margin-data/by-end-user?${RANGE}`);
  deepStrictEqual(total.total_revenue, String(journal.revenue / 100));
}

async function verifyBooks(topology: Topology): Promise<void> {
  const books = await askOperator(
    topology,
    '{ verifyCosting { differences } verifyAttribution { differences } verifyRevenue { differences } }',
    {},
    VERIFY_MILLISECONDS_MAX,
  );
  deepStrictEqual(
    Object.values(books).flatMap((checks: any) => checks.flatMap(({ differences }: any) => differences)),
    [],
  );
}

async function read({ url, firstRun }: Topology, path: string): Promise<any> {
  const answer = await fetch(`${url}/v1${path}`, {
    headers: { authorization: `Bearer ${firstRun.live_read_key}` },
    signal: AbortSignal.timeout(MILLISECONDS_MAX / 2),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path} is answered ${answer.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
