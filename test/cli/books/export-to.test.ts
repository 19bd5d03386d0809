/** Scheduled exports to S3-compatible storage: the manifest is written last, and names only complete files. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { AwsV4Signer } from 'aws4fetch';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runBooks } from '../../../cli/books/run-books.ts';
import { padded, queryParquet } from '../../support/duckdb.ts';
import { authorizationOf, type S3StandIn, startS3 } from '../../support/s3-stand-in.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

const [ACCESS_KEY_ID, SECRET] = ['storage-user', 'storage-password'];

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents([
    usageEvent({ event_invoked_at: '2026-03-01T10:00:00Z', user_id: 'ann', cost_override: '0.000000000000001' }),
    usageEvent({ event_invoked_at: '2026-03-02T10:00:00Z', user_id: 'bob', cost_override: '12.5' }),
  ]);
});
afterAll(() => service.stop());

let storage: S3StandIn;
beforeEach(async () => {
  storage = await startS3(ACCESS_KEY_ID, SECRET);
});
afterEach(() => storage.close());

const environment = (more: object = {}) => ({
  BOOKS_API_KEY: service.firstRun.live_read_key,
  BOOKS_API_URL: service.url,
  HOME: service.dataDirectory,
  AWS_ACCESS_KEY_ID: ACCESS_KEY_ID,
  AWS_SECRET_ACCESS_KEY: SECRET,
  AWS_ENDPOINT_URL_S3: storage.url,
  ...more,
});

async function exportTo(words: readonly string[], more: object = {}) {
  const written = { out: '', err: '' };
  const into = (stream: keyof typeof written) => ({ write: (text: string) => (written[stream] += text) });
  const terminal = { stdout: into('out'), stderr: into('err'), readInput: async () => '' };
  return { code: await runBooks(['export-to', ...words], terminal, environment(more)), ...written };
}

const MARCH = ['s3://lake/books/eu', '--table', 'charge_day', '--period', '2026-03'];
const FOLDER = 'lake/books/eu/charge_day/period=2026-03';

/** Every file that a manifest names is stored and complete. */
function manifests(): any[] {
  return [...storage.objects.keys()]
    .filter((key) => key.endsWith('/manifest.json'))
    .map((key) => {
      const manifest = JSON.parse(storage.objects.get(key)!.toString());
      expect(manifest.complete).toBe(true);
      for (const { key: part, bytes, sha256 } of manifest.files) {
        const stored = storage.objects.get(`lake/${part}`)!;
        expect([stored.length, createHash('sha256').update(stored).digest('hex')]).toEqual([bytes, sha256]);
      }
      return manifest;
    });
}

it('`export-to` writes a Parquet file and then its manifest', async () => {
  expect(await exportTo(MARCH)).toEqual({
    code: 0,
    out: 'books/eu/charge_day/period=2026-03/manifest.json\n',
    err: '',
  });
  const [manifest, ...more] = manifests();
  expect(more).toEqual([]);
  expect(manifest).toMatchObject({ manifest_version: 1, table: 'charge_day', period: '2026-03', format: 'parquet' });
  const [{ key }] = manifest.files;
  expect([...storage.objects.keys()]).toEqual([`lake/${key}`, `${FOLDER}/manifest.json`]);
  const bytes = Uint8Array.from(storage.objects.get(`lake/${key}`)!).buffer;
  expect(await queryParquet(bytes, 'select sum(effective_amount) amount from file')).toEqual([
    { amount: padded('12.500000000000001') },
  ]);
});

it('`export-to` writes the same file again for the same figures, and another one for other figures', async () => {
  await exportTo(MARCH);
  const [first] = manifests();
  await exportTo(MARCH);
  expect(manifests()[0].files).toEqual(first.files);
  await service.send([usageEvent({ event_invoked_at: '2026-03-03T10:00:00Z', cost_override: '1' })]);
  await exportTo(MARCH);
  const [second] = manifests();
  expect(second.files).not.toEqual(first.files);
  expect(storage.objects.has(`lake/${first.files[0].key}`)).toBe(true);
});

it('`export-to` leaves no manifest if it is killed between the data file and the manifest', async () => {
  const child = spawn(process.execPath, ['cli/books/main.ts', 'export-to', ...MARCH], {
    env: { ...process.env, ...environment() },
    stdio: 'ignore',
  });
  storage.beforePut = (key) => {
    if (!key.endsWith('/manifest.json')) return undefined;
    child.kill('SIGKILL');
    return 'SlowDown';
  };
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
  expect([...storage.objects.keys()]).toEqual([expect.stringMatching(/\/part-[0-9a-f]{16}\.parquet$/)]);
  storage.beforePut = () => undefined;
  expect((await exportTo(MARCH)).code).toBe(0);
  expect(manifests()).toHaveLength(1);
});

it('`export-to` keeps the earlier manifest and its file if the next run fails', async () => {
  await exportTo(MARCH);
  const before = manifests();
  await service.send([usageEvent({ event_invoked_at: '2026-03-04T10:00:00Z', cost_override: '2' })]);
  storage.beforePut = (key) => (key.endsWith('/manifest.json') ? 'AccessDenied' : undefined);
  expect(await exportTo(MARCH)).toMatchObject({ code: 1, err: expect.stringContaining('403 AccessDenied: Refused') });
  expect(manifests()).toEqual(before);
});

it('`export-to` writes all tables of last month and this month by default', async () => {
  expect(await exportTo(['s3://lake'])).toMatchObject({ code: 0, err: '' });
  expect(new Set(manifests().map(({ table }) => table))).toEqual(
    new Set(['charge_day', 'revenue_day', 'margin_day', 'rate_history', 'end_user', 'focus']),
  );
  expect(manifests()).toHaveLength(12);
});

it.each([
  [['lake/books'], {}, 2, /must be s3:\/\//],
  [MARCH, { AWS_SECRET_ACCESS_KEY: '' }, 2, /AWS_SECRET_ACCESS_KEY/],
  [MARCH, { AWS_SECRET_ACCESS_KEY: 'wrong' }, 1, /403 SignatureDoesNotMatch/],
  [[...MARCH, '--period', '9000-01'], {}, 1, /must not begin in the future/],
])('%j with %j fails', async (words, more, code, message) => {
  expect(await exportTo(words, more)).toMatchObject({ code, err: expect.stringMatching(message) });
});

describe('signatures equal the examples that AWS publishes for S3', () => {
  const KEY = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
  const DATE = '20130524T000000Z';
  const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  it.each([
    [
      'GET',
      '/test.txt',
      { range: 'bytes=0-9', 'x-amz-content-sha256': EMPTY },
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      'PUT',
      '/test$file.text',
      {
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
        'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
      },
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    ],
  ])('%s %s', async (method, path, headers, signature) => {
    const host = 'examplebucket.s3.amazonaws.com';
    const signer = new AwsV4Signer({
      ...KEY,
      url: `https://${host}${path}`,
      method,
      headers,
      service: 's3',
      region: 'us-east-1',
      datetime: DATE,
      allHeaders: true,
    });
    const signed = Object.fromEntries((await signer.sign()).headers);
    expect(signed['authorization']).toContain(`Signature=${signature}`);
    expect(authorizationOf({ method, path, headers: { ...signed, host } }, KEY.secretAccessKey)).toBe(
      signed['authorization'],
    );
  });
});
