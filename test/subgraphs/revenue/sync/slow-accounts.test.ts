/** Accounts with a slow processor do not delay others. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { addCustomer } from '../../../../packages/stripe-stand-in/account.ts';
import type { Fault } from '../../../../packages/stripe-stand-in/faults.ts';
import { start, type StripeStandIn } from '../../../../packages/stripe-stand-in/server.ts';
import { type RunningJobs, runJobs } from '#platform/job-loop.ts';
import { connectRevenue } from '../../../../subgraphs/revenue/connection/connect-revenue.operation.ts';
import { revenue } from '../../../../subgraphs/revenue/main.ts';
import { KEY, type RevenueService, startRevenue } from '../revenue-builder.ts';
import { PATIENCE } from '../../../support/patience.ts';

let service: RevenueService;
let standIns: StripeStandIn[];
let jobs: RunningJobs | undefined;
let release: () => void;

beforeEach(async () => {
  service = await startRevenue();
  standIns = [];
  jobs = undefined;
});
afterEach(async () => {
  release();
  await jobs?.stop();
  await Promise.all(standIns.map((standIn) => standIn.stop()));
  await service.close();
});

/** Does not respond until it is released. */
function hanging(): Fault {
  const released = new Promise<void>((resolve) => (release = resolve));
  return {
    times: 1_000,
    act: async ({ send, honest }) => {
      await released;
      send(honest());
    },
  };
}

async function connect(fault: Fault | null): Promise<string> {
  const standIn = await start();
  standIns.push(standIn);
  addCustomer(standIn.account, { metadata: { user_id: 'ada' } });
  const organizationId = randomUUID();
  const context = { ...service.context, principal: { ...service.context.principal, organizationId } };
  const input = { processor: 'stripe', apiKey: KEY, apiBase: standIn.url, endUserKey: 'user_id' };
  await connectRevenue(context, input, service.dependencies.sealing);
  if (fault) standIn.faults.push(fault);
  return organizationId;
}

it('the sync of an account ends while two others have not answered', async () => {
  const hangs = hanging();
  await connect(hangs);
  await connect(hangs);
  const fast = await connect(null);
  await service.rows('update payment_connection set due_at = $1 where organization_id <> $2', [new Date(0), fast]);
  await service.rows('update payment_connection set due_at = $1 where organization_id = $2', [new Date(1), fast]);
  jobs = runJobs(revenue.jobs(service.dependencies), service.dependencies.log);
  await vi.waitFor(
    async () =>
      expect(await service.rows("select organization_id from sync_run where state = 'finished'")).toEqual([
        { organizationId: fast },
      ]),
    { ...PATIENCE, interval: 50 },
  );
});

it('a process whose clock was ahead does not delay a sync', async () => {
  release = () => undefined;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  const organizationId = await connect(null);
  vi.useRealTimers();
  const [row] = await service.rows<{ isSoon: boolean }>(
    "select due_at < now() + interval '5 minutes' as is_soon from payment_connection where organization_id = $1",
    [organizationId],
  );
  expect(row).toEqual({ isSoon: true });
});
