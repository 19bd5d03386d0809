/** Runs a stand-in for the payment processor for the duration of one sync. */
import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMilliseconds, now } from '#platform/clock.ts';
import type { OperatorGateway } from '../../cli/kit/operator-gateway.ts';
import type { WithTexts } from '#schema/answer-texts.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { start } from '../../packages/stripe-stand-in/server.ts';
import { progressBar } from '../progress-bar.ts';
import { fillAccount } from './fill-account.ts';

export type SyncedRevenue = WithTexts<DataOf<'DemoSyncRun'>>['revenueSyncRun'];

const RUN = 'id state error customers subscriptions invoices recordsCreated recordsSkipped recordsInOtherCurrencies';
const TIMEOUT_SECONDS = 120;
const LOOK_EVERY_MILLISECONDS = 200;

/**
 * Connects the account, syncs it completely, and disconnects it: the processor ends with the demo, so a remaining
 * connection would always fail. The records are kept. `began`: midnight of the product's first day.
 */
export async function syncFromStandIn(
  gateway: OperatorGateway,
  organizationId: string,
  began: Date,
): Promise<SyncedRevenue> {
  const account = fillAccount(began, now());
  const standIn = await start({ account });
  try {
    const input = { apiKey: [...standIn.keys.keys()][0]!, apiBase: standIn.url };
    await gateway.ask(
      graphql(
        'mutation ConnectRevenue($input: RevenueConnectInput!) { revenueConnect(input: $input) { connection { id } userErrors { message code } } }',
      ),
      { input },
      organizationId,
    );
    const { customers, subscriptions, invoices } = account.objects;
    const progress = progressBar(
      'customers, subscriptions and invoices',
      customers.size + subscriptions.size + invoices.size,
    );
    try {
      return await sync(gateway, organizationId, progress);
    } finally {
      await gateway.ask(
        graphql(
          'mutation DisconnectRevenue { revenueDisconnect(input: {}) { connection { id } userErrors { message code } } }',
        ),
        {},
        organizationId,
      );
    }
  } finally {
    await standIn.stop();
  }
}

async function sync(
  gateway: OperatorGateway,
  organizationId: string,
  progress: (done: number) => void,
): Promise<SyncedRevenue> {
  const until = elapsedMilliseconds() + TIMEOUT_SECONDS * 1000;
  const { revenueSync } = await gateway.ask(
    graphql(
      `mutation DemoSync { revenueSync(input: { waitSeconds: 0, full: true }) { run { ${RUN} } userErrors { message code } } }`,
    ),
    {},
    organizationId,
  );
  let run: SyncedRevenue = revenueSync.run!;
  for (let shown = 0; ;) {
    const done = run.customers + run.subscriptions + run.invoices;
    if (done > shown) progress((shown = done));
    if (run.state === 'finished') return run;
    if (run.error !== null || run.state === 'abandoned')
      throw new Error(`The sync of revenue failed: ${run.error ?? 'the connection was changed in the meantime'}`);
    if (elapsedMilliseconds() > until) throw new Error(`The sync of revenue took longer than ${TIMEOUT_SECONDS} s`);
    await pause(LOOK_EVERY_MILLISECONDS);
    run = (
      await gateway.ask(
        graphql(`query DemoSyncRun($id: ID!) { revenueSyncRun(id: $id) { ${RUN} } }`),
        { id: run.id },
        organizationId,
      )
    ).revenueSyncRun;
  }
}
