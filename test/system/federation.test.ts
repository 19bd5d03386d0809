/** A third-party subgraph joins a running service, and can do no more than it was granted. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { keyRing } from '#platform/key-ring.ts';
import { servicePrincipal } from '#platform/principal.ts';
import { GATEWAY, signPrincipal } from '#platform/transports/signed-principal.ts';
import { serviceToken } from '#platform/transports/service-token.ts';
import { joinSupergraph } from '../../tools/federation/join-supergraph.ts';
import { graphql, post, settle } from '../support/api-client.ts';
import { freePort } from '../support/free-port.ts';
import { projectPath } from '../support/project-files.ts';
import { type RunningService, runningService } from '../support/running-service.ts';
import { usageEvent } from '../support/usage-event.ts';
import { askAs, signedIn } from '../support/visitor.ts';
import { MINUTES, PATIENCE } from '../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

const ROOT = new URL('../../', import.meta.url);
const SECRET = 'a secret of the whole installation, long enough';
const RING = keyRing('signing', [SECRET]);
const SDL = readFileSync(projectPath('docs/federation/account-managers.graphql'), 'utf8');
const SERVED = readFileSync(projectPath('schema/supergraph.graphql'), 'utf8');
const WINDOW = 'window(start: "2026-01-01", end: "2026-02-01")';
const COSTS = `{ ${WINDOW} { costs { totalCost } } }`;

let folder: string;
let file: string;
let service: RunningService;
let python: ChildProcess | null = null;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'books-federation-'));
  file = join(folder, 'supergraph.graphql');
  copyFileSync(projectPath('schema/supergraph.graphql'), file);
  service = await runningService({
    SUPERGRAPH_FILE: file,
    SERVICE_SECRET: SECRET,
    SUBGRAPH_GRANTS: 'account-managers=costs:read,organizations:read',
  });
  await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [
    usageEvent({ user_id: 'acme', cost_override: '2.5', event_invoked_at: '2026-01-15T00:00:00Z' }),
  ]);
  await settle(service.url, service.firstRun.operator_token);
});
afterAll(async () => {
  python?.kill();
  await service.stop();
  rmSync(folder, { recursive: true });
});

const ask = (document: string) => graphql(service.url, service.firstRun.live_read_key, document);

function serve(supergraph: string): void {
  writeFileSync(`${file}.new`, supergraph);
  renameSync(`${file}.new`, file);
}

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import cryptography'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('a subgraph in another language', () => {
  const document = '{ endUser(externalId: "acme") { accountManager externalId id } }';

  it.skipIf(!hasPython())(
    'joins without a restart, and answers with the others (needs python3 with cryptography)',
    async () => {
      const port = await freePort();
      url = `http://127.0.0.1:${port}`;
      python = spawn('python3', [projectPath('docs/federation/account_managers.py'), String(port), service.url], {
        stdio: 'inherit',
      });
      expect((await ask(document)).body.errors[0].message).toContain('accountManager');
      const { supergraph, problems } = joinSupergraph(ROOT, [{ name: 'account-managers', url, sdl: SDL }], SERVED);
      expect(problems).toEqual([]);
      serve(supergraph ?? '');
      await vi.waitFor(async () => expect((await ask(document)).body.data?.endUser?.accountManager).toBe('Ada'), {
        ...PATIENCE,
        interval: 200,
      });
      const { body } = await ask(document);
      expect(body.data.endUser).toMatchObject({ externalId: 'acme', id: expect.any(String) });
      const sdl = await (await fetch(`${service.url}/graphql/schema.graphql`)).text();
      expect(sdl).toContain('accountManager: String');
    },
  );

  it.skipIf(!hasPython())('accepts only what the gateway signed for it', async () => {
    const send = (signed: string) =>
      fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-principal': signed },
        body: JSON.stringify({ query: '', variables: { representations: [{ externalId: 'acme' }] } }),
      });
    const caller = { ...servicePrincipal('test', 'test'), grants: ['costs:read'] };
    expect((await send(signPrincipal(caller, 'account-managers', RING))).status).toBe(200);
    expect((await send(signPrincipal(caller, 'costing', RING))).status).toBe(401);
    expect((await send(signPrincipal(caller, 'account-managers', keyRing('signing', ['x'.repeat(40)])))).status).toBe(
      401,
    );
    expect((await send('nonsense')).status).toBe(401);
  });

  it.skipIf(!hasPython())('leaves only its own field null when it stops', async () => {
    python?.kill();
    const { body } = await ask(document);
    expect(body.data.endUser).toMatchObject({ accountManager: null, externalId: 'acme', id: expect.any(String) });
    expect(body.errors).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE' } }]);
  });

  it('an incompatible supergraph does not replace the current one', async () => {
    serve('type Query { nonsense: String }');
    await vi.waitFor(async () => expect((await ask(COSTS)).body.data.window.costs.totalCost).toBe('2.5'), PATIENCE);
  });
});

it('a subgraph that has joined learns the organization, but neither the name of the key nor the e-mail address of the person', async () => {
  const told: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    const [, payload = ''] = String(request.headers['x-principal']).split('.');
    const { principal } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
      principal: Record<string, unknown>;
    };
    told.push(principal);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data: { _entities: [{ __typename: 'EndUser', accountManager: 'Ada' }] } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    serve(joinSupergraph(ROOT, [{ name: 'account-managers', url: address, sdl: SDL }], SERVED).supergraph ?? '');
    const document = '{ endUser(externalId: "acme") { accountManager } }';
    await vi.waitFor(async () => expect((await ask(document)).body.data?.endUser?.accountManager).toBe('Ada'), {
      ...PATIENCE,
      interval: 200,
    });
    await askAs(await signedIn(service.url, service.firstRun), document);
    expect(told.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['api-key', 'session']));
    for (const principal of told)
      expect(principal).toMatchObject({ organizationId: service.firstRun.organization_id, credentialName: null });
    expect(JSON.stringify(told)).not.toContain(service.firstRun.owner_email);
    expect(JSON.stringify(told)).not.toContain('organizationName');
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

describe('the token of one of our own subgraphs', () => {
  const own = (name: string, document: string) => graphql(service.url, serviceToken(name, RING), document);

  it.each([
    [
      'sign in',
      'mutation { signIn(email: "a@example.com", password: "x", address: "", userAgent: "") { session { token } } }',
    ],
    ['revoke keys', 'mutation { revokeToken(token: "x") }'],
    ['read the ledger', '{ feedMarks(follower: "attribution", after: null) }'],
  ])('the token of one of our own subgraphs of alerting may not %s', async (_, document) => {
    const { body } = await own('alerting', document);
    expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
  });

  it('may list organizations; that of attribution may also read the ledger', async () => {
    expect((await own('alerting', '{ organizationIds }')).body.data.organizationIds).toContain(
      service.firstRun.organization_id,
    );
    expect(
      (await own('attribution', '{ feedMarks(follower: "attribution", after: null) }')).body.errors,
    ).toBeUndefined();
  });

  it.each(['alerting', 'attribution', 'identity'])(
    'the token of one of our own subgraphs of %s cannot ask who a credential belongs to',
    async (name) => {
      const { status } = await fetch(`${service.url}/principal`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${serviceToken(name, RING)}` },
        body: JSON.stringify({ kind: 'bearer', token: service.firstRun.live_read_key, organizationId: null }),
      });
      expect(status).toBe(401);
    },
  );
});

it('the same subgraph in TypeScript joins, and accepts only what the gateway signed for it', async () => {
  const port = await freePort();
  const typescript = spawn(
    process.execPath,
    [projectPath('docs/federation/account-managers.ts'), String(port), service.url],
    { stdio: 'inherit' },
  );
  onTestFinished(() => void typescript.kill());
  const address = `http://127.0.0.1:${port}`;
  const send = (signed: string) =>
    fetch(`${address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-principal': signed },
      body: '{"query":"{ __typename }"}',
    });
  await vi.waitFor(async () => expect((await send('nonsense')).status).toBe(401), PATIENCE);
  const caller = { ...servicePrincipal('test', 'test'), grants: ['costs:read'] };
  expect((await send(signPrincipal(caller, 'account-managers', RING))).status).toBe(200);
  expect((await send(signPrincipal(caller, 'costing', RING))).status).toBe(401);
  const joining = { name: 'account-managers', url: address, sdl: SDL };
  serve(joinSupergraph(ROOT, [joining], SERVED).supergraph ?? '');
  const document = '{ endUser(externalId: "acme") { accountManager externalId } }';
  await vi.waitFor(
    async () =>
      expect((await ask(document)).body.data).toEqual({ endUser: { accountManager: 'Ada', externalId: 'acme' } }),
    { ...PATIENCE, interval: 200 },
  );
});

describe('a subgraph as a client of the graph', () => {
  const token = serviceToken('account-managers', RING);
  const asSubgraph = (document: string, of = service.firstRun.organization_id) =>
    graphql(service.url, token, document, {}, of);

  it('reads what it was granted, in the organization that it names', async () => {
    expect((await asSubgraph(COSTS)).body.data.window.costs.totalCost).toBe('2.5');
    expect((await asSubgraph(COSTS, '00000000-0000-4000-8000-000000000000')).body.data.window.costs.totalCost).toBe(
      '0',
    );
  });

  it('may list organizations, without their names', async () => {
    const document = '{ organizationIds deletedOrganizations }';
    const { body } = await graphql(service.url, token, document);
    expect(body.data.organizationIds).toContain(service.firstRun.organization_id);
    expect(body.data.deletedOrganizations).toEqual([]);
    expect((await ask(document)).body.errors[0].extensions.code).toBe('FORBIDDEN');
  });

  it.each([
    ['of revenue', `{ ${WINDOW} { margin { total { totalRevenue } } } }`],
    ['of services', '{ feedMarks(follower: "attribution", after: null) }'],
    ['of operators', '{ organizations { id } }'],
    ['that changes', 'mutation { dimensionRegister(input: { key: "team" }) { dimension { key } } }'],
  ])('may request nothing %s', async (_, document) => {
    const { body } = await asSubgraph(document);
    expect(body.errors[0].extensions.code).toMatch(/FORBIDDEN|GRAPHQL_VALIDATION_FAILED|VALIDATION_ERROR/);
  });

  it.each([
    ['of a subgraph that was granted nothing', serviceToken('forecasts', RING)],
    ['under another secret', serviceToken('account-managers', keyRing('signing', ['x'.repeat(40)]))],
  ])('a subgraph as a client of the graph with a token %s gets nothing', async (_, wrong) => {
    const { status } = await graphql(service.url, wrong, COSTS, {}, service.firstRun.organization_id);
    expect(status).toBe(401);
  });

  it('cannot pass on to the gateway a principal that it received for a caller', async () => {
    const send = (audience: string) =>
      fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-principal': signPrincipal(servicePrincipal('test', 'test'), audience, RING),
        },
        body: JSON.stringify({ query: '{ __typename }' }),
      });
    expect((await send(GATEWAY)).status).toBe(200);
    expect((await send('account-managers')).status).toBe(401);
  });
});

describe('errors are reported in words', () => {
  it.each([
    ['no schema', 'type {', 'cannot be read'],
    ['another type for a field', 'type EndUser @key(fields: "externalId") { externalId: Int! }', 'does not compose'],
    [
      'a field for everyone',
      'type EndUser @key(fields: "externalId") { externalId: String! phone: String }',
      'EndUser.phone is open to everyone',
    ],
    ['a root field for everyone', 'type Query { secrets: [String!] }', 'Query.secrets is open to everyone'],
  ])('%s', (_, sdl, message) => {
    const { problems } = joinSupergraph(ROOT, [{ name: 'theirs', url: 'http://theirs.invalid', sdl }], SERVED);
    expect(problems.join('\n')).toContain(message);
  });

  it('a name that is taken', () => {
    expect(joinSupergraph(ROOT, [{ name: 'costing', url: 'http://x.invalid', sdl: SDL }], SERVED).problems).toEqual([
      'A subgraph costing exists already',
    ]);
  });
});
