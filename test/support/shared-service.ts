/**
 * One started service for all test files of a worker, which share its process. Each file has an organization of its own.
 * A test that configures the service, reads data beyond one organization (metrics, logs, the list of organizations), or
 * damages something, starts its own with `runningService`.
 */
import { randomBytes } from 'node:crypto';
import { graphql } from './api-client.ts';
import { freePort } from './free-port.ts';
import { type FirstRun, type RunningService, runningService } from './running-service.ts';

export interface SharedService extends RunningService {
  readonly serviceSecret: string;
}

const serviceSecret = randomBytes(32).toString('hex');
let starting: Promise<SharedService> | undefined;
let organizations = 0;

/**
 * `firstRun` is like that of a first start: an organization, its owner and three keys. `stop` only stops the jobs, which
 * would see the moved clock of a later file.
 */
export async function sharedService(): Promise<SharedService> {
  starting ??= ownService();
  const service = await starting;
  await service.runJobs(true);
  const firstRun = await newOrganization(service);
  return { ...service, firstRun, stop: () => service.runJobs(false) };
}

/** A service with these settings, which knows its own address. */
export async function ownService(settings: Readonly<Record<string, string>> = {}): Promise<SharedService> {
  const service = await runningService({ PORT: String(await freePort()), SERVICE_SECRET: serviceSecret, ...settings });
  return { ...service, serviceSecret };
}

async function newOrganization({ url, firstRun: { operator_token: operator } }: RunningService): Promise<FirstRun> {
  const number = ++organizations;
  const email = `owner-${number}@example.com`;
  const password = `the password of owner ${number}`;
  const ask = async (document: string, variables: object, organization?: string) => {
    const { body } = await graphql(url, operator, document, variables, organization);
    const answer = body.data && Object.values<any>(body.data).find(({ userErrors }) => userErrors.length === 0);
    if (!answer) throw new Error(JSON.stringify(body));
    return body.data;
  };
  const { made } = await ask(
    `mutation ($input: OrganizationCreateInput!) {
      made: organizationCreate(input: $input) { createdOrganization { organization { id } } userErrors { message } }
    }`,
    { input: { name: `Organization ${number}`, ownerEmail: email, ownerPassword: password } },
  );
  const organization: string = made.createdOrganization.organization.id;
  const key = 'createdApiKey { secret } userErrors { message }';
  const { read, ingest, test } = await ask(
    `mutation {
      read: apiKeyCreate(input: { name: "Default read", environment: "live", preset: "read" }) { ${key} }
      ingest: apiKeyCreate(input: { name: "Default ingestion", environment: "live", preset: "ingest" }) { ${key} }
      test: apiKeyCreate(input: { name: "Default test ingestion", environment: "test", preset: "ingest" }) { ${key} }
    }`,
    {},
    organization,
  );
  return {
    operator_token: operator,
    owner_email: email,
    owner_password: password,
    organization_id: organization,
    live_read_key: read.createdApiKey.secret,
    live_ingest_key: ingest.createdApiKey.secret,
    test_ingest_key: test.createdApiKey.secret,
  };
}
