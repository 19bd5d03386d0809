/** `admin catalog check`: compares price files of others with our rates, with the value of each difference. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runAdmin } from '../../../cli/admin/run-admin.ts';
import { ownService } from '../../support/shared-service.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';

const DAY = 86_400_000;
const fileOf = (name: string) => fileURLToPath(new URL(`price-files/${name}`, import.meta.url));

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents([], [], ownService());
  // Two plausible typos: Google charges 2 for input, and 18 for output above 200,000 tokens.
  await admin(
    ...['rate', 'set', '--model', 'gemini-3.1-pro-preview', '--provider', 'google', '--input', '3', '--output', '12'],
    ...['--cache-read', '0.2', '--tier', '200000:input=4,output=16,cache-read=0.4'],
  );
  await admin(
    ...['rate', 'set', '--model', 'openai/gpt-4o-mini', '--provider', 'openrouter', '--input', '0.165'],
    ...['--output', '0.6', '--cache-read', '0.075'],
  );
  await service.send([
    call('deepseek', 'deepseek-v4-flash', 1_000_000, 100_000),
    call('google', 'gemini-3.1-pro-preview', 150_000, 1_000),
    call('google', 'gemini-3.1-pro-preview', 150_000, 1_000),
    call('google', 'gemini-3.1-pro-preview', 300_000, 50_000),
    call('openrouter', 'openai/gpt-4o-mini', 10_000_000, 1_000),
  ]);
});
afterAll(() => service.stop());

describe('catalog check', () => {
  it('lists differences from models.dev with tiers: DeepSeek charges 0.15, 0.6 and 0.003 since V4.1 Flash', async () => {
    const { code, stderr, output } = await check('models-dev.json');
    expect(output).toEqual([
      {
        file: fileOf('models-dev.json'),
        format: 'models.dev',
        compared: 9,
        not_compared: 0,
        differences: [
          difference({ class: 'output', ours: '0.6', theirs: '0.28', percent: -53.33 }, ['0.06', '0.028', '-0.032']),
          difference({ class: 'input', ours: '0.15', theirs: '0.14', percent: -6.67 }, ['0.15', '0.14', '-0.01']),
          difference({ class: 'cache_read', ours: '0.003', theirs: '0.0028', percent: -6.67 }, ['0', '0', '0']),
        ],
      },
    ]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('3 rates differ by more than 1%') });
  });

  it('lists differences from Portkey', async () => {
    const { code, output } = await check('deepseek.json');
    expect(output).toMatchObject([
      {
        format: 'Portkey',
        compared: 3,
        differences: [{ amount_at_stake: '-0.032' }, { amount_at_stake: '-0.01' }, {}],
      },
    ]);
    expect(code).toBe(1);
  });

  it('lists differences from LiteLLM, each at the usage of its own input size; contexts that the card does not price are not compared', async () => {
    const google = { provider: 'gemini', model: 'gemini-3.1-pro-preview' };
    const { output } = await check('litellm.json');
    expect(output).toMatchObject([{ format: 'LiteLLM', compared: 6, not_compared: 8 }]);
    expect(output[0].differences).toEqual([
      difference({ ...google, class: 'input', ours: '3', theirs: '2', percent: -33.33 }, ['0.9', '0.6', '-0.3']),
      difference({ ...google, class: 'output', above_input_tokens: 200_000, ours: '16', theirs: '18', percent: 12.5 }, [
        '0.8',
        '0.9',
        '0.1',
      ]),
    ]);
  });

  it('lists differences from OpenRouter', async () => {
    const { output } = await check('openrouter.json');
    const mini = { provider: 'openrouter', model: 'openai/gpt-4o-mini' };
    expect(output[0].differences.filter(({ model }: { model: string }) => model === mini.model)).toEqual([
      difference({ ...mini, class: 'input', ours: '0.165', theirs: '0.15', percent: -9.09 }, ['1.65', '1.5', '-0.15']),
    ]);
  });

  it('takes several files, and the usage of one organization', async () => {
    const created = await admin(
      ...['organization', 'create', '--name', 'Other', '--owner-email', 'owner@other.test'],
      ...['--owner-password', 'correct horse battery staple'],
    );
    const { output } = await check('models-dev.json', 'litellm.json', '--organization', created.output.organization_id);
    expect(
      output.map(({ format, differences }: any) => [format, differences.map((one: any) => one.amount_at_stake)]),
    ).toEqual([
      ['models.dev', ['0', '0', '0']],
      ['LiteLLM', ['0', '0']],
    ]);
  });

  it('exits with 0 if nothing differs by more than 1 %', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'prices-')), 'api.json');
    const cost = { input: 1.255, output: 10, cache_read: 0.125 };
    writeFileSync(file, JSON.stringify({ google: { models: { 'gemini-2.5-pro': { cost } } } }));
    expect(await admin('catalog', 'check', file)).toEqual({
      code: 0,
      stderr: '',
      output: [{ file, format: 'models.dev', compared: 3, not_compared: 0, differences: [] }],
    });
  });

  it('refuses unreadable files before anything is compared', async () => {
    expect(await admin('catalog', 'check', fileOf('README.md'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not a readable JSON file'),
    });
    expect(await admin('catalog', 'check')).toMatchObject({ code: 2, stderr: expect.stringContaining('--file') });
  });
});

let calls = 0;
function call(provider: string, model: string, input: number, output: number) {
  return {
    idempotency_key: `call-${calls++}`,
    event_invoked_at: new Date(Date.now() - 2 * DAY).toISOString(),
    provider,
    model,
    input_tokens: input,
    output_tokens: output,
  };
}

function difference(values: object, [ours, theirs, atStake]: readonly string[]) {
  return {
    provider: 'deepseek',
    model: 'deepseek-v4-flash',
    context: '',
    above_input_tokens: 0,
    ...values,
    cost_at_ours: ours,
    cost_at_theirs: theirs,
    amount_at_stake: atStake,
  };
}

function check(...words: readonly string[]) {
  return admin('catalog', 'check', ...words.map((word) => (word.endsWith('.json') ? fileOf(word) : word)));
}

async function admin(...words: readonly string[]): Promise<{ code: number; stderr: string; output: any }> {
  const written = { stdout: '', stderr: '' };
  const into = (stream: keyof typeof written) => ({ write: (text: string) => (written[stream] += text) });
  const env = { ADMIN_URL: service.url, DATA_DIR: service.dataDirectory };
  const code = await runAdmin([...words, '--json'], { stdout: into('stdout'), stderr: into('stderr') }, env);
  return { code, stderr: written.stderr, output: written.stdout === '' ? undefined : JSON.parse(written.stdout) };
}
