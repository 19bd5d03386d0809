/** Scheduled exports in the browser: tested, saved with the person's password, written by the service, deleted. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type S3StandIn, startS3 } from '../../support/s3-stand-in.ts';
import { graphql } from '../../support/api-client.ts';
import { signedInMember } from '../../support/member.ts';
import { PATIENCE } from '../../support/patience.ts';
import { ownService, type SharedService } from '../../support/shared-service.ts';
import { askAs, signedIn, type Visitor } from '../../support/visitor.ts';

const SECRET = 'storage-password';

let service: SharedService;
let storage: S3StandIn;
let person: Visitor;
beforeAll(async () => {
  storage = await startS3('storage-user', SECRET);
  service = await ownService({ OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' });
  person = await signedIn(service.url, service.firstRun);
});
afterAll(async () => {
  await service.stop();
  await storage.close();
});

const PATH = '/exports/schedules';

it('an owner tests, saves and deletes an export, and sees what was written', async () => {
  expect((await person.get('/exports')).html).toContain(`href="${PATH}"`);
  const fields = {
    name: 'To the lake',
    table: ['end_user', 'rate_history'],
    period: 'MONTH',
    format: 'CSV',
    grain: 'sku',
    version: '',
    bucket: 'lake',
    prefix: 'books',
    endpoint: storage.url,
    region: 'eu-central-1',
    accessKeyId: 'storage-user',
    secretAccessKey: SECRET,
  };
  const unconfirmed = await person.submit(PATH, PATH, fields);
  expect(unconfirmed.status).toBe(403);
  expect(unconfirmed.html).toContain('Enter your own password to do this');
  const ownPassword = service.firstRun.owner_password;
  const wrong = await person.submit(PATH, PATH, {
    ...fields,
    ownPassword,
    secretAccessKey: 'wrong-secret',
    act: 'test',
  });
  expect(wrong.status).toBe(400);
  expect(wrong.html).toContain('403 SignatureDoesNotMatch');
  expect(wrong.html).not.toContain('wrong-secret');
  expect(wrong.html).toContain('name="bucket" value="lake"');
  const tested = await person.submit(PATH, PATH, { ...fields, ownPassword, act: 'test' });
  expect(tested.html).toContain('The test object books/books-test.txt was written.');
  const saved = await person.submit(PATH, PATH, { ...fields, ownPassword });
  expect(saved.location).toMatch(/^\/exports\/schedules\/[0-9a-f-]{36}\?done=export-scheduled$/);
  const path = saved.location!.split('?')[0]!;
  await vi.waitFor(async () => {
    const { html } = await person.get(path);
    expect(html.match(/<span class="badge good">delivered<\/span>/g)).toHaveLength(2);
    expect(html).not.toContain(SECRET);
  }, PATIENCE);
  expect([...storage.objects.keys()].filter((key) => key.endsWith('manifest.json'))).toHaveLength(2);
  expect((await person.submit(path, `${path}/test`)).html).toContain('was written');
  expect((await person.submit(path, `${path}/repeat`)).location).toBe(`${path}?done=export-repeated`);
  expect((await person.submit(path, `${path}/delete`)).location).toBe(`${PATH}?done=export-deleted`);
  expect((await person.get(path)).status).toBe(404);
});

it('the form saves everything that is entered', async () => {
  const { firstRun } = service;
  const { body } = await graphql(
    service.url,
    firstRun.operator_token,
    `mutation ($input: AlertChannelSaveInput!) { alertChannelSave(input: $input) {
      alertChannel { id } userErrors { message } } }`,
    { input: { kind: 'WEBHOOK', name: 'Ops', target: storage.url } },
    firstRun.organization_id,
  );
  expect(body).toMatchObject({ data: { alertChannelSave: { userErrors: [] } } });
  const channelId = body.data.alertChannelSave.alertChannel.id as string;
  const typed = {
    name: 'By customer',
    period: 'DAY',
    format: 'JSONL',
    grain: 'customer',
    version: '1.2',
    bucket: 'lake',
    prefix: 'books',
    endpoint: storage.url,
    region: 'eu-central-1',
    accessKeyId: 'storage-user',
  };
  const saved = await person.submit(PATH, PATH, {
    ...typed,
    table: ['focus'],
    channel: [channelId],
    secretAccessKey: SECRET,
    ownPassword: firstRun.owner_password,
  });
  expect(saved.location).toContain('done=export-scheduled');
  const { data } = await askAs(
    person,
    `{ exportSchedules { name tables period format grain version bucket prefix endpoint region accessKeyId channelIds } }`,
  );
  expect(data.exportSchedules).toEqual([{ ...typed, tables: ['focus'], channelIds: [channelId] }]);
});

it('a member cannot schedule exports', async () => {
  const member = await signedInMember(service);
  expect((await member.get(PATH)).status).toBe(403);
  expect((await member.get('/exports')).html).not.toContain(`href="${PATH}"`);
});
