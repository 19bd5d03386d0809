/**
 * The supergraph file with other teams' subgraphs: validated as a whole, served if valid, and never a reason to serve
 * less than before.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { get, graphql } from '../support/api-client.ts';
import { MINUTES, PATIENCE } from '../support/patience.ts';
import { projectPath } from '../support/project-files.ts';
import { type RunningService, runningService } from '../support/running-service.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

const COMMITTED = readFileSync(projectPath('schema/supergraph.graphql'), 'utf8');
/** The supergraph of an older version, which did not have the field `previousPeriodCost` yet. */
const OLDER = COMMITTED.replace(/\n\s*previousPeriodCost: [^\n]*/g, '');
const HEALTH = `# url: http://127.0.0.1:1
type EndUser @key(fields: "externalId") {
  externalId: String!
  "From 0 to 100."
  healthScore: Int @scope(needs: "costs:read")
}`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'books-supergraph-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const check = async (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [projectPath('tools/federation/check-joining.ts'), ...args]).then(
    ({ stdout }) => ({ status: 0, text: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ status: code, text: stderr }),
  );

function subgraphs(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(folder, name);
  mkdirSync(path);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  return path;
}

describe('federation:check', () => {
  const managers = readFileSync(projectPath('docs/federation/account-managers.graphql'), 'utf8');
  const both = { 'health.graphql': HEALTH, 'account-managers.graphql': `# url: http://127.0.0.1:2\n${managers}` };

  it('composes all subgraphs of a folder, and refuses to lose one that is served', async () => {
    const out = join(folder, 'joined.graphql');
    expect(await check(subgraphs('both', both), '--out', out)).toEqual({
      status: 0,
      text: `2 subgraphs fit the graph: account-managers, health. The supergraph is in ${out}\n`,
    });
    expect(readFileSync(out, 'utf8')).toMatch(/accountManager[^]*healthScore/);
    const alone = subgraphs('alone', { 'health.graphql': HEALTH });
    const refused = await check(alone, '--out', out);
    expect(refused).toMatchObject({ status: 1, text: expect.stringContaining('EndUser.accountManager was removed') });
    expect(readFileSync(out, 'utf8')).toContain('accountManager');
    expect(await check(alone, '--out', out, '--accept-breaking')).toMatchObject({ status: 0 });
    expect(readFileSync(out, 'utf8')).not.toContain('accountManager');
  });

  it('reports all errors at once', async () => {
    const path = subgraphs('wrong', {
      'one.graphql': `type EndUser @key(fields: "externalId") {
        externalId: String!
        id: ID! @override(from: "attribution") @scope(needs: "costs:read")
        phone: Strin
        risk: Int @scope(needs: "cost:read")
      }`,
      'two.graphql': 'type {',
    });
    const { status, text } = await check(path);
    expect(status).toBe(1);
    for (const problem of [
      'one: EndUser.id overrides a field of attribution',
      'one: EndUser.phone is open to everyone',
      'one: EndUser.risk needs the scope cost:read, which does not exist',
      'Unknown type "?Strin',
      'two: The schema cannot be read',
    ])
      expect(text).toMatch(new RegExp(problem));
  });

  it.each([
    ['a missing file', [join('nowhere', 'x.graphql')], 2, 'There is no file nowhere/x.graphql\n'],
    ['an option that does not exist', ['x.graphql', '--nam'], 2, "Unknown option '--nam'"],
    ['no file', [], 2, 'Usage: '],
  ])('reports %s, without a stack trace', async (_name, args, status, text) => {
    const answer = await check(...args);
    expect(answer).toMatchObject({ status, text: expect.stringContaining(text) });
    expect(answer.text).not.toContain('    at ');
  });

  it('needs the address of each subgraph to be served', async () => {
    const path = subgraphs('unknown', { 'health.graphql': HEALTH.replace(/^#.*\n/, '') });
    expect(await check(path)).toMatchObject({ status: 0 });
    expect(await check(path, '--out', join(folder, 'no.graphql'))).toMatchObject({
      status: 1,
      text: expect.stringContaining('add a line "# url: http://HOST:PORT"'),
    });
  });
});

describe('SUPERGRAPH_FILE', () => {
  let file: string;
  let service: RunningService;
  const serve = (text: string) => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  const readyz = async () => {
    const response = await fetch(`${service.url}/readyz`);
    return { status: response.status, ...((await response.json()) as { ready: boolean; supergraph: string }) };
  };
  // A database that takes longer than a second to respond, as on a busy machine, makes the service unready for a moment.
  const shows = (state: object) => vi.waitFor(async () => expect(await readyz()).toMatchObject(state), PATIENCE);
  const summary = () =>
    get(service.url, '/cost-data/summary?start_date=2026-01-01&end_date=2026-02-01', service.firstRun.live_read_key);
  const knowsHealth = async () => {
    const { body } = await graphql(
      service.url,
      service.firstRun.live_read_key,
      '{ endUser(externalId: "acme") { healthScore } }',
    );
    return !JSON.stringify(body).includes('Cannot query field');
  };

  beforeAll(async () => {
    file = join(folder, 'later.graphql');
    service = await runningService({ SUPERGRAPH_FILE: file });
  });
  afterAll(() => service.stop());

  it('may appear after the start', async () => {
    await shows({ status: 200, ready: true, supergraph: 'missing' });
    expect(await knowsHealth()).toBe(false);
    const { text } = await check(subgraphs('later', { 'health.graphql': HEALTH }), '--out', file);
    expect(text).toContain('1 subgraph fits the graph');
    await vi.waitFor(async () => expect(await knowsHealth()).toBe(true), PATIENCE);
    await shows({ status: 200, supergraph: 'served' });
    copyFileSync(file, `${file}.good`);
  });

  it.each([
    ['of another version', OLDER],
    ['of another product', 'type Query { nonsense: String }'],
    ['that is not a schema', 'type {'],
    ['in which fields lost their scopes', COMMITTED.replaceAll(/ @scope\([^)]*\)/g, '')],
  ])('a file %s changes nothing', async (_name, text) => {
    expect(text).not.toBe(COMMITTED);
    serve(text);
    await vi.waitFor(async () => expect((await readyz()).supergraph).toBe('kept'), PATIENCE);
    expect((await summary()).status).toBe(200);
    await shows({ status: 200, ready: true });
    expect(await knowsHealth()).toBe(true);
    copyFileSync(`${file}.good`, `${file}.new`);
    renameSync(`${file}.new`, file);
    await vi.waitFor(async () => expect((await readyz()).supergraph).toBe('served'), PATIENCE);
  });

  it('a file of another version at the start is not served, and the service is not ready until the file is compatible', async () => {
    const other = join(folder, 'older.graphql');
    writeFileSync(other, OLDER);
    const started = await runningService({ SUPERGRAPH_FILE: other });
    try {
      const ready = async () => (await fetch(`${started.url}/readyz`)).json() as Promise<Record<string, unknown>>;
      expect(await ready()).toMatchObject({ ready: false, supergraph: 'refused' });
      const { status } = await get(
        started.url,
        '/cost-data/summary?start_date=2026-01-01&end_date=2026-02-01',
        started.firstRun.live_read_key,
      );
      expect(status).toBe(200);
      copyFileSync(projectPath('schema/supergraph.graphql'), `${other}.new`);
      renameSync(`${other}.new`, other);
      await vi.waitFor(
        async () => expect(await ready()).toMatchObject({ ready: true, supergraph: 'served' }),
        PATIENCE,
      );
    } finally {
      await started.stop();
    }
  });
});
