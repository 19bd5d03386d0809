/**
 * Alerting within the whole service: every subgraph in one process with its own database. Jobs run only when a test
 * runs them.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { start, type StripeStandIn } from '../../../packages/stripe-stand-in/server.ts';
import { readConfig } from '#platform/config.ts';
import { query } from '#platform/database/sql.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { createLog } from '#platform/log.ts';
import { anonymous, type Principal } from '#platform/principal.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { GraphqlDocument } from '#schema/graphql.ts';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { makeGateway, transportsInWaiting } from '../../../start/assemble.ts';
import { makeSubgraphs } from '../../../start/make-subgraphs.ts';
import { openDatabases } from '../../../start/databases.ts';
import { definitions } from '../../../start/definitions.ts';
import { keyRings } from '../../../start/service-secret.ts';
import { evaluateDue } from '../../../subgraphs/alerting/evaluation/evaluate-due.step.ts';
import { addOrganizations } from '../../../subgraphs/alerting/evaluation/organization-evaluation.table.ts';
import { serviceTarget } from '../../support/fresh-database.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { urlOf } from '../../support/running-service.ts';

export interface Alerting {
  readonly database: Database;
  readonly gateway: GatewayClient;
  readonly standIn: StripeStandIn;
  /** Sends live events whose cost is `cost_override`. */
  send(organizationId: string, events: readonly Readonly<Record<string, unknown>>[]): Promise<void>;
  /** Prices, attributes and syncs until nothing is left to do. */
  settle(): Promise<void>;
  /**
   * Runs a round at an instant, past or future, for one organization, or for all that {@link watch} was called with.
   */
  evaluate(at: string | Date, organizationId?: string): Promise<void>;
  /** Sends everything in the outbox. */
  deliver(): Promise<void>;
  /** Runs one job until it is idle. */
  run(job: string): Promise<void>;
  /** Makes the organization known to the rounds, as the first round that sees it does. */
  watch(organizationId: string): Promise<void>;
  /** Executes GraphQL as an operator acting on the organization, or with other grants. */
  ask(
    organizationId: string,
    document: string,
    variables?: Record<string, unknown>,
    grants?: readonly string[],
  ): Promise<any>;
  /** Creates a rule and returns its id. */
  rule(organizationId: string, input: Readonly<Record<string, unknown>>): Promise<string>;
  /** Open and closed episodes, oldest first. */
  episodes(organizationId: string): Promise<any[]>;
  rows<Row>(text: string, parameters?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

const ALL = ['operator', 'costs:read', 'revenue:read', 'usage:read', 'dimensions:read', 'usage:write'];
const EPISODES = `{ alertEpisodes(first: 200) { nodes {
  id ruleId ruleName kind state groupKey groupName severity level openedAt closedAt closedReason acknowledgedAt sentence
  figures { name value unit } windowStart windowEnd computedAt query { document variables } path
} } }`;
/**
 * The first four jobs query all organizations, which these tests do not use. The others delete or check old rows, which
 * no figure depends on; they executed most statements of each `settle`.
 */
const LEFT_OUT = [
  'evaluate-alerts',
  'delete-organizations',
  'end-long-reports',
  'verify-changes',
  'deliver-alerts',
  'check-offsets',
  'compare-with-ledger',
  'drop-metadata',
  'forget-alert-deliveries',
  'prune-feed',
  'purge-expired',
];

export async function startAlerting(): Promise<Alerting> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'books-alerting-'));
  const standIn = await start();
  const targets = await Promise.all(
    SUBGRAPH_NAMES.map(async (name) => [`${name.toUpperCase()}_DATABASE_URL`, urlOf(await serviceTarget(name))]),
  );
  const config = readConfig({
    DATA_DIR: dataDirectory,
    STRIPE_API_BASE: standIn.url,
    OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    ...Object.fromEntries(targets),
  });
  const log = createLog('fatal');
  const databases = await openDatabases(definitions, config, () => {});
  const keys = keyRings(config);
  const { transports, connect } = transportsInWaiting();
  const { gateway, client } = await makeGateway(transports, config, keys.signing, log);
  const subgraphs = await makeSubgraphs(definitions, databases, { config, log, keys, gateway: client }, () => {});
  connect(subgraphs);
  const jobs = subgraphs.flatMap((subgraph) => subgraph.jobs).filter(({ name }) => !LEFT_OUT.includes(name));
  const database = databases.of['alerting'];
  const revenue = databases.of['revenue'];
  if (!database || !revenue) throw new Error('A database is not open');
  const watched = new Set<string>();

  const principalOf = (organizationId: string, grants: readonly string[]): Principal => ({
    ...anonymous(randomUUID()),
    kind: 'operator',
    organizationId,
    environment: 'live',
    grants,
  });
  const ask: Alerting['ask'] = async (organizationId, document, variables = {}, grants = ALL) => {
    const text = document as GraphqlDocument<unknown>;
    const { data, errors } = await client.execute(text, variables, principalOf(organizationId, grants));
    if (errors?.length) throw Object.assign(new Error(errors[0]?.message), { code: errors[0]?.extensions?.['code'] });
    return JSON.parse(JSON.stringify(data));
  };
  const rows: Alerting['rows'] = (text, parameters = []) => database.system((tx) => query(tx, text, parameters));

  const run: Alerting['run'] = async (name) => {
    const job = subgraphs.flatMap((subgraph) => subgraph.jobs).find((one) => one.name === name);
    while ((await job?.step()) === 'more');
  };

  return {
    database,
    gateway: client,
    standIn,
    ask,
    rows,
    async send(organizationId, events) {
      for (let from = 0; from < events.length; from += 100) {
        const page = events.slice(from, from + 100).map((event) => usageEvent(event));
        const document = 'mutation ($events: JSON!) { ingestUsageEvents(events: $events) }' as GraphqlDocument<unknown>;
        const sender = {
          ...principalOf(organizationId, ['usage:write']),
          kind: 'api-key',
          accountUserId: randomUUID(),
          credentialId: randomUUID(),
        } as const;
        const { errors } = await client.execute(document, { events: page }, sender);
        if (errors?.length) throw new Error(errors[0]?.message);
      }
    },
    async settle() {
      await revenue.system((tx) => query(tx, "update payment_connection set due_at = now() - interval '1 second'"));
      // Jobs that list the organizations take steps in every round, so a round without any may never come. Nothing is left
      // once a round takes the same steps as the one before.
      for (let before = ''; ;) {
        const steps: (string | number)[] = [];
        for (const job of jobs) {
          let [outcome, count] = [await job.step(), 0];
          for (; outcome === 'more'; outcome = await job.step()) count++;
          steps.push(outcome === 'soon' ? outcome : count);
        }
        const round = steps.join(' ');
        if (round === before && !steps.includes('soon')) return;
        before = round;
        await pause(1);
      }
    },
    deliver: () => run('deliver-alerts'),
    run,
    async watch(organizationId) {
      watched.add(organizationId);
      await database.system((tx) => addOrganizations(tx, [organizationId], new Date(0)));
    },
    async evaluate(at, organizationId) {
      await rows(
        `update organization_place set due_at = case when organization_id = any ($1::uuid[]) then to_timestamp(0)
           else 'infinity'::timestamptz end, attempt = 0`,
        [organizationId === undefined ? [...watched] : [organizationId]],
      );
      await evaluateDue({ database, gateway: client, log, appUrl: config.appUrl }, new Date(at));
    },
    async rule(organizationId, input) {
      const document = `mutation ($input: AlertRuleSaveInput!) {
        alertRuleSave(input: $input) { alertRule { id } userErrors { field message } }
      }`;
      const { alertRuleSave } = await ask(organizationId, document, { input: { name: 'A rule', ...input } });
      if (alertRuleSave.userErrors.length > 0) throw new Error(JSON.stringify(alertRuleSave.userErrors));
      return alertRuleSave.alertRule.id;
    },
    async episodes(organizationId) {
      return (await ask(organizationId, EPISODES)).alertEpisodes.nodes.reverse();
    },
    async close() {
      await gateway.stop();
      await databases.close();
      await standIn.stop();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}
