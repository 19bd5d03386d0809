/**
 * Random histories of everything that writes to the books, with the process dying in any transaction, and restored
 * databases. When clients have sent all their events again and everything was priced at the latest rates, every figure
 * matches the oracle. Before that, attribution matches the ledger.
 */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { KnownError } from '#kernel/errors.ts';
import { startRebuild } from '../../subgraphs/attribution/feed/start-rebuild.operation.ts';
import { describeLag } from '../../subgraphs/attribution/feed/describe-lag.operation.ts';
import { registerDimension } from '../../subgraphs/attribution/dimensions/register-dimension.operation.ts';
import { retireDimension } from '../../subgraphs/attribution/dimensions/retire-dimension.operation.ts';
import { getPricingBacklog } from '../../subgraphs/costing/pricing-queue/get-pricing-backlog.operation.ts';
import { setContextPolicy } from '../../subgraphs/costing/rate-changes/set-context-policy.operation.ts';
import { setRate } from '../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { startRepricing } from '../../subgraphs/costing/repricing/start-repricing.operation.ts';
import { startRevert } from '../../subgraphs/costing/repricing/start-revert.operation.ts';
import { verifyCosting } from '../../subgraphs/costing/verification/verify-costing.operation.ts';
import { aChain, type Chain, type Crash, type Side } from '../support/chain.ts';
import { runs } from '../support/property-runs.ts';
import { MINUTES } from '../support/patience.ts';

// Kills processes and waits until they have recovered.
vi.setConfig(MINUTES);

const ORGANIZATIONS = [randomUUID(), randomUUID(), randomUUID()];
const MODELS = ['acme', 'other'];
const JOBS = [
  'price-events',
  'follow-priced-feed',
  'roll-up-days',
  'check-offsets',
  'compare-with-ledger',
  'keep-rollups',
  'prune-feed',
  'operations',
];
/** Price of each model, in USD per million input tokens. */
const LAST_RATE = 7;

interface World {
  readonly chain: Chain;
  readonly backups: Record<Side, string[]>;
  /** Everything sent, acknowledged or not. */
  readonly sent: { readonly organizationId: string; readonly events: readonly SentEvent[] }[];
}

interface SentEvent {
  readonly idempotency_key: string;
  readonly model: string;
  readonly input_tokens: number;
  readonly cost_override?: string;
}

interface Action {
  act(world: World): Promise<unknown>;
}

/** Text printed by a failure. */
const named = (label: string, act: Action['act']): Action => ({ act, [fc.toStringMethod]: () => label }) as Action;

let sent = 0;
const event = (model: string, override: boolean, isFlex: boolean): SentEvent & Record<string, unknown> => ({
  idempotency_key: `${++sent}`,
  model,
  input_tokens: 1_000 + sent,
  output_tokens: 1,
  // Batches of more than a day's hours are rolled up later.
  event_invoked_at: new Date(Date.now() - (sent % (7 * 24)) * 3_600_000 - 60_000).toISOString(),
  user_id: `user-${sent % 3}`,
  metadata: { team: `team-${sent % 2}` },
  ...(override ? { cost_override: '0.125' } : {}),
  // No card has a price for it: it waits, or is priced at base rates.
  ...(isFlex ? { provider: 'openai', service_tier: 'flex' } : {}),
});

const ALL_TIME = { start: '2020-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z' };
const rate = ({ chain }: World, model: string, input: number) =>
  setRate(chain.context('costing', null), { model, input: String(input), output: '0', effectiveFrom: '2020-01-01' });

/** A temporary refusal is not a failure. */
const unlessRefused = async (work: Promise<unknown>) =>
  work.catch((error: unknown) => {
    if (!(error instanceof KnownError)) throw error;
  });

async function revertLast(world: World, organizationId: string): Promise<void> {
  const [last] = await world.chain.rows<{ id: string }>(
    'costing',
    'select id from repricing where organization_id = $1 and reverts is null order by started_at desc limit 1',
    [organizationId],
  );
  if (last) await unlessRefused(startRevert(world.chain.context('costing', organizationId), last.id));
}

const organization = fc.constantFrom(...ORGANIZATIONS);
const side = fc.constantFrom<Side>('costing', 'attribution');
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        organization,
        fc.constantFrom(...MODELS),
        fc.constantFrom(1, 2, 3, 4, 5, 40, 60),
        fc.boolean(),
        fc.boolean(),
      )
      .map(([organizationId, model, count, override, isFlex]) =>
        named(`send ${count} of ${model} for ${organizationId}${isFlex ? ', flexible' : ''}`, (world) => {
          const events = Array.from({ length: count }, () => event(model, override, isFlex));
          world.sent.push({ organizationId, events });
          return world.chain.send(organizationId, events);
        }),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...MODELS), fc.integer({ min: 1, max: 9 }))
      .map(([model, input]) => named(`rate of ${model} ${input}`, (world) => rate(world, model, input))),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(organization, fc.constantFrom('BASE' as const, 'WAIT' as const))
      .map(([organizationId, choice]) =>
        named(`unknown contexts of ${organizationId}: ${choice}`, ({ chain }) =>
          setContextPolicy(chain.context('costing', organizationId), choice),
        ),
      ),
  },
  {
    weight: 16,
    arbitrary: fc.constantFrom(...JOBS).map((job) => named(job, ({ chain }) => chain.step(job))),
  },
  {
    weight: 2,
    arbitrary: organization.map((organizationId) =>
      named(`reprice ${organizationId}`, ({ chain }) =>
        unlessRefused(startRepricing(chain.context('costing', organizationId), ALL_TIME)),
      ),
    ),
  },
  {
    weight: 1,
    arbitrary: organization.map((organizationId) =>
      named(`revert ${organizationId}`, (world) => revertLast(world, organizationId)),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(organization, fc.boolean()).map(([organizationId, isRetired]) =>
      named(`${isRetired ? 'retire' : 'register'} ${organizationId}`, ({ chain }) => {
        const context = chain.context('attribution', organizationId);
        return isRetired ? unlessRefused(retireDimension(context, 'team')) : registerDimension(context, 'team', null);
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: organization.map((organizationId) =>
      named(`compare ${organizationId}`, ({ chain }) => startRebuild(chain.context('attribution', organizationId), {})),
    ),
  },
  {
    weight: 2,
    arbitrary: side.map((which) =>
      named(`back up ${which}`, async ({ chain, backups }) => backups[which].push(await chain.backUp(which))),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(side, fc.nat(3)).map(([which, back]) =>
      named(`restore ${which} ${back}`, async ({ chain, backups }) => {
        const backup = backups[which].at(-1 - back);
        if (backup) await chain.restore(which, backup);
      }),
    ),
  },
);
const crash: fc.Arbitrary<Crash | null> = fc.option(
  fc.record({ side, transaction: fc.nat(3), isCommitted: fc.boolean() }),
  { freq: 2 },
);

/** True if `settle` would not wait any longer. */
async function isSettled({ chain }: World): Promise<boolean> {
  const backlog = await getPricingBacklog(chain.context('costing', null));
  const lag = await describeLag(chain.context('attribution', null));
  return (
    backlog.pendingEvents + backlog.feedLag + lag.batches + lag.replaying === 0 && backlog.feedDigest === lag.feedDigest
  );
}

const verified = async ({ chain }: World) =>
  (await verifyCosting(chain.context('costing', null))).flatMap(({ differences }) => differences);

/** In units of 10^-15 USD, by organization. */
function expectedCosts({ sent: batches }: World): Record<string, string> {
  const costs = ORGANIZATIONS.map((organizationId) => {
    const events = batches.flatMap((batch) => (batch.organizationId === organizationId ? batch.events : []));
    const units = events.map(({ input_tokens: tokens, cost_override: override }) =>
      override === undefined ? BigInt(tokens) * BigInt(LAST_RATE) * 1_000_000_000n : 125_000_000_000_000n,
    );
    return [organizationId, String(units.reduce((total, cost) => total + cost, 0n))];
  });
  return Object.fromEntries(costs) as Record<string, string>;
}

async function costsIn({ chain }: World, which: Side, from: string): Promise<Record<string, string>> {
  const rows = await chain.rows<{ id: string; cost: string }>(
    which,
    `select organization_id as id, trim_scale(sum(total_cost) * 1e15)::text as cost from ${from} group by 1`,
  );
  const none = ORGANIZATIONS.map((organizationId): [string, string] => [organizationId, '0']);
  return Object.fromEntries([...none, ...rows.map(({ id, cost }): [string, string] => [id, cost])]);
}

it('the books match, whatever happens and wherever the process dies', { timeout: 1_800_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(action, crash), { minLength: 15, maxLength: 40, size: 'max' }),
      async (actions) => {
        const chain = await aChain();
        const world: World = { chain, backups: { costing: [], attribution: [] }, sent: [] };
        try {
          await rate(world, 'acme', 1);
          for (const [{ act }, death] of actions) {
            if (death) await chain.withCrash(death, () => act(world));
            else await act(world);
          }
          await chain.settle();
          expect(await verified(world)).toEqual([]);
          expect(await chain.differences()).toEqual([]);
          expect(await isSettled(world)).toBe(true);

          for (const { organizationId, events } of world.sent) await chain.send(organizationId, events);
          for (const model of MODELS) await rate(world, model, LAST_RATE);
          for (const organizationId of ORGANIZATIONS)
            await setContextPolicy(chain.context('costing', organizationId), 'BASE');
          await chain.settle();
          for (const organizationId of ORGANIZATIONS)
            await startRepricing(chain.context('costing', organizationId), ALL_TIME);
          await chain.settle();
          expect(await verified(world)).toEqual([]);
          expect(await chain.differences()).toEqual([]);
          const expected = expectedCosts(world);
          expect(await costsIn(world, 'costing', 'cost_entry')).toEqual(expected);
          expect(await costsIn(world, 'costing', 'cost_hour')).toEqual(expected);
          expect(await costsIn(world, 'attribution', 'cost_fact')).toEqual(expected);
          expect(await costsIn(world, 'attribution', "rollup_day where dimension_key = ''")).toEqual(expected);
          expect(await costsIn(world, 'attribution', 'end_user_month')).toEqual(expected);
        } finally {
          await chain.close();
        }
      },
    ),
    runs(2, { nightly: 100 }),
  );
});
