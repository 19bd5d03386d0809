/** Syncs the revenue of an organization and waits until the sync has ended. */
import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { COUNT } from '../../../kit/flags.ts';
import { ORGANIZATION } from '../../flags.ts';

const RUN = `id finished state error records_created: recordsCreated records_updated: recordsUpdated records_skipped: recordsSkipped
  records_in_other_currencies: recordsInOtherCurrencies subscriptions customers invoices mode notes`;
const START = graphql(`mutation RevenueSync($full: Boolean!) {
  revenueSync(input: { full: $full }) { run { ${RUN} } userErrors { message } }
}`);
const LOOK = graphql(`query RevenueSyncRun($id: ID!) { revenueSyncRun(id: $id) { ${RUN} } }`);
const TIMEOUT_SECONDS = 300;
const LOOK_EVERY_MILLISECONDS = 500;

export const revenueSync: Command = {
  name: 'revenue sync',
  summary: 'Syncs revenue records from the payment processor and waits until it finishes.',
  flags: {
    organization: ORGANIZATION,
    full: { about: 'read everything, not only what is new or changed' },
    timeout: { form: COUNT, about: `seconds to wait; default: ${TIMEOUT_SECONDS}` },
  },
  async run(args, gateway) {
    const organizationId = args.text('organization');
    const until = elapsedMilliseconds() + (args.optionalCount('timeout') ?? TIMEOUT_SECONDS) * 1000;
    const { revenueSync } = await gateway.ask(START, { full: args.has('full') }, organizationId);
    let run = revenueSync.run!;
    while (!run.finished && run.error === null && elapsedMilliseconds() < until) {
      await pause(LOOK_EVERY_MILLISECONDS);
      run = (await gateway.ask(LOOK, { id: run.id }, organizationId)).revenueSyncRun;
    }
    const { id, finished, error, ...counts } = run;
    const output = { ...counts, run_id: id, error };
    if (run.state === 'finished') return { output };
    if (error !== null) return { output, error: `The sync failed and will be retried: ${error}` };
    return {
      output,
      error: finished
        ? 'The sync was abandoned: the connection has changed'
        : 'The sync has not finished yet and continues',
    };
  },
};
