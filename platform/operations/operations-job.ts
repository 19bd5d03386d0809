/** Runs long operations without an owner: new ones, and those whose process stopped. */
import { elapsedMilliseconds } from '../clock.ts';
import type { Database } from '../database/open-database.ts';
import type { Job } from '../job-loop.ts';
import { observedGauges } from '../metrics.ts';
import { randomUuid } from '../random.ts';
import { claimOperation } from './operation-lease.ts';
import { countStoppedOperations, OPERATION_CHANNEL, pruneOperations } from './operation-table.ts';
import { type OperationKind, takeSteps } from './run-operation.ts';

const PRUNE_EVERY_MILLISECONDS = 600_000;

/** Time after which the job switches to another operation. */
const TURN_MILLISECONDS = 1_000;

export function operationsJob(database: Database, kinds: readonly OperationKind[]): Job {
  const known = new Map(kinds.map((kind) => [kind.kind, kind]));
  let pruneAt = 0;
  observedGauges(
    {
      name: 'books_operations_stopped',
      help: 'Long operations that have failed, or have made no progress for ten minutes.',
      labels: ['subgraph'],
      key: database.name,
    },
    async () => [{ labels: { subgraph: database.name }, value: await database.system(countStoppedOperations) }],
  );
  return {
    name: 'operations',
    restMilliseconds: 1_000,
    parallel: 2,
    channel: OPERATION_CHANNEL,
    async step(found) {
      const owner = randomUuid();
      if (elapsedMilliseconds() >= pruneAt) {
        pruneAt = elapsedMilliseconds() + PRUNE_EVERY_MILLISECONDS;
        await database.system(pruneOperations);
      }
      const operation = await claimOperation(database, owner, [...known.keys()]);
      const kind = operation && known.get(operation.kind);
      if (!kind) return 'idle';
      found?.();
      const until = elapsedMilliseconds() + TURN_MILLISECONDS;
      await takeSteps(database, kind, operation, owner, () => elapsedMilliseconds() < until);
      return 'more';
    },
  };
}
