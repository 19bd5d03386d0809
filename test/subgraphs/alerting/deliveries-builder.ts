/** Alerting with its own database, whose deliveries go to a receiver on this machine. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { readConfig } from '#platform/config.ts';
import { query } from '#platform/database/sql.ts';
import { anonymous } from '#platform/principal.ts';
import { makeSubgraph, type SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import type { AlertTransition } from '../../../subgraphs/alerting/deliveries/alert-payload.ts';
import { enqueueDeliveries } from '../../../subgraphs/alerting/deliveries/enqueue-deliveries.step.ts';
import { alerting } from '../../../subgraphs/alerting/main.ts';
import { freshDatabase } from '../../support/fresh-database.ts';
import { Mortal } from '../../support/mortal.ts';
import { sealingUnder } from '../../support/sealing.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';

export const SERVICE_SECRET = 'a secret of the service that has more than thirty-two characters';

export type AlertingService = Awaited<ReturnType<typeof startAlerting>>;

export async function startAlerting(settings: Readonly<Record<string, string>> = {}) {
  const database = await freshDatabase(alerting);
  const receiver = await startWebhookReceiver();
  const life = new Mortal();
  const organizationId = randomUUID();
  const logged: string[] = [];
  const config = readConfig({
    OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    APP_URL: 'https://books.example',
    ...settings,
  });
  const dependencies = {
    database: life.through(database),
    log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
    sealing: sealingUnder(SERVICE_SECRET),
    config,
  } as unknown as SubgraphDependencies;
  const subgraph = inProcessSubgraph(makeSubgraph(alerting, dependencies));
  const jobNamed = (name: string) => alerting.jobs(dependencies).find((job) => job.name === name)!;
  const job = jobNamed('deliver-alerts');
  const rows = <Row>(text: string, parameters: readonly unknown[] = []) =>
    database.system((tx) => query<Row>(tx, text, parameters));

  /** The data of the response. Errors of the request are thrown; `grants` are an owner's by default. */
  async function ask(
    document: string,
    variables: Record<string, unknown> = {},
    { grants = ['owner'], organization = organizationId }: { grants?: string[]; organization?: string | null } = {},
  ): Promise<any> {
    const principal = { ...anonymous('test'), kind: 'session' as const, organizationId: organization, grants };
    const { data, errors } = await subgraph.execute(document, variables, principal);
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  }

  return {
    organizationId,
    receiver,
    life,
    target: database.target,
    logged,
    config,
    dependencies,
    rows,
    ask,
    /** One step of the job. */
    step: () => job.step(),
    runJob: (name: string) => jobNamed(name).step(),
    /** Runs the job until nothing is due. */
    async sendAll(): Promise<void> {
      while ((await job.step()) === 'more');
    },
    /** Makes the next attempts due, and the leases of dead processes expired. */
    async passTime(): Promise<void> {
      await rows("update alert_delivery set due_at = now() - interval '1 s' where due_at is not null");
      await rows("update alert_delivery set lease_until = now() - interval '1 s' where lease_until is not null");
    },
    enqueue: (transition: Partial<AlertTransition> & Pick<AlertTransition, 'channelIds'>) =>
      dependencies.database.system((tx) =>
        enqueueDeliveries(tx, organizationId, { ...TRANSITION, ...transition }, config.appUrl),
      ),
    async save(input: object): Promise<{ alertChannel: any; secret: string; userErrors: any[] }> {
      return (await ask(SAVE, { input })).alertChannelSave;
    },
    /** A webhook to the receiver. */
    async webhook(path = '/hooks', name = 'A webhook') {
      const { alertChannel, secret } = await this.save({ kind: 'WEBHOOK', name, target: `${receiver.url}${path}` });
      return { id: alertChannel.id as string, secret };
    },
    async deliveries(filter: Record<string, unknown> = {}): Promise<any[]> {
      return (await ask(DELIVERIES, filter)).alertDeliveries.nodes;
    },
    async channel(id: string): Promise<any> {
      const { alertChannels } = await ask(`{ alertChannels { ${CHANNEL} } }`);
      return alertChannels.find((channel: { id: string }) => channel.id === id);
    },
    async close(): Promise<void> {
      await receiver.close();
      await database.close();
    },
  };
}

const TRANSITION: AlertTransition = {
  episodeId: '01a0b1c2-0000-7000-8000-000000000001',
  ruleId: '01a0b1c2-0000-7000-8000-000000000002',
  ruleName: 'Unusual cost',
  kind: 'ANOMALY',
  transition: 'opened',
  sentence: 'Costs of 21 November were $12.50, 3 times the usual $4.10.',
  path: '/alerts/01a0b1c2-0000-7000-8000-000000000001',
  at: new Date('2026-11-22T02:00:00.000Z'),
  channelIds: [],
};

const CHANNEL = `id kind name target isEnabled problem disabledReason failingSince previousSecretUntil confirmedAt`;

const SAVE = `mutation Save($input: AlertChannelSaveInput!) {
  alertChannelSave(input: $input) { alertChannel { ${CHANNEL} } secret userErrors { field message code } }
}`;

const DELIVERIES = `query Deliveries($channelId: ID, $episodeId: ID) {
  alertDeliveries(channelId: $channelId, episodeId: $episodeId) {
    nodes {
      id channelId channel { name } episodeId eventType state dueAt deliveredAt gaveUpAt error body
      attempts { attempt statusCode error answer }
    }
  }
}`;
