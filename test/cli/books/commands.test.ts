/** The command-line client, as people use it, against a whole service. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runBooks } from '../../../cli/books/run-books.ts';
import { get, post, settle } from '../../support/api-client.ts';
import { type OauthService, oauthService } from '../../support/oauth-service.ts';
import { type Person, signIn } from '../../support/person.ts';
import { projectPath } from '../../support/project-files.ts';
import { usageEvent } from '../../support/usage-event.ts';

let service: OauthService;
let person: Person;
let folder: string;
beforeAll(async () => {
  service = await oauthService();
  person = await signIn(service);
  await person.ask(
    'mutation { dimensionRegister(input: { key: "team" }) { dimension { key } userErrors { message } } }',
  );
  const events = [
    usageEvent({
      user_id: 'u1',
      cost_override: '1234.5',
      event_invoked_at: '2026-01-15T00:00:00Z',
      metadata: { agent_id: 'support', team: 'red' },
    }),
    usageEvent({
      user_id: 'u, "2"',
      cost_override: '0.000000000000001',
      event_invoked_at: '2026-01-16T00:00:00Z',
      metadata: { agent_id: 'evil\u001b[2J', team: 'blue' },
    }),
  ];
  await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, events);
  await settle(service.url, service.firstRun.operator_token);
});
afterAll(() => service.stop());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'books-cli-'));
  return () => rmSync(folder, { recursive: true });
});

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const JANUARY = ['--start', '2026-01-01', '--end', '2026-02-01'];
const environment = (more: Record<string, string> = {}) => ({
  ...process.env,
  XDG_CONFIG_HOME: folder,
  HOME: folder,
  ...more,
});
const file = () => join(folder, 'books', 'login.json');

/** Runs the command line in this process. */
async function books(
  words: readonly string[],
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<Run> {
  const written = { out: '', err: '' };
  const into = (stream: keyof typeof written) => ({ write: (text: string) => (written[stream] += text) });
  const terminal = { stdout: into('out'), stderr: into('err'), readInput: async () => input };
  return { code: await runBooks(words, terminal, environment(env)), ...written };
}

function asProcess(words: readonly string[], input: string): Promise<Run> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [projectPath('cli/books/main.ts'), ...words],
      { env: environment() },
      (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, err });
      },
    );
    child.stdin?.end(input);
  });
}

/** Signed in with an existing key. */
const withKey = (key: string) => books(['login', '--with-key', '--api', service.url], { input: `${key}\n` });
const read = (...words: string[]): Promise<Run> =>
  books(words, { env: { BOOKS_API_KEY: service.firstRun.live_read_key, BOOKS_API_URL: service.url } });

describe('login', () => {
  it('shows a code, waits for the approval, stores a key that only the user can read, and revokes it at logout', async () => {
    const child = spawn(process.execPath, [projectPath('cli/books/main.ts'), 'login', '--api', service.url], {
      env: environment(),
    });
    let output = '';
    const code = new Promise<string>((resolve) =>
      child.stderr.on('data', (text: Buffer) => {
        output += text.toString();
        const found = /Code {3}(\S+)/.exec(output)?.[1];
        if (found) resolve(found);
      }),
    );
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const userCode = await code;
    expect(output).toContain(`${service.url}/activate?user_code=${userCode}`);
    await person.decideDevice(userCode);
    expect(await ended).toBe(0);
    const { key } = JSON.parse(readFileSync(file(), 'utf8'));
    expect([statSync(file()).mode & 0o777, statSync(join(folder, 'books')).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(output).not.toContain(key);
    expect((await get(service.url, '/ping', key)).body.key_name).toBe(hostname());
    const { code: exit, out } = await books(['whoami']);
    expect([exit, out.includes(hostname())]).toEqual([0, true]);

    expect((await books(['logout'])).code).toBe(0);
    expect((await get(service.url, '/ping', key)).status).toBe(401);
    expect(await books(['whoami'])).toMatchObject({
      code: 1,
      out: '',
      err: 'Not signed in: run "books login" first\n',
    });
  });

  it('reports that the login was denied, and stores nothing', async () => {
    const child = spawn(process.execPath, [projectPath('cli/books/main.ts'), 'login', '--api', service.url], {
      env: environment(),
    });
    let output = '';
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.stderr.on('data', (text: Buffer) => {
      const before = /Code {3}(\S+)/.test(output);
      output += text.toString();
      const found = /Code {3}(\S+)/.exec(output)?.[1];
      if (found && !before) void person.decideDevice(found, 'deny');
    });
    expect(await ended).toBe(1);
    expect(output).toContain('The login was denied');
    expect(() => statSync(file())).toThrow();
  });

  it('refuses an invalid key', async () => {
    expect(await withKey('sk_live_nothing')).toMatchObject({
      code: 1,
      err: expect.stringContaining('invalid, revoked or expired'),
    });
  });

  it('stores a key that the person already has, and does not revoke it at logout', async () => {
    const { live_read_key: key } = service.firstRun;
    expect((await asProcess(['login', '--with-key', '--api', service.url], `${key}\n`)).code).toBe(0);
    expect(await asProcess(['nonsense'], '')).toMatchObject({ code: 2, out: '' });
    expect((await books(['logout'])).code).toBe(0);
    expect((await get(service.url, '/ping', service.firstRun.live_read_key)).status).toBe(200);
  });
});

describe('whoami', () => {
  it('names the preset when a read scope is missing', async () => {
    await withKey(service.firstRun.live_ingest_key);
    const { code, out, err } = await books(['whoami']);
    expect([code, err]).toEqual([
      1,
      'The key lacks costs:read, revenue:read, usage:read, dimensions:read: create one with the preset "CLI and MCP (read-only)"\n',
    ]);
    expect(out).toContain('usage:write');
  });

  it("prints the API's response with --json, using a key from the environment", async () => {
    const { code, out } = await books(['whoami', '--json'], {
      env: { BOOKS_API_KEY: service.firstRun.live_read_key, BOOKS_API_URL: service.url },
    });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual((await get(service.url, '/ping', service.firstRun.live_read_key)).body);
  });
});

describe('reading', () => {
  it('shows costs by model as a table', async () => {
    const { code, out } = await read('costs', '--by', 'model', ...JANUARY);
    expect(code).toBe(0);
    expect(out).toBe(
      [
        'Total  1,234.5000 USD',
        '',
        'Model   Provider   Cost, USD    Share  Events  Input tokens  Output tokens',
        '──────  ────────  ──────────  ───────  ──────  ────────────  ─────────────',
        'gpt-4o  openai    1,234.5000  100.00%       2         2,000            200',
        '',
      ].join('\n'),
    );
  });

  it.each([
    ['costs --by provider', '/cost-data/by-provider'],
    ['costs', '/cost-data/by-model'],
    ['costs --dimension team', '/dimension-data/cost-breakdown?dimension_key=team'],
    ['costs --end-user u1', '/end-user-costs/u1/by-model'],
    ['agents', '/attribution-data/by-agent'],
    ['usage', '/usage/summary'],
    ['margin', '/margin-data/by-end-user'],
  ])("prints the API's response unchanged: %s --json", async (words, path) => {
    const { code, out } = await read(...words.split(' '), ...JANUARY, '--json');
    const rest = await get(
      service.url,
      `${path}${path.includes('?') ? '&' : '?'}start_date=2026-01-01&end_date=2026-02-01`,
      service.firstRun.live_read_key,
    );
    expect([code, out]).toEqual([0, `${rest.text}\n`]);
  });

  it('prints exact values as CSV, with quotes if necessary', async () => {
    const { out } = await read('margin', '--csv', ...JANUARY);
    expect(out.split('\r\n')).toEqual([
      'end_user_name,revenue,cost,margin_amount,margin_percent,profitability_category',
      'u1,0,1234.5,-1234.5,,unprofitable',
      '"u, ""2""",0,0.000000000000001,-0.000000000000001,,unprofitable\n',
    ]);
  });

  it('escapes control characters in names, and shows a missing cost as empty', async () => {
    const { out } = await read('agents', ...JANUARY);
    expect(out).not.toContain('\u001b');
    expect(out).toContain('evil\ufffd[2J');
    expect(out).toContain('< 0.0001');
  });

  it('prints a summary of each window, including its margin', async () => {
    for (const window of [
      'this-month',
      'last-month',
      'last-7-days',
      'last-30-days',
      'last-90-days',
      'ytd',
      'last-year',
    ]) {
      const [summary, margin] = await Promise.all([
        read('costs', '--window', window),
        read('margin', '--window', window),
      ]);
      expect([window, summary.code, margin.code, summary.out]).toEqual([
        window,
        0,
        0,
        expect.stringMatching(/^From .+\nTo .+\nCost .+ USD\nBefore .+\nChange .+\nEvents .+\n$/),
      ]);
    }
  });

  it('prints the summary as CSV', async () => {
    expect((await read('costs', '--csv')).out).toMatch(/^current_period_cost,.*\r\n[\d.]+,/);
  });
});

describe('a command that fails', () => {
  it.each([
    [['nonsense'], 2, 'Unknown command nonsense'],
    [['costs', '--window', 'tomorrow'], 2, '--window must be one of'],
    [['costs', '--by', 'colour'], 2, '--by must be model or provider'],
    [['costs', '--start', '2026-13-01'], 2, '--start must be a date'],
    [['costs', '--json', '--csv'], 2, 'either --json or --csv'],
    [['costs', '--what'], 2, '--what'],
    [['login', '--api', 'ftp://x'], 2, '--api must be an address'],
    [['costs', '--end-user', 'nobody', ...JANUARY], 1, 'Unknown end user'],
    [['margin', '--start', '2024-01-01'], 1, '12 months'],
    [['costs', '--dimension', 'unheard-of', ...JANUARY], 1, 'Unknown dimension_key'],
  ])('reports the reason: %j', async (words, code, message) => {
    expect(await read(...words)).toMatchObject({ code, out: '', err: expect.stringContaining(message) });
  });

  it('names the preset if a key may not read', async () => {
    await withKey(service.firstRun.live_ingest_key);
    expect(await books(['costs'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('Use a key with the preset "CLI and MCP (read-only)"'),
    });
  });

  it('reports that the key is revoked', async () => {
    const { key } = await person.ask(
      'mutation { key: apiKeyCreate(input: {name: "k", environment: "live", preset: "read"}) { createdApiKey { secret apiKey { id } } userErrors { message } } }',
    );
    await withKey(key.createdApiKey.secret);
    await person.ask(
      'mutation ($id: ID!) { apiKeyRevoke(input: { id: $id }) { apiKey { id } userErrors { message } } }',
      {
        id: key.createdApiKey.apiKey.id,
      },
    );
    expect(await books(['costs'])).toMatchObject({
      code: 1,
      out: '',
      err: 'The key is invalid, revoked or expired: run "books login" again\n',
    });
  });

  it('reports how long to wait', async () => {
    const limited = await oauthService({ READ_RATE_LIMIT: '1;w=900' });
    try {
      const env = { BOOKS_API_KEY: limited.firstRun.live_read_key, BOOKS_API_URL: limited.url };
      expect((await books(['costs'], { env })).code).toBe(0);
      expect(await books(['costs'], { env })).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^Too many requests: wait \d+ seconds\n$/),
      });
    } finally {
      await limited.stop();
    }
  });

  it('reports that the service does not respond', async () => {
    expect(await books(['login', '--api', 'http://127.0.0.1:9'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('does not respond at http://127.0.0.1:9'),
    });
  });

  it('warns before a key is sent unencrypted', async () => {
    expect((await books(['login', '--with-key', '--api', 'http://books.invalid'], { input: 'x' })).err).toContain(
      'Warning: http://books.invalid does not use https',
    );
  });
});

describe('price', () => {
  const priced = (body: unknown, ...words: string[]) =>
    books(['price', ...words], {
      input: typeof body === 'string' ? body : JSON.stringify(body),
      env: { BOOKS_API_KEY: service.firstRun.live_read_key, BOOKS_API_URL: service.url },
    });
  const response = { model: 'gpt-4o', choices: [], usage: { prompt_tokens: 1000, completion_tokens: 100 } };

  it('prices a response of a provider, from standard input or a file', async () => {
    const { code, out } = await priced(response);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^Cost +0\.0035 USD\n[^]*openai-chat[^]*input +1,000 +2\.5/),
    ]);
    const path = join(folder, 'response.json');
    writeFileSync(path, JSON.stringify(response));
    expect((await read('price', path)).out).toBe(out);
    expect(JSON.parse((await priced(response, '--json')).out)).toMatchObject({ total_cost: '0.0035' });
  });

  it('prices an array of events, and adds fields from flags', async () => {
    const { usage } = response;
    const { out } = await priced([{ usage }, { model: 'no-one-has-a-card', usage }], '--model', 'gpt-4o', '--csv');
    expect(out.split('\r\n').slice(1)).toEqual([
      // A field missing from the first rows is printed as the last column, so that the other columns keep their
      // positions.
      'gpt-4o,0.0035,,openai-chat,,',
      expect.stringMatching(/^,,,.*No rate card matches/),
    ]);
  });

  it('reports an error in one line', async () => {
    expect(await priced('{')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^Standard input is not JSON.*\n$/),
    });
    expect(await priced({ usage: {} })).toMatchObject({ code: 1, err: 'The request body has no model\n' });
    expect(await read('price', join(folder, 'none.json'))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/cannot be read/),
    });
  });
});

describe('whatif', () => {
  const JUNE = ['--start', '2025-06-01', '--end', '2025-07-01'];
  const whatif = (...words: string[]) =>
    books(['whatif', ...words], {
      env: { BOOKS_API_KEY: service.firstRun.live_read_key, BOOKS_API_URL: service.url },
    });
  beforeAll(async () => {
    const event = usageEvent({ user_id: 'u1', event_invoked_at: '2025-06-15T00:00:00Z' });
    await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [event]);
    await settle(service.url, service.firstRun.operator_token);
  });

  it('shows what another model, another rate and a share of batches would have cost', async () => {
    const { code, out } = await whatif('--model', 'gpt-4o=gpt-4o-mini', ...JUNE);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^Before +0\.0035 USD\nAfter +0\.0002 USD\n[^]*-94\.00%[^]*\nu1 +0\.0035/),
    ]);
    const rate = await whatif('--rate', 'gpt-4o:output=20', '--rate', 'gpt-4o:input=x2', ...JUNE, '--json');
    expect(JSON.parse(rate.out)).toMatchObject({ total: { after: { expected: '0.007' } } });
    const batch = await whatif('--batch', 'gpt-4o=1', '--cached', '0.5', ...JUNE, '--csv');
    expect(batch.out).toContain('u1,0.0035,0.00175,0.00175,0.00175,-0.00175,-50');
    const other = await whatif('--model', 'gpt-4o=claude-sonnet-4-5', '--user', 'u1', ...JUNE);
    expect(other.out).toMatch(/count tokens differently/);
  });

  it('shows what a plan would have earned', async () => {
    const { code, out } = await whatif('--plan', '20', '--events', '0@0.5', '--cost', '0@1.5', '--all', ...JUNE);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /^Revenue +0\.0000 USD before, 20\.5053 USD after\n[^]*Break-even price[^]*becomes profitable/,
      ),
    ]);
  });

  it.each([
    [[], 2, /Give --model/],
    [['--model', 'gpt-4o'], 2, /two models/],
    [['--plan', '20', '--model', 'a=b'], 2, /or --plan/],
    [['--events', '1@1'], 2, /require --plan/],
    [['--model', 'gpt-4o=no-such-model', ...JUNE], 1, /No rate card prices no-such-model/],
  ])('%j is refused', async (words, code, message) => {
    expect(await whatif(...words)).toMatchObject({ code, err: expect.stringMatching(message) });
  });
});
