/**
 * Writes facts and end users of one organization when the database rejects some of them. Only the rejected ones are
 * set aside.
 */
import { isContentError } from '#platform/content-error.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import type { Log } from '#platform/log.ts';
import { rememberEndUsers } from '../end-users/end-user.table.ts';
import { applyFacts } from '../rollups/apply-facts.step.ts';
import { arrivingEndUsers, arrivingFacts, type Portion } from '../rollups/arriving-fact.ts';
import { READ_FACTS } from '../rollups/cost-fact.table.ts';
import { recordRefusal, type Refusal } from './refused-fact.table.ts';

/** Must run under the lock of the organization's offset. `arrival` is the number of this transaction. */
export async function applyWithQuarantine(
  tx: WriteTransaction,
  portion: Portion,
  arrival: string,
  log: Log,
): Promise<void> {
  const { organizationId } = portion;
  await takeInHalves(tx, arrivingEndUsers([portion]), rememberEndUsers, (endUser, error) =>
    refuse(tx, { organizationId, id: endUser.id, item: endUser }, error, log),
  );
  await takeInHalves(
    tx,
    arrivingFacts([portion]),
    async (within, facts) =>
      void (await applyFacts(within, facts, new Map([[organizationId, arrival]]), { mayDefer: false })),
    (fact, error) => refuse(tx, { organizationId, id: `${fact.eventId}/${fact.sequence}`, item: fact }, error, log),
  );
}

/** Returns the portion without facts that the database cannot even read; those are set aside. */
export async function keepReadable(tx: WriteTransaction, portion: Portion, log: Log): Promise<Portion> {
  const { organizationId, facts } = portion;
  const refused = new Set<object>();
  await takeInHalves(
    tx,
    facts,
    (within, some) => within.run(READ_FACTS, { facts: JSON.stringify(some) }),
    async (fact, error) => {
      refused.add(fact);
      await refuse(tx, { organizationId, id: `${fact.eventId}/${fact.sequence}`, item: fact }, error, log);
    },
  );
  return { ...portion, facts: facts.filter((fact) => !refused.has(fact)) };
}

async function refuse(tx: WriteTransaction, what: Omit<Refusal, 'reason'>, error: unknown, log: Log): Promise<void> {
  const { organizationId, id } = what;
  log.error({ err: error, organizationId, fact: id }, 'A fact of the feed could not be applied and was set aside');
  await recordRefusal(tx, { ...what, reason: error instanceof Error ? error.message : String(error) });
}

const SAVEPOINT = statement<object>('savepoint taking');
const ROLL_BACK = statement<object>('rollback to savepoint taking');
const RELEASE = statement<object>('release savepoint taking');

/** Splits a failing batch in halves until a single item fails. */
async function takeInHalves<Item>(
  tx: WriteTransaction,
  items: readonly Item[],
  take: (tx: WriteTransaction, items: readonly Item[]) => Promise<void>,
  refuse: (item: Item, error: unknown) => Promise<void>,
): Promise<void> {
  const [first] = items;
  if (first === undefined) return;
  await tx.run(SAVEPOINT, {});
  try {
    await take(tx, items);
    await tx.run(RELEASE, {});
  } catch (error) {
    if (!isContentError(error)) throw error;
    await tx.run(ROLL_BACK, {});
    await tx.run(RELEASE, {});
    if (items.length === 1) return refuse(first, error);
    const half = Math.ceil(items.length / 2);
    await takeInHalves(tx, items.slice(0, half), take, refuse);
    await takeInHalves(tx, items.slice(half), take, refuse);
  }
}
