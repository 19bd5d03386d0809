/**
 * Shared by `ingest`, `chain` and `memory`: a service, an organization with several keys, and the yardstick next to
 * it.
 */
import { settle } from './ask-operator.ts';
import { type DatabaseConnection, connectDatabase } from './database-connection.ts';
import { createOrganization, type Organization } from './organization.ts';
import { openRawInserts, type RawInserts } from './raw-insert.ts';
import { sendLoad } from './send-load.ts';
import { type Service, type StartOptions, startService } from './start-service.ts';
import { type SignedRequest, signedBatches } from './signed-batches.ts';
import type { Shape } from '../workload/customer.ts';

export interface LoadedService {
  readonly service: Service;
  readonly organization: Organization;
  readonly yardstick: RawInserts;
  readonly next: () => SignedRequest;
  /** Waits until no event is queued (if jobs run) and flushes dirty pages, so that both sides begin alike. */
  calm(): Promise<void>;
  stop(): Promise<void>;
}

export const KEYS = 4;
const WARMING_SECONDS = 2;

export async function startLoadedService(
  connections: number,
  shape: Shape,
  options: StartOptions = {},
): Promise<LoadedService> {
  const service = await startService(options);
  const organization = await createOrganization(service, 'Benchmark', { ingestKeys: KEYS });
  const yardstick = await openRawInserts(service, connections, { shape });
  const database: DatabaseConnection = await connectDatabase(service.dataDirectory, 'costing');
  const next = signedBatches(organization.ingestKeys, { shape });
  await sendLoad({ url: service.url, next, connections, seconds: WARMING_SECONDS });
  return {
    service,
    organization,
    yardstick,
    next,
    async calm() {
      if (options.runsJobs !== false) await settle(service);
      await database.client.query('checkpoint');
    },
    async stop() {
      await database.close();
      await yardstick.close();
      await service.stop();
    },
  };
}
