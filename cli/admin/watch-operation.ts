/** Waits for a long operation and shows its progress. The operation continues when the command is stopped. */
import type { OrganizationId } from '#kernel/ids.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { graphql } from '#schema/graphql.ts';
import type { OperatorGateway } from '../kit/operator-gateway.ts';
import { progressBar } from '../kit/progress-bar.ts';

const DOCUMENT = graphql(`query WatchedOperation($id: ID!) {
  costing: costingOperation(id: $id) { state done total lastError updatedAt }
  attribution: attributionOperation(id: $id) { state done total lastError updatedAt }
}`);
const LOOK_EVERY_MILLISECONDS = 250;
const STANDSTILL_SECONDS = 120;

/**
 * Fails if the operation is cancelled, has failed, or makes no progress. `total` is used if the operation does not
 * know its own.
 */
export async function watchOperation(
  gateway: OperatorGateway,
  id: string,
  organizationId?: OrganizationId,
  total: number | null = null,
): Promise<void> {
  const bar = progressBar(process.stderr);
  bar.say(`Operation ${id} continues without this command. To stop it: operation cancel --id ${id}`);
  let last = { updatedAt: '', seenAt: elapsedMilliseconds() };
  for (;;) {
    const { costing, attribution } = await gateway.ask(DOCUMENT, { id }, organizationId);
    const operation = costing ?? attribution;
    if (!operation) throw new Error(`Operation ${id} not found`);
    const { state, done, lastError, updatedAt } = operation;
    bar.draw(done, operation.total ?? total);
    if (state !== 'running') bar.end();
    if (state === 'finished') return;
    if (state !== 'running')
      throw new Error(
        `Operation ${id} was ${state}${lastError ? `: ${lastError}` : ''}. To continue: operation resume --id ${id}`,
      );
    if (updatedAt !== last.updatedAt) last = { updatedAt, seenAt: elapsedMilliseconds() };
    if (elapsedMilliseconds() - last.seenAt > STANDSTILL_SECONDS * 1_000)
      throw new Error(`Operation ${id} makes no progress: is a process running that executes jobs?`);
    await pause(LOOK_EVERY_MILLISECONDS);
  }
}
