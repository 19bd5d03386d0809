/** Scheduled exports over a whole service: files and manifests, failures, crashes, and permissions. */
import { createHash, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../support/patience.ts';
import { type S3StandIn, startS3 } from '../../../support/s3-stand-in.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../support/webhook-receiver.ts';
import { type Alerting, startAlerting } from '../alerting-builder.ts';

const [ACCESS_KEY_ID, SECRET] = ['storage-user', 'storage-password'];

let world: Alerting;
let receiver: WebhookReceiver;
beforeAll(async () => {
  world = await startAlerting();
  receiver = await startWebhookReceiver();
});
afterAll(async () => {
  await receiver.close();
  await world.close();
});

let storage: S3StandIn;
beforeEach(async () => {
  storage = await startS3(ACCESS_KEY_ID, SECRET);
});
afterEach(() => storage.close());

/** The last UTC day that ended at least six hours ago. */
const DAY = new Date(Math.floor((Date.now() - 6 * 3_600_000) / 86_400_000 - 1) * 86_400_000).toISOString().slice(0, 10);
const FOLDER = `lake/books/eu/charge_day/period=${DAY}`;

const SAVE = `mutation ($input: ExportScheduleSaveInput!) { exportScheduleSave(input: $input) {
  exportSchedule { id name tables format period bucket prefix endpoint region accessKeyId state problem nextAt }
  testedKey userErrors { field message code }
} }`;
const SCHEDULES = '{ exportSchedules { id state problem nextAt channelIds } }';
const DELIVERIES =
  '{ exportDeliveries { totalCount nodes { id table period state attempts rows bytes sha256 manifestKey error dueAt } } }';

const input = (more: object = {}) => ({
  name: 'To the lake',
  tables: ['charge_day'],
  format: 'JSONL',
  period: 'DAY',
  endpoint: storage.url,
  bucket: 'lake',
  prefix: '/books/eu/',
  accessKeyId: ACCESS_KEY_ID,
  secretAccessKey: SECRET,
  ...more,
});

async function save(own: string, more: object = {}): Promise<any> {
  return (await world.ask(own, SAVE, { input: input(more) })).exportScheduleSave;
}

async function scheduled(own: string, more: object = {}): Promise<string> {
  const { exportSchedule, userErrors } = await save(own, more);
  expect(userErrors).toEqual([]);
  return exportSchedule.id;
}

const schedules = async (own: string): Promise<any[]> => (await world.ask(own, SCHEDULES)).exportSchedules;
const deliveries = async (own: string): Promise<any[]> => (await world.ask(own, DELIVERIES)).exportDeliveries.nodes;
const run = () => world.run('deliver-exports');
/** As if the wait for the next attempt were over. */
const makeDue = (own: string) =>
  world.rows('update export_delivery set due_at = now() where organization_id = $1 and due_at is not null', [own]);

/** Every file that a manifest names is stored and complete. */
function manifest(key = `${FOLDER}/manifest.json`): any {
  const found = JSON.parse(storage.objects.get(key)?.toString() ?? 'null');
  for (const { key: part, bytes, sha256 } of found?.files ?? []) {
    const stored = storage.objects.get(`lake/${part}`)!;
    expect([stored.length, createHash('sha256').update(stored).digest('hex')]).toEqual([bytes, sha256]);
  }
  return found;
}

it('an export writes the last day that has ended, with exact amounts, a manifest and a record', async () => {
  const own = randomUUID();
  await world.send(own, [
    { event_invoked_at: `${DAY}T00:00:00Z`, cost_override: '2.000000000000001' },
    { event_invoked_at: `${DAY}T23:59:59Z`, cost_override: '0.5' },
    { event_invoked_at: new Date(Date.parse(DAY) - 1).toISOString(), cost_override: '64' },
  ]);
  await world.settle();
  const { exportSchedule, userErrors } = await save(own);
  expect(userErrors).toEqual([]);
  expect(exportSchedule).toMatchObject({
    prefix: 'books/eu',
    endpoint: storage.url,
    region: 'us-east-1',
    state: 'ACTIVE',
  });
  await run();
  const found = manifest();
  expect(found).toMatchObject({ table: 'charge_day', period: DAY, format: 'jsonl', complete: true });
  const rows = storage.objects.get(`lake/${found.files[0].key}`)!.toString().trim().split('\n');
  expect(found.files).toMatchObject([{ rows: rows.length }]);
  const amounts = rows.map((row) => JSON.parse(row).effective_amount);
  expect(amounts.filter((amount) => amount !== '0')).toEqual(['2.500000000000001']);
  expect(await deliveries(own)).toMatchObject([
    { table: 'charge_day', period: DAY, state: 'DELIVERED', attempts: 1, rows: rows.length, error: null, dueAt: null },
  ]);
  // Nothing is written twice, and the next day follows six hours after it has ended.
  const written = storage.objects.size;
  await run();
  expect(storage.objects.size).toBe(written);
  const [{ nextAt }] = await schedules(own);
  expect(nextAt).toBe(new Date(Date.parse(DAY) + 2 * 86_400_000 + 6 * 3_600_000).toISOString());
  // Another organization sees nothing of it, and the secret is stored encrypted.
  expect(await schedules(randomUUID())).toEqual([]);
  const [row] = await world.rows<any>('select * from export_schedule where organization_id = $1', [own]);
  expect(JSON.stringify({ ...row, sealed_secret: row.sealedSecret?.toString('latin1') })).not.toContain(SECRET);
  // A correction is written on request, in a file of its own.
  await world.send(own, [{ event_invoked_at: `${DAY}T12:00:00Z`, cost_override: '1' }]);
  await world.settle();
  const [{ id }] = await deliveries(own);
  await world.ask(own, 'mutation ($id: ID!) { exportDeliveryRepeat(input: { id: $id }) { userErrors { message } } }', {
    id,
  });
  await run();
  expect(manifest().files[0].key).not.toBe(found.files[0].key);
});

it('an export that is interrupted between the data file and the manifest leaves no manifest, and another process continues it', async () => {
  const own = randomUUID();
  await scheduled(own);
  let release = () => {};
  const isHanging = new Promise<void>((reached) => {
    storage.beforePut = (key) => {
      if (!key.endsWith('/manifest.json')) return undefined;
      reached();
      return new Promise((resolve) => (release = () => resolve('SlowDown')));
    };
  });
  const interrupted = run();
  await isHanging;
  expect([...storage.objects.keys()]).toEqual([expect.stringMatching(/\/part-[0-9a-f]{16}\.jsonl$/)]);
  // While the lease runs, nobody else claims it.
  storage.beforePut = () => undefined;
  await run();
  expect(manifest()).toBeNull();
  await world.rows("update export_delivery set lease_until = now() - interval '1 second' where organization_id = $1", [
    own,
  ]);
  await run();
  expect(manifest()).toMatchObject({ complete: true });
  expect(await deliveries(own)).toMatchObject([{ state: 'DELIVERED', attempts: 2, error: null }]);
  // The late failure of the first process changes nothing.
  release();
  await interrupted;
  expect(await deliveries(own)).toMatchObject([{ state: 'DELIVERED', attempts: 2, error: null }]);
});

it.each([
  ['fails', 'SlowDown'],
  ['succeeds', undefined],
])('a process whose lease has expired changes nothing when its attempt %s', async (_, answer) => {
  const own = randomUUID();
  await scheduled(own);
  const known = 'an earlier attempt failed';
  await world.rows('update export_schedule set last_error = $2 where organization_id = $1', [own, known]);
  const releases: (() => void)[] = [];
  storage.beforePut = (key) =>
    key.endsWith('/manifest.json')
      ? new Promise((resolve) => releases.push(() => resolve(releases.length === 2 ? answer : undefined)))
      : undefined;
  const first = run();
  await vi.waitFor(() => expect(releases).toHaveLength(1), PATIENCE);
  await world.rows("update export_delivery set lease_until = now() - interval '1 second' where organization_id = $1", [
    own,
  ]);
  const second = run();
  await vi.waitFor(() => expect(releases).toHaveLength(2), PATIENCE);
  storage.beforePut = () => undefined;
  releases[0]!();
  await first;
  expect(await deliveries(own)).toMatchObject([{ state: 'PENDING', attempts: 2, error: null }]);
  expect(await schedules(own)).toMatchObject([{ state: 'FAILING', problem: known }]);
  releases[1]!();
  await second;
  expect(await deliveries(own)).toMatchObject([{ attempts: 2 }]);
});

it('one export of an organization is written at a time', async () => {
  const own = randomUUID();
  await scheduled(own, { tables: ['charge_day', 'end_user'] });
  let release = () => {};
  const isHanging = new Promise<void>((reached) => {
    storage.beforePut = () => {
      reached();
      return new Promise((resolve) => (release = () => resolve(undefined)));
    };
  });
  const hanging = run();
  await isHanging;
  await run();
  expect((await deliveries(own)).map(({ attempts }) => attempts).sort()).toEqual([0, 1]);
  storage.beforePut = () => undefined;
  release();
  await hanging;
  expect(await deliveries(own)).toMatchObject([{ state: 'DELIVERED' }, { state: 'DELIVERED' }]);
});

it('a schedule retries a refused file, notifies after three attempts, stops after eleven, and resumes when it is saved', async () => {
  const own = randomUUID();
  const channel = await world.ask(
    own,
    'mutation ($input: AlertChannelSaveInput!) { alertChannelSave(input: $input) { alertChannel { id } } }',
    { input: { kind: 'WEBHOOK', name: 'Ops', target: `${receiver.url}/ops` } },
  );
  const channelIds = [channel.alertChannelSave.alertChannel.id];
  const id = await scheduled(own, { channelIds });
  storage.beforePut = () => 'AccessDenied';
  const sentences = async () => {
    await world.deliver();
    return receiver.requests.filter(({ path }) => path === '/ops').map(({ body }) => JSON.parse(body));
  };
  const ERROR = 'the storage refused it: 403 AccessDenied: Refused';
  const waits: (number | null)[] = [];
  for (let attempt = 1; attempt <= 11; attempt++) {
    await makeDue(own);
    await run();
    const [{ minutes } = { minutes: null }] = await world.rows<{ minutes: number | null }>(
      'select round(extract(epoch from due_at - now()) / 60)::int as minutes from export_delivery where organization_id = $1',
      [own],
    );
    waits.push(minutes);
    const [delivery] = await deliveries(own);
    expect(delivery).toMatchObject({ attempts: attempt, error: ERROR, state: attempt < 11 ? 'PENDING' : 'STOPPED' });
    if (attempt === 2) expect(await sentences()).toEqual([]);
    if (attempt === 3) expect(await sentences()).toHaveLength(1);
  }
  // The waits grow, and add up to a day.
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 240, 240, 240, 240, null]);
  expect(manifest()).toBeNull();
  const messages = await sentences();
  expect(messages.map(({ type }) => type)).toEqual(['export.failed', 'export.failed']);
  expect(messages[0].data).toMatchObject({
    rule: 'Export To the lake',
    sentence: `charge_day for ${DAY} could not be written in 3 attempts and is retried for a day: ${ERROR}.`,
    link: expect.stringMatching(new RegExp(`/exports/schedules/${id}$`)),
  });
  const reason = `charge_day for ${DAY} could not be written in 11 attempts: ${ERROR}`;
  expect(await schedules(own)).toMatchObject([{ state: 'STOPPED', problem: reason, nextAt: null }]);
  storage.beforePut = () => undefined;
  await run();
  expect(manifest()).toBeNull();

  await scheduled(own, { id, channelIds, secretAccessKey: undefined });
  await run();
  expect(manifest()).toMatchObject({ complete: true });
  expect(await schedules(own)).toMatchObject([{ state: 'ACTIVE', problem: null }]);
});

it('a deleted channel is removed from the schedules that used it', async () => {
  const own = randomUUID();
  const { alertChannelSave } = await world.ask(
    own,
    'mutation ($input: AlertChannelSaveInput!) { alertChannelSave(input: $input) { alertChannel { id } } }',
    { input: { kind: 'WEBHOOK', name: 'Gone', target: `${receiver.url}/gone` } },
  );
  const { id } = alertChannelSave.alertChannel;
  await scheduled(own, { channelIds: [id] });
  await world.ask(own, 'mutation ($id: ID!) { alertChannelDelete(input: { id: $id }) { alertChannel { id } } }', {
    id,
  });
  expect(await schedules(own)).toMatchObject([{ channelIds: [] }]);
});

it('a schedule stops with all its tables, and writes them when it is saved again', async () => {
  const own = randomUUID();
  const tables = ['charge_day', 'end_user'];
  const id = await scheduled(own, { tables });
  await run();
  const [first] = await deliveries(own);
  const REPEAT = 'mutation ($id: ID!) { exportDeliveryRepeat(input: { id: $id }) { userErrors { message } } }';
  const repeat = async (one: string) =>
    (await world.ask(own, REPEAT, { id: one })).exportDeliveryRepeat.userErrors[0]?.message ?? null;
  for (const delivery of await deliveries(own)) expect(await repeat(delivery.id)).toBeNull();
  await world.rows(
    "update export_delivery set due_at = case id when $2 then now() else now() + interval '1 hour' end, attempts = 10 where organization_id = $1",
    [own, first.id],
  );
  storage.beforePut = () => 'AccessDenied';
  await run();
  expect(await schedules(own)).toMatchObject([{ state: 'STOPPED' }]);
  expect((await deliveries(own)).map(({ dueAt }) => dueAt)).toEqual([null, null]);
  expect(await repeat(first.id)).toBe('id: the scheduled export is stopped. Save it to resume it');
  await world.run('repeat-closed-exports');
  expect(await world.rows('select closings_checked_at from export_schedule where organization_id = $1', [own])).toEqual(
    [{ closingsCheckedAt: null }],
  );

  // The table that had been written before its last attempts failed is written again, too.
  storage.beforePut = () => undefined;
  storage.objects.clear();
  await scheduled(own, { id, tables });
  await run();
  const written = [...storage.objects.keys()].filter((key) => key.endsWith(`period=${DAY}/manifest.json`));
  expect(written).toContain(`lake/books/eu/${first.table}/period=${DAY}/manifest.json`);

  // A record stays when its table is left out. Its files cannot be written again.
  await scheduled(own, { id, tables: [tables.find((table) => table !== first.table)] });
  expect(await deliveries(own)).toHaveLength(2);
  expect(await repeat(first.id)).toBe(`id: the scheduled export no longer writes ${first.table}`);
});

it('a table that is removed from its schedule before it was written is dropped', async () => {
  const own = randomUUID();
  const id = await scheduled(own, { tables: ['charge_day', 'end_user'] });
  storage.beforePut = () => 'SlowDown';
  await run();
  await scheduled(own, { id, tables: ['charge_day'] });
  expect(await deliveries(own)).toMatchObject([{ table: 'charge_day', attempts: 0 }]);
});

it('a schedule stops if the process died in every attempt', async () => {
  const own = randomUUID();
  await scheduled(own);
  storage.beforePut = () => 'SlowDown';
  await run();
  await world.rows('update export_delivery set due_at = now(), attempts = 11 where organization_id = $1', [own]);
  await run();
  const problem = 'the service was interrupted in every attempt';
  expect(await schedules(own)).toMatchObject([{ state: 'STOPPED', problem }]);
});

it('a schedule catches up on missed days, and starts a changed period with the last one that is due', async () => {
  const own = randomUUID();
  const id = await scheduled(own);
  const missed = new Date(Date.parse(DAY) - 100 * 86_400_000).toISOString();
  await world.rows('update export_schedule set next_period_start = $2, updated_by = gen_random_uuid() where id = $1', [
    id,
    missed,
  ]);
  const next = async () =>
    (
      await world.rows<any>('select next_period_start::text as next, updated_by from export_schedule where id = $1', [
        id,
      ])
    )[0];
  await scheduled(own, { id, name: 'Renamed' });
  expect(new Date((await next()).next).toISOString()).toBe(missed);
  // The export has the rights of whoever saved it last, here an operator.
  expect((await next()).updatedBy).toBeNull();
  await scheduled(own, { id, period: 'MONTH' });
  expect(new Date((await next()).next) > new Date(missed)).toBe(true);
});

it('deliveries are deleted after 400 days, unless they are due again', async () => {
  const own = randomUUID();
  const id = await scheduled(own);
  await run();
  for (const [days, dueAt] of [
    [399, null],
    [401, null],
    [402, '2100-01-01'],
  ])
    await world.rows(
      `insert into export_delivery (organization_id, id, schedule_id, report_table, period, created_at, delivered_at, due_at, attempts)
       values ($1, gen_random_uuid(), $2, 'charge_day', $3::text, now(), now() - $4::int * interval '1 day', $5, 1)`,
      [own, id, `kept ${days}`, days, dueAt],
    );
  await world.rows('update export_schedule set due_at = now() where id = $1', [id]);
  await run();
  expect((await deliveries(own)).map(({ period }) => period).filter((period) => period.startsWith('kept'))).toEqual([
    'kept 402',
    'kept 399',
  ]);
});

it('an organization has at most twenty schedules', async () => {
  const own = randomUUID();
  const id = await scheduled(own);
  const [{ columns } = { columns: '' }] = await world.rows<{ columns: string }>(
    "select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns where table_name = 'export_schedule' and column_name <> 'id'",
  );
  await world.rows(
    `insert into export_schedule (id, ${columns}) select gen_random_uuid(), ${columns} from export_schedule, generate_series(1, 18) where id = $1`,
    [id],
  );
  await scheduled(own);
  expect((await save(own)).userErrors).toMatchObject([
    { message: 'An organization can have at most 20 scheduled exports' },
  ]);
  await scheduled(own, { id });
});

it.each([
  ['an older version', 'focus-1.2', { tables: ['focus'], version: '1.2' }, { version: '1.2' }],
  ['a finer grain', 'charge_day-customer', { tables: ['charge_day'], grain: 'customer' }, { grain: 'customer' }],
])('the files of %s of a table are put into a folder of their own', async (_, folder, more, named) => {
  const own = randomUUID();
  await scheduled(own, more);
  await run();
  expect(manifest(`lake/books/eu/${folder}/period=${DAY}/manifest.json`)).toMatchObject(named);
});

it('saving a schedule again does not repeat what was already written', async () => {
  const own = randomUUID();
  const id = await scheduled(own);
  await run();
  const later = "update export_schedule set next_period_start = '2126-01-01', due_at = '2126-01-03' where id = $1";
  await world.rows(later, [id]);
  await scheduled(own, { id, tables: ['charge_day', 'end_user'] });
  expect(await deliveries(own)).toMatchObject([{ table: 'charge_day', state: 'DELIVERED' }]);
  // The table that was added starts with the last day that is due.
  await run();
  expect(await deliveries(own)).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ table: 'end_user', period: DAY, state: 'DELIVERED' })]),
  );
});

it('deliveries can be listed for one schedule', async () => {
  const own = randomUUID();
  const [id] = [await scheduled(own), await scheduled(own, { tables: ['end_user'] })];
  await run();
  const OF_ONE = 'query ($id: ID!) { exportDeliveries(scheduleId: $id) { totalCount nodes { table } } }';
  expect((await world.ask(own, OF_ONE, { id })).exportDeliveries).toEqual({
    totalCount: 1,
    nodes: [{ table: 'charge_day' }],
  });
  expect(await deliveries(own)).toHaveLength(2);
});

it('a schedule ends when the person who saved it may no longer export', async () => {
  const made = await world.ask(
    randomUUID(),
    `mutation ($input: OrganizationCreateInput!) {
      organizationCreate(input: $input) { createdOrganization { organization { id } } userErrors { message } } }`,
    { input: { name: 'Leaving', ownerEmail: 'stays@export.example', ownerPassword: 'a password of an owner' } },
  );
  const own = made.organizationCreate.createdOrganization.organization.id;
  const { accountUserCreate } = await world.ask(
    own,
    `mutation { accountUserCreate(input: { email: "leaves@export.example", password: "a password of an admin", role: "admin" }) {
      accountUser { id } userErrors { message } } }`,
  );
  const id = await scheduled(own);
  await world.rows('update export_schedule set updated_by = $2 where organization_id = $1', [
    own,
    accountUserCreate.accountUser.id,
  ]);
  await run();
  expect(await deliveries(own)).toMatchObject([{ state: 'DELIVERED' }]);
  await world.ask(
    own,
    'mutation ($id: ID!) { accountUserSetRole(input: { id: $id, role: "member" }) { userErrors { message } } }',
    { id: accountUserCreate.accountUser.id },
  );
  const [delivery] = await deliveries(own);
  await world.ask(own, 'mutation ($id: ID!) { exportDeliveryRepeat(input: { id: $id }) { userErrors { message } } }', {
    id: delivery.id,
  });
  storage.objects.clear();
  await run();
  expect(storage.objects.size).toBe(0);
  const problem = 'the person who saved it is no longer an owner or admin';
  expect(await schedules(own)).toMatchObject([{ id, state: 'STOPPED', problem }]);
  const log = await world.ask(own, '{ alertingAuditLog { nodes { action subjectId detail } } }');
  expect(log.alertingAuditLog.nodes[0]).toEqual({
    action: 'export_schedule.stopped',
    subjectId: id,
    detail: `To the lake: ${problem}`,
  });
});

it('a dry run writes a test object and saves nothing; a test uses the stored secret', async () => {
  const own = randomUUID();
  expect(await save(own, { dryRun: true })).toEqual({
    exportSchedule: null,
    testedKey: 'books/eu/books-test.txt',
    userErrors: [],
  });
  expect([...storage.objects.keys()]).toEqual(['lake/books/eu/books-test.txt']);
  expect(await schedules(own)).toEqual([]);
  expect(await save(own, { dryRun: true, secretAccessKey: 'wrong-password' })).toMatchObject({
    testedKey: null,
    userErrors: [
      { message: 'No test object could be written: the storage refused it: 403 SignatureDoesNotMatch: Refused' },
    ],
  });
  const id = await scheduled(own);
  storage.objects.clear();
  const TEST = 'mutation ($id: ID!) { exportScheduleTest(input: { id: $id }) { testedKey userErrors { message } } }';
  expect((await world.ask(own, TEST, { id })).exportScheduleTest).toEqual({
    testedKey: 'books/eu/books-test.txt',
    userErrors: [],
  });
  await expect(world.ask(own, TEST, { id })).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  expect((await world.ask(randomUUID(), TEST, { id })).exportScheduleTest.userErrors).toEqual([
    { message: 'id: scheduled export not found' },
  ]);
  await world.ask(own, 'mutation ($id: ID!) { exportScheduleDelete(input: { id: $id }) { userErrors { message } } }', {
    id,
  });
  expect([await schedules(own), await deliveries(own)]).toEqual([[], []]);
});

it.each([
  ['tables', { tables: [] }, /^tables must name/],
  ['tables', { tables: ['usage_event'] }, /^Unknown report table/],
  ['grain', { tables: ['end_user'], grain: 'agent' }, /^grain: none of the tables/],
  ['version', { version: '1.2' }, /^version: none of the tables/],
  ['bucket', { bucket: 'Lake/x' }, /^bucket must be/],
  ['prefix', { prefix: 'a/../../other' }, /^prefix must have/],
  ['prefix', { prefix: 'a/./b' }, /^prefix must have/],
  ['prefix', { prefix: 'a'.repeat(501) }, /^prefix must have at most 500/],
  ['endpoint', { endpoint: 'https://files.example/?list=1' }, /^endpoint must be a URL/],
  ['endpoint', { endpoint: 'https://files.example/#part' }, /^endpoint must be a URL/],
  ['endpoint', { endpoint: 'http://10.0.0.1' }, /^endpoint is not allowed: its host cannot be found, or is not public/],
  ['endpoint', { endpoint: 'ftp://files.example' }, /^endpoint must be a URL/],
  ['region', { region: 'eu.example/' }, /^region must be/],
  ['secretAccessKey', { secretAccessKey: undefined }, /^secretAccessKey is required/],
  ['channelIds', { channelIds: [randomUUID()] }, /^channelIds contains an unknown channel/],
])('a wrong %s is refused: %j', async (_, more, message) => {
  const own = randomUUID();
  expect((await save(own, more)).userErrors).toMatchObject([{ message: expect.stringMatching(message) }]);
  expect(await schedules(own)).toEqual([]);
});

it('a month is written again when it is closed, once for each closing', async () => {
  const own = randomUUID();
  const LAST = new Date(Date.UTC(Number(DAY.slice(0, 4)), Number(DAY.slice(5, 7)) - 1, 0)).toISOString();
  const month = LAST.slice(0, 7);
  const last = LAST.slice(0, 10);
  const key = `lake/books/eu/charge_day/period=${month}/manifest.json`;
  const check = () => world.run('repeat-closed-exports');
  const checkAgain = async () => {
    await world.rows(
      "update export_schedule set closings_checked_at = now() - interval '1 day' where organization_id = $1",
      [own],
    );
    await check();
  };
  const spend = async (cost_override: string) => {
    await world.send(own, [{ event_invoked_at: `${last}T12:00:00Z`, cost_override }]);
    await world.settle();
  };
  const close = (through: string) =>
    world.ask(
      own,
      'mutation ($through: String!) { costsClose(input: { through: $through }) { userErrors { message } } }',
      { through },
    );
  await spend('2');
  await scheduled(own, { period: 'MONTH' });
  await check();
  await run();
  const before = manifest(key).files[0].key;
  // A late event of an open month is written when the month is closed.
  await spend('1');
  await checkAgain();
  await run();
  expect(manifest(key).files[0].key).toBe(before);
  expect((await close(month)).costsClose.userErrors).toEqual([]);
  await check();
  await run();
  expect(manifest(key).files[0].key).toBe(before);
  await checkAgain();
  expect(await deliveries(own)).toMatchObject([{ period: month, state: 'PENDING' }]);
  await run();
  const after = manifest(key).files[0].key;
  expect(after).not.toBe(before);
  const amounts = storage.objects.get(`lake/${after}`)!.toString().trim().split('\n');
  expect(amounts.map((row) => JSON.parse(row).effective_amount).filter((amount) => amount !== '0')).toEqual(['3']);
  expect(await deliveries(own)).toMatchObject([{ period: month, state: 'DELIVERED', dueAt: null }]);
  await checkAgain();
  expect(await deliveries(own)).toMatchObject([{ period: month, state: 'DELIVERED', dueAt: null }]);
  // Closed again after it was reopened. A month that was closed before keeps its files.
  await world.rows(
    `insert into export_delivery (organization_id, id, schedule_id, report_table, period, created_at, delivered_at, manifest_key, attempts)
     select organization_id, gen_random_uuid(), schedule_id, report_table, '2020-01', created_at, delivered_at, manifest_key, 1
     from export_delivery where organization_id = $1`,
    [own],
  );
  const reopen = 'mutation ($from: String!) { costsReopen(input: { from: $from }) { userErrors { message } } }';
  expect((await world.ask(own, reopen, { from: month })).costsReopen.userErrors).toEqual([]);
  await checkAgain();
  await close(month);
  await checkAgain();
  const states = async () => (await deliveries(own)).map(({ period, state }) => `${period} ${state}`);
  expect(await states()).toEqual([`${month} PENDING`, '2020-01 DELIVERED']);
  await run();
  const closeRevenue =
    'mutation ($through: String!) { revenueClose(input: { through: $through }) { userErrors { message } } }';
  expect((await world.ask(own, closeRevenue, { through: month })).revenueClose.userErrors).toEqual([]);
  await world.rows("delete from export_delivery where organization_id = $1 and period = '2020-01'", [own]);
  await checkAgain();
  expect(await states()).toEqual([`${month} PENDING`]);
});
