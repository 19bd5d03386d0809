/** Waits for a long operation and draws how far it has come. It goes on when the command is stopped. */
import { setTimeout as pause } from 'node:timers/promises';
import { graphql } from '../../schema/graphql.ts';
import type { OperatorGateway } from '../kit/operator-gateway.ts';
import { progressBar } from '../kit/progress-bar.ts';

const DOCUMENT = graphql(
  'query WatchedOperation($id: ID!) { operation: costingOperation(id: $id) { state done total lastError } }',
);
const LOOK_EVERY_MILLISECONDS = 250;

/** Fails when it is cancelled or has failed. */
export async function watchOperation(gateway: OperatorGateway, id: string, organizationId?: string): Promise<void> {
  const bar = progressBar(process.stderr);
  bar.say(`Operation ${id} goes on without this command: operation cancel --id ${id} stops it`);
  for (;;) {
    const { operation } = await gateway.ask(DOCUMENT, { id }, organizationId);
    if (!operation) throw new Error(`There is no operation ${id}`);
    const { state, done, total, lastError } = operation;
    bar.draw(done, total ?? null);
    if (state !== 'running') bar.end();
    if (state === 'finished') return;
    if (state !== 'running')
      throw new Error(
        `Operation ${id} was ${state}${lastError ? `: ${lastError}` : ''}; operation resume --id ${id} goes on with it`,
      );
    await pause(LOOK_EVERY_MILLISECONDS);
  }
}
