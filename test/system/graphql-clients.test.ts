/**
 * Apollo Client, urql and Relay, set up as in docs/guides/graphql.md, cache the graph without configuration: panels
 * share a window, and the answer of a mutation updates what another query has read.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApolloClient, gql } from '@apollo/client';
import { preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import type { Client } from '@urql/core';
import { parse } from 'graphql';
import {
  commitMutation,
  type ConcreteRequest,
  createOperationDescriptor,
  type Environment,
  fetchQuery,
  getRequest,
} from 'relay-runtime';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { graphql, post, settle } from '../support/api-client.ts';
import { type StrictProject, strictProject } from '../support/compile-strictly.ts';
import { projectPath } from '../support/project-files.ts';
import type { RunningService } from '../support/running-service.ts';
import { sharedService } from '../support/shared-service.ts';
import { usageEvent } from '../support/usage-event.ts';

const GUIDE = readFileSync(projectPath('docs/guides/graphql.md'), 'utf8');

/** Operations by name. Both panels read the same window, and both lists the same end user. */
const OPERATIONS = {
  CostsPanel: `query CostsPanel {
    window(last: { days: 7 }) { id costs(groupBy: [END_USER]) { totalCost nodes { values { endUser { id externalId } } } } }
  }`,
  SpendPanel: `query SpendPanel { window(last: { days: 7 }) { id ledgerCost } }`,
  Keys: `query Keys { apiKeys { id name mayWriteUnsigned } }`,
  AllowUnsigned: `mutation AllowUnsigned($input: ApiKeySetUnsignedWritesInput!) {
    apiKeySetUnsignedWrites(input: $input) { apiKey { id mayWriteUnsigned } userErrors { message } }
  }`,
} as const;

let service: RunningService;
let project: StrictProject;
/** Names of the operations that reached the service. */
let requests: string[] = [];
let keyId: string;
const originalFetch = globalThis.fetch;

beforeAll(async () => {
  service = await sharedService();
  project = strictProject();
  const { url, firstRun } = service;
  await post(url, '/usage-events/batch', firstRun.live_ingest_key, [
    usageEvent({ user_id: 'ada', model: 'gpt-4o', provider: 'openai' }),
  ]);
  await settle(url, firstRun.operator_token);
  const { body } = await graphql(url, firstRun.operator_token, OPERATIONS.Keys, {}, firstRun.organization_id);
  keyId = body.data.apiKeys.find(({ name }: { name: string }) => name === 'Default ingestion').id;
  // The samples request `/graphql` of their own page with a session. Here a read key reads figures, and an operator
  // reads keys.
  globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    expect(headers.get('x-requested-with')).toBe('fetch');
    const name = /(?:query|mutation) (\w+)/.exec(String(init?.body))?.[1] ?? 'unknown';
    headers.set('Authorization', `Bearer ${name.endsWith('Panel') ? firstRun.live_read_key : firstRun.operator_token}`);
    if (!name.endsWith('Panel')) headers.set('X-Organization-ID', firstRun.organization_id);
    requests.push(name);
    return originalFetch(new URL(String(input), url), { ...init, headers });
  };
});
beforeEach(() => void (requests = []));
afterAll(async () => {
  globalThis.fetch = originalFetch;
  project.remove();
  await service.stop();
});

/** The sample in the guide that contains this text, loaded as a module. */
async function sample<Exports>(name: string, language: 'ts' | 'json', text: string): Promise<Exports> {
  const found = [...GUIDE.matchAll(/```(\w+)\n([\s\S]*?)```/g)].find(
    ([, tag, code]) => tag === language && code?.includes(text),
  )?.[2];
  if (language === 'json') return JSON.parse(found!) as Exports;
  // A page resolves the address; Node needs an absolute one.
  project.write(`${name}.ts`, found!.replaceAll("'/graphql'", `'${service.url}/graphql'`));
  return (await import(join(project.folder, `${name}.ts`))) as Exports;
}

it('Apollo Client', async () => {
  const { client } = await sample<{ client: ApolloClient }>('apollo', 'ts', "from '@apollo/client'");
  const cached = (name: keyof typeof OPERATIONS) =>
    client.query<any>({ query: gql(OPERATIONS[name]), fetchPolicy: 'cache-only' }).then(({ data }) => data);
  for (const name of ['CostsPanel', 'SpendPanel', 'Keys'] as const)
    await client.query({ query: gql(OPERATIONS[name]) });
  expect((await cached('CostsPanel')).window.costs.totalCost).toBe('0.0035');
  expect((await cached('SpendPanel')).window.ledgerCost).toBe('0.0035');
  await client.mutate({ mutation: gql(OPERATIONS.AllowUnsigned), variables: { input: { id: keyId, allowed: true } } });
  expect((await cached('Keys')).apiKeys).toContainEqual(expect.objectContaining({ id: keyId, mayWriteUnsigned: true }));
  expect(requests).toEqual(['CostsPanel', 'SpendPanel', 'Keys', 'AllowUnsigned']);
});

it('urql', async () => {
  const { client } = await sample<{ client: Client }>('urql', 'ts', "from '@urql/core'");
  const cached = (name: keyof typeof OPERATIONS) =>
    client
      .query<any>(OPERATIONS[name], {}, { requestPolicy: 'cache-only' })
      .toPromise()
      .then(({ data }) => data);
  for (const name of ['CostsPanel', 'SpendPanel', 'Keys'] as const)
    await client.query(OPERATIONS[name], {}).toPromise();
  expect((await cached('CostsPanel')).window.costs.totalCost).toBe('0.0035');
  expect((await cached('SpendPanel')).window.ledgerCost).toBe('0.0035');
  await client.mutation(OPERATIONS.AllowUnsigned, { input: { id: keyId, allowed: false } }).toPromise();
  expect((await cached('Keys')).apiKeys).toContainEqual(
    expect.objectContaining({ id: keyId, mayWriteUnsigned: false }),
  );
  expect(requests).toEqual(['CostsPanel', 'SpendPanel', 'Keys', 'AllowUnsigned']);
});

it('Relay', async () => {
  const config = await sample<object>('relay.config', 'json', '"customScalarTypes"');
  project.write('relay.config.json', JSON.stringify(config));
  project.write('schema.graphql', await (await originalFetch(`${service.url}/graphql/schema.graphql`)).text());
  for (const [name, text] of Object.entries(OPERATIONS))
    project.write(`src/${name}.ts`, `import { graphql } from 'relay-runtime';\nexport default graphql\`${text}\`;\n`);
  execFileSync(process.execPath, [projectPath('node_modules/relay-compiler/cli.js'), 'relay.config.json'], {
    cwd: project.folder,
  });
  const requestOf = async (name: keyof typeof OPERATIONS): Promise<ConcreteRequest> =>
    ((await import(join(project.folder, `src/__generated__/${name}.graphql.ts`))) as { default: ConcreteRequest })
      .default;
  const { environment } = await sample<{ environment: Environment }>('relay', 'ts', "from 'relay-runtime'");
  const cached = async (name: keyof typeof OPERATIONS) => {
    const operation = createOperationDescriptor(getRequest(await requestOf(name)), {});
    expect(environment.check(operation)).toMatchObject({ status: 'available' });
    return environment.lookup(operation.fragment).data as any;
  };
  for (const name of ['CostsPanel', 'SpendPanel', 'Keys'] as const)
    await fetchQuery(environment, await requestOf(name), {}).toPromise();
  expect((await cached('CostsPanel')).window.costs.totalCost).toBe('0.0035');
  expect((await cached('SpendPanel')).window.ledgerCost).toBe('0.0035');
  const mutation = await requestOf('AllowUnsigned');
  await new Promise<unknown>((resolve, reject) => {
    commitMutation(environment, {
      mutation,
      variables: { input: { id: keyId, allowed: true } },
      onCompleted: resolve,
      onError: reject,
    });
  });
  expect((await cached('Keys')).apiKeys).toContainEqual(expect.objectContaining({ id: keyId, mayWriteUnsigned: true }));
  expect(requests).toEqual(['CostsPanel', 'SpendPanel', 'Keys', 'AllowUnsigned']);
});

it('GraphQL Code Generator', async () => {
  interface Config {
    readonly default: {
      readonly schema: string;
      readonly generates: Readonly<Record<string, { readonly preset: string; readonly config: object }>>;
    };
  }
  const { schema, generates } = (await sample<Config>('codegen', 'ts', 'CodegenConfig')).default;
  const sdl = await (await originalFetch(`${service.url}${new URL(schema).pathname}`)).text();
  const [[folder, section]] = Object.entries(generates) as [[string, { preset: string; config: object }]];
  expect(section.preset).toBe('client');
  const documents = Object.entries(OPERATIONS).map(([name, rawSDL]) => ({
    location: `${name}.ts`,
    document: parse(rawSDL),
    rawSDL,
  }));
  const files = await preset.buildGeneratesSection({
    baseOutputDir: folder,
    schema: parse(sdl),
    documents,
    config: section.config,
    presetConfig: {},
    plugins: [],
    pluginMap: {},
  });
  const texts = await Promise.all(files.map(async (file) => codegen(file)));
  expect(texts.join('\n')).toMatch(/CostsPanelQuery = .*window: \{.*totalCost: string/s);
});
