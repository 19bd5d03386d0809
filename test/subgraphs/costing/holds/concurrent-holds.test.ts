/**
 * Open holds and settled costs never exceed an allowance, at any commit. The database checks this while 64 callers
 * request, settle, release and resend holds or let them expire, and connections are lost.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import { withClient } from '#platform/database/prepare-database.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { listAllowances } from '../../../../subgraphs/costing/allowances/list-allowances.operation.ts';
import { saveAllowance } from '../../../../subgraphs/costing/allowances/save-allowance.operation.ts';
import { expireHoldsJob } from '../../../../subgraphs/costing/holds/expire-holds.job.ts';
import { openHold } from '../../../../subgraphs/costing/holds/open-hold.operation.ts';
import { releaseHold } from '../../../../subgraphs/costing/holds/release-hold.operation.ts';
import { ingestUsageEvents } from '../../../../subgraphs/costing/ingestion/ingest-usage-events.operation.ts';
import { verifyCosting } from '../../../../subgraphs/costing/verification/verify-costing.operation.ts';
import { type Costing, event, startCosting } from '../costing-builder.ts';

import { isOnNodes } from '../../../support/fresh-database.ts';
import { runs } from '../../../support/property-runs.ts';

let costing: Costing;
beforeAll(async () => {
  costing = await startCosting();
  await withClient(costing.database.target, (client) =>
    client.query(`
      create function check_allowance() returns trigger language plpgsql as $$ begin
        if new.held < 0 or new.held + new.spent > (select amount from allowance a where a.organization_id = new.organization_id and a.id = new.allowance_id)
        then raise exception 'held % and spent % exceed the allowance', new.held, new.spent; end if;
        return new;
      end $$;
      create trigger check_allowance after insert or update on allowance_period for each row execute function check_allowance()`),
  );
});
afterAll(() => costing.close());

const CALLERS = 64;
/** Cents. */
const caller = fc.record({
  endUser: fc.constantFrom('anna', 'bert'),
  agent: fc.constantFrom('support', 'sales', null),
  held: fc.integer({ min: 1, max: 20 }),
  costPercent: fc.integer({ min: 0, max: 100 }),
  then: fc.constantFrom('settle', 'settle without key', 'release', 'expire', 'keep'),
  resends: fc.integer({ min: 0, max: 1 }),
});
type Caller = typeof caller extends fc.Arbitrary<infer Value> ? Value : never;

const usd = (cents: number) => (cents / 100).toFixed(4);

/** Repeats what failed because its connection was lost; every request has a key, so nothing happens twice. */
async function despiteLosses<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work();
    } catch (error) {
      const { message } = error as Error;
      if (attempt === 50 || /exceed the allowance|check_allowance/.test(message)) throw error;
    }
}

async function act(
  context: SubgraphContext,
  { endUser, agent, held, costPercent, then, resends }: Caller,
  key: string,
) {
  const ask = () =>
    despiteLosses(() =>
      openHold(context, { idempotencyKey: key, spend: { endUser, agent, amount: usd(held) }, ttlSeconds: 3_600 }),
    );
  const answers = await Promise.all(Array.from({ length: 1 + resends }, ask));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  const [{ allowed, holdId } = { allowed: false, holdId: null }] = answers;
  if (!allowed || holdId === null) return { held: 0, spent: 0 };
  if (then === 'release') await despiteLosses(() => releaseHold(context, holdId));
  if (then === 'expire') {
    await despiteLosses(() =>
      costing.rows("update hold set expires_at = now() - interval '1 second' where id = $1", [holdId]),
    );
    return { held: 0, spent: 0 };
  }
  if (!then.startsWith('settle')) return { held: then === 'keep' ? held : 0, spent: 0 };
  const spent = Math.floor((held * costPercent) / 100);
  const metadata = { hold_id: holdId, ...(agent === null ? {} : { agent_id: agent }) };
  await despiteLosses(() =>
    ingestUsageEvents(context, [event(key, { cost_override: usd(spent), user_id: endUser, metadata })]),
  );
  return { held: 0, spent };
}

async function history(callers: readonly Caller[], limits: readonly number[], isCut: boolean) {
  const organizationId = randomUUID();
  const of = (context: SubgraphContext) => ({ ...context, principal: { ...context.principal, organizationId } });
  const [live, operator] = [of(costing.live), of(costing.operator)];
  const [everybody = 1, anna = 1, support = 1] = limits;
  const save = (subject: 'ORGANIZATION' | 'END_USER' | 'AGENT', subjectId: string | null, cents: number) =>
    saveAllowance(operator, { subject, subjectId, period: 'DAY', policy: 'DENY', amount: usd(cents) });
  await save('ORGANIZATION', null, everybody);
  await save('END_USER', 'anna', anna);
  await save('AGENT', 'support', support);
  let isRunning = true;
  const whileRunning = async (work: () => Promise<unknown>) => {
    while (isRunning) await work().catch((error: Error) => expect(error.message).not.toMatch(/exceed the allowance/));
  };
  const job = expireHoldsJob({ database: costing.database });
  const background = [whileRunning(() => costing.settle()), whileRunning(() => job.step())];
  if (isCut)
    background.push(
      whileRunning(() =>
        withClient(costing.database.target, async (client) => {
          await client.query('select pg_sleep(0.05)');
          await client.query(`select pg_terminate_backend(pid) from (
            select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() order by random() limit 2) some`);
        }),
      ),
    );
  const done = await Promise.all(callers.map((each, index) => act(live, each, `call-${index}`))).finally(() => {
    isRunning = false;
  });
  await Promise.all(background);
  while ((await job.step()) === 'more');
  await costing.settle();
  const total = (name: 'held' | 'spent') => done.reduce((sum, one) => sum + Math.round(one[name]), 0);
  const { nodes } = await listAllowances(operator, { first: 10 });
  expect([Number(nodes[0]!.held), Number(nodes[0]!.spent)]).toEqual([total('held') / 100, total('spent') / 100]);
  expect((await verifyCosting(operator)).flatMap((check) => check.differences)).toEqual([]);
}

const limits = fc.array(fc.integer({ min: 20, max: 400 }), { minLength: 3, maxLength: 3 });
const callers = fc.array(caller, { minLength: CALLERS, maxLength: CALLERS });

it.skipIf(isOnNodes())(
  'no allowance is exceeded by 64 concurrent callers with any holds',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(callers, limits, (some, of) => history(some, of, false)),
      runs(3, { nightly: 100 }),
    );
  },
);

it.skipIf(isOnNodes())(
  'no allowance is exceeded even if connections are lost at any moment',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(callers, limits, (some, of) => history(some, of, true)),
      runs(2, { nightly: 50 }),
    );
  },
);
