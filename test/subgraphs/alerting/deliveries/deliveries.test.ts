import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query } from '#platform/database/sql.ts';
import { launch } from '../../../support/child-service.ts';
import { type MailServer, startMailServer } from '../../../support/mail-server.ts';
import { urlOf } from '../../../support/running-service.ts';
import type { ReceivedRequest } from '../../../support/webhook-receiver.ts';
import { codeIn, CONFIRM, EDGE } from '../confirm-address.ts';
import { type AlertingService, SERVICE_SECRET, startAlerting } from '../deliveries-builder.ts';
import { PATIENCE } from '../../../support/patience.ts';

let mailServer: MailServer;
let service: AlertingService;
beforeAll(async () => {
  mailServer = await startMailServer();
  service = await startAlerting({ SMTP_URL: mailServer.url, SMTP_FROM: 'Books <books@example.com>' });
});
afterAll(async () => {
  await service.close();
  await mailServer.close();
});

/** A channel whose address was confirmed with the link in its mail. */
async function confirmedMailbox(input: object): Promise<{ id: string }> {
  const { alertChannel } = await service.save(input);
  await service.sendAll();
  await service.ask(CONFIRM, { token: codeIn(mailServer.mails.at(-1)!.text) }, EDGE);
  mailServer.mails.length = 0;
  await service.rows("delete from alert_delivery where event_type = 'alert.confirmation'");
  return alertChannel;
}

/** The request as verified by a receiver, with the Standard Webhooks library. */
function verified(request: ReceivedRequest | undefined, secret: string): any {
  return new Webhook(secret).verify(request!.body, request!.headers as Record<string, string>);
}
function requestsTo(path: string): ReceivedRequest[] {
  return service.receiver.requests.filter((request) => request.path === path);
}

describe('a webhook', () => {
  it('is signed according to Standard Webhooks, and contains no figures', async () => {
    const { id, secret } = await service.webhook('/signed');
    const episodeId = randomUUID();
    await service.enqueue({ episodeId, channelIds: [id] });
    await service.sendAll();
    const [request] = requestsTo('/signed');
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(verified(request, secret)).toEqual({
      type: 'alert.opened',
      timestamp: '2026-11-22T02:00:00.000Z',
      data: {
        organization_id: service.organizationId,
        episode_id: episodeId,
        rule_id: '01a0b1c2-0000-7000-8000-000000000002',
        kind: 'ANOMALY',
        rule: 'Unusual cost',
        sentence: 'Costs of 21 November were $12.50, 3 times the usual $4.10.',
        link: 'https://books.example/alerts/01a0b1c2-0000-7000-8000-000000000001',
      },
    });
    expect(() => verified({ ...request!, body: `${request!.body} ` }, secret)).toThrow('No matching signature found');
    await service.enqueue({ episodeId: randomUUID(), channelIds: [id] });
    await service.sendAll();
    const deliveries = await service.deliveries({ channelId: id, episodeId });
    expect(deliveries).toHaveLength(1);
    const [delivery] = deliveries;
    expect(delivery).toMatchObject({
      id: request?.headers['webhook-id'],
      channel: { name: 'A webhook' },
      episodeId,
      eventType: 'alert.opened',
      state: 'DELIVERED',
      error: null,
      body: request?.body,
      attempts: [{ attempt: 1, statusCode: 200, error: null, answer: 'ok' }],
    });
  });

  it('is sent once for each transition and level, however often that transition is evaluated', async () => {
    const { id } = await service.webhook('/once');
    const episodeId = randomUUID();
    for (const transition of [
      {},
      {},
      { transition: 'level', level: 50 },
      { transition: 'level', level: 80 },
      { transition: 'level', level: 80 },
      { transition: 'closed' },
    ] as const)
      await service.enqueue({ episodeId, channelIds: [id, id, randomUUID()], ...transition });
    await service.sendAll();
    await service.enqueue({ episodeId, channelIds: [id] });
    await service.sendAll();
    expect(requestsTo('/once').map(({ body }) => JSON.parse(body).type)).toEqual(
      expect.arrayContaining(['alert.opened', 'alert.level', 'alert.level', 'alert.closed']),
    );
    expect(requestsTo('/once')).toHaveLength(4);
  });

  it('is signed with both secrets during a rotation, and then only with the new one', async () => {
    const { id, secret } = await service.webhook('/rotated');
    const ROTATE = `mutation ($id: ID!) {
      alertChannelSecretRotate(input: { id: $id }) { secret alertChannel { previousSecretUntil } userErrors { message } }
    }`;
    const { alertChannelSecretRotate: rotated } = await service.ask(ROTATE, { id });
    expect(Date.parse(rotated.alertChannel.previousSecretUntil) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    await service.enqueue({ episodeId: randomUUID(), channelIds: [id] });
    await service.sendAll();
    const [both] = requestsTo('/rotated');
    expect(verified(both, secret)).toEqual(verified(both, rotated.secret));
    await service.rows("update alert_channel set previous_until = now() - interval '1 s' where id = $1", [id]);
    await service.enqueue({ episodeId: randomUUID(), channelIds: [id] });
    await service.sendAll();
    const [, one] = requestsTo('/rotated');
    expect(() => verified(one, secret)).toThrow('No matching signature found');
    expect(verified(one, rotated.secret)).toMatchObject({ type: 'alert.opened' });
    await service.runJob('forget-alert-deliveries');
    expect((await service.channel(id)).previousSecretUntil).toBeNull();
    const kept = 'select 1 from alert_channel where id = $1 and sealed_previous_secret is not null';
    expect(await service.rows(kept, [id])).toEqual([]);
  });

  it('a webhook that fails is retried with the same id and a new timestamp, after 5 s and then more rarely', async () => {
    const { id, secret } = await service.webhook('/failing');
    service.receiver.answers.push(
      { status: 500, text: 'no\0t now' },
      { status: 302, headers: { location: '/elsewhere' } },
      { status: 503, headers: { 'retry-after': '7200' } },
    );
    await service.enqueue({ episodeId: randomUUID(), channelIds: [id] });
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt++) {
      await service.sendAll();
      const [{ state, dueAt }] = await service.deliveries({ channelId: id });
      expect(state).toBe('PENDING');
      waits.push((Date.parse(dueAt) - Date.now()) / 1000);
      await service.passTime();
    }
    for (const [index, seconds] of [5, 300, 7200].entries()) {
      expect(waits[index]).toBeGreaterThan(seconds * 0.5);
      expect(waits[index]).toBeLessThan(seconds * 1.1 + 1);
    }
    expect((await service.channel(id)).problem).toMatch(/^No delivery has succeeded since /);
    await service.sendAll();
    const [delivery] = await service.deliveries({ channelId: id });
    expect(delivery.state).toBe('DELIVERED');
    expect(delivery.attempts).toEqual([
      { attempt: 1, statusCode: 500, error: 'The receiver responded with 500', answer: 'no t now' },
      {
        attempt: 2,
        statusCode: 302,
        error: 'The receiver responded with 302: redirects are not followed',
        answer: null,
      },
      { attempt: 3, statusCode: 503, error: 'The receiver responded with 503', answer: null },
      { attempt: 4, statusCode: 200, error: null, answer: 'ok' },
    ]);
    expect(new Set(requestsTo('/failing').map(({ headers }) => headers['webhook-id']))).toEqual(new Set([delivery.id]));
    for (const request of requestsTo('/failing')) verified(request, secret);
    expect(requestsTo('/elsewhere')).toEqual([]);
    expect(await service.channel(id)).toMatchObject({ problem: null, failingSince: null });
  });

  it('a webhook that responds 410 is switched off with its outstanding deliveries, until it is saved again', async () => {
    const { id: other } = await service.webhook('/later');
    service.receiver.answers.push({ status: 500 });
    await service.enqueue({ episodeId: randomUUID(), channelIds: [other] });
    await service.sendAll();
    const { id } = await service.webhook('/gone');
    service.receiver.answers.push({ status: 410 });
    await service.enqueue({ episodeId: randomUUID(), channelIds: [id] });
    await service.enqueue({ episodeId: randomUUID(), channelIds: [id], at: new Date('2026-11-22T03:00:00.000Z') });
    await service.sendAll();
    await service.enqueue({ episodeId: randomUUID(), channelIds: [id], at: new Date('2026-11-22T04:00:00.000Z') });
    // The channel was already off, so that nothing is due.
    expect((await service.deliveries({ channelId: id }))[0]).toMatchObject({ state: 'GAVE_UP', dueAt: null });
    await service.sendAll();
    expect(requestsTo('/gone')).toHaveLength(1);
    const reason = 'the receiver responded with 410 (gone)';
    expect(await service.channel(id)).toMatchObject({
      isEnabled: false,
      disabledReason: reason,
      problem: `The channel is switched off: ${reason}`,
    });
    expect(
      (await service.deliveries({ channelId: id })).map(({ state, error, attempts }) => [
        state,
        error,
        attempts.length,
      ]),
    ).toEqual([
      ['GAVE_UP', `The channel was switched off: ${reason}`, 0],
      ['GAVE_UP', `The channel was switched off: ${reason}`, 0],
      ['GAVE_UP', 'The receiver responded with 410 (gone)', 1],
    ]);
    expect((await service.deliveries({ channelId: other }))[0]).toMatchObject({ state: 'PENDING' });
    await service.passTime();
    await service.sendAll();
    expect((await service.deliveries({ channelId: other }))[0]).toMatchObject({ state: 'DELIVERED' });
    const {
      alertingAuditLog: { nodes: alertingAuditLog },
    } = await service.ask('{ alertingAuditLog(first: 1) { nodes { action actor detail } } }');
    expect(alertingAuditLog).toEqual([
      { action: 'alert_channel.disabled', actor: 'SERVICE', detail: `A webhook: ${reason}` },
    ]);
    const test = await service.ask(TEST, { id, waitSeconds: 0 });
    expect(test.alertChannelTest.userErrors[0].message).toMatch(/switched off/);
    await service.ask('mutation ($id: ID!) { alertChannelSecretRotate(input: { id: $id }) { secret } }', { id });
    expect(await service.channel(id)).toMatchObject({ isEnabled: false });
    await service.save({ id, kind: 'WEBHOOK', name: 'A webhook' });
    expect(await service.channel(id)).toMatchObject({ isEnabled: true, problem: null });
  });

  it('a webhook that accepts nothing for days is switched off when a delivery has used up its attempts', async () => {
    const { id } = await service.webhook('/dead');
    await service.enqueue({ episodeId: randomUUID(), channelIds: [id] });
    for (let attempt = 1; attempt <= 10; attempt++) {
      service.receiver.answers.push({ status: 500 });
      if (attempt === 10)
        await service.rows("update alert_channel set failing_since = now() - interval '3 days' where id = $1", [id]);
      await service.sendAll();
      await service.passTime();
    }
    const [delivery] = await service.deliveries({ channelId: id });
    expect(delivery).toMatchObject({ state: 'GAVE_UP', dueAt: null, error: 'The receiver responded with 500' });
    expect(delivery.attempts).toHaveLength(10);
    expect((await service.channel(id)).disabledReason).toBe(
      'all deliveries failed for 3 days; last attempt: The receiver responded with 500',
    );
  });

  it('a webhook whose address has become private gets no requests', async () => {
    const { id } = await service.webhook('/private');
    await service.rows("update alert_channel set target = 'http://169.254.169.254/latest/meta-data/' where id = $1", [
      id,
    ]);
    await service.enqueue({ episodeId: randomUUID(), channelIds: [id] });
    await service.sendAll();
    const [delivery] = await service.deliveries({ channelId: id });
    expect(delivery).toMatchObject({
      state: 'PENDING',
      error: 'It was not sent: its host cannot be found, or is not public',
      attempts: [{ statusCode: null, answer: null }],
    });
    await service.ask('mutation ($id: ID!) { alertChannelDelete(input: { id: $id }) { userErrors { message } } }', {
      id,
    });
    await service.passTime();
    await service.sendAll();
    expect((await service.deliveries({ channelId: id }))[0]).toMatchObject({
      channel: null,
      state: 'GAVE_UP',
      error: 'The channel was deleted',
    });
  });
});

const TEST = `mutation ($id: ID!, $waitSeconds: Int!) { alertChannelTest(input: { id: $id, waitSeconds: $waitSeconds }) {
  alertDelivery { id state episodeId eventType attempts { statusCode } } userErrors { field message }
} }`;
const WAITS_FOR_ATTEMPTS = `select 1 from pg_locks where not granted and relation = 'alert_attempt'::regclass
  and database = (select oid from pg_database where datname = current_database())`;
const REDELIVER = `mutation ($id: ID!, $waitSeconds: Int!) { alertDeliveryRedeliver(input: { id: $id, waitSeconds: $waitSeconds }) {
  alertDelivery { id state attempts { statusCode } } userErrors { field message }
} }`;

describe('a person', () => {
  it('sends a test, and sees its result', async () => {
    const { id, secret } = await service.webhook('/test');
    const tested = service.ask(TEST, { id, waitSeconds: 20 });
    await expect.poll(() => service.step()).toBe('more');
    expect((await tested).alertChannelTest).toEqual({
      alertDelivery: {
        id: expect.any(String),
        state: 'DELIVERED',
        episodeId: null,
        eventType: 'alert.test',
        attempts: [{ statusCode: 200 }],
      },
      userErrors: [],
    });
    expect(verified(requestsTo('/test')[0], secret)).toMatchObject({ data: { episode_id: null, rule: 'Test' } });
  });

  it('sends at most 30 tests an hour', async () => {
    const { id } = await service.webhook('/many');
    let messages: string[] = [];
    for (let count = 0; count <= 30 && messages.length === 0; count++)
      messages = (await service.ask(TEST, { id, waitSeconds: 0 })).alertChannelTest.userErrors.map(
        ({ message }: { message: string }) => message,
      );
    expect(messages).toEqual(['At most 30 tests are sent per hour: try again later']);
    await service.sendAll();
  });

  it('sends a delivery again under its id', async () => {
    const { id } = await service.webhook('/again');
    await service.enqueue({ episodeId: randomUUID(), channelIds: [id] });
    await service.sendAll();
    const [{ id: deliveryId }] = await service.deliveries({ channelId: id });
    const again = service.ask(REDELIVER, { id: deliveryId, waitSeconds: 20 });
    await expect.poll(() => service.step()).toBe('more');
    expect((await again).alertDeliveryRedeliver.alertDelivery).toEqual({
      id: deliveryId,
      state: 'DELIVERED',
      attempts: [{ statusCode: 200 }, { statusCode: 200 }],
    });
    expect(requestsTo('/again').map(({ headers }) => headers['webhook-id'])).toEqual([deliveryId, deliveryId]);
    for (const unknown of [randomUUID(), 'none'])
      expect((await service.ask(REDELIVER, { id: unknown, waitSeconds: 0 })).alertDeliveryRedeliver.userErrors).toEqual(
        [{ field: ['input', 'id'], message: 'id: delivery not found' }],
      );
  });

  it.each([-1, 21])('cannot ask to wait %i seconds for an attempt', async (waitSeconds) => {
    for (const [document, field] of [
      [TEST, 'alertChannelTest'],
      [REDELIVER, 'alertDeliveryRedeliver'],
    ] as const) {
      const { [field]: result } = await service.ask(document, { id: randomUUID(), waitSeconds });
      expect(result.userErrors).toMatchObject([{ message: 'waitSeconds must be from 0 to 20' }]);
    }
  });

  it('a person of another organization sees and sends nothing', async () => {
    const { id } = await service.webhook('/other');
    await service.enqueue({ episodeId: randomUUID(), channelIds: [id] });
    await service.sendAll();
    const [{ id: deliveryId }] = await service.deliveries({ channelId: id });
    const other = { organization: randomUUID() };
    expect(await service.ask('{ alertChannels { id } alertDeliveries { totalCount } }', {}, other)).toEqual({
      alertChannels: [],
      alertDeliveries: { totalCount: 0 },
    });
    const { alertChannelTest } = await service.ask(TEST, { id, waitSeconds: 0 }, other);
    const { alertDeliveryRedeliver } = await service.ask(REDELIVER, { id: deliveryId, waitSeconds: 0 }, other);
    for (const { alertDelivery, userErrors } of [alertChannelTest, alertDeliveryRedeliver])
      expect([alertDelivery, userErrors.length]).toEqual([null, 1]);
    for (const grants of [['member'], ['costs:read', 'revenue:read']])
      await expect(service.ask('{ alertDeliveries { totalCount } }', {}, { grants })).rejects.toThrow('FORBIDDEN');
  });
});

describe('a process that dies', () => {
  it.each([
    ['before it has taken a delivery', { transaction: 0, isCommitted: false }, 1],
    ['after it has taken it', { transaction: 0, isCommitted: true }, 1],
    ['after it was sent and before that is written', { transaction: 1, isCommitted: false }, 2],
    ['after that is written', { transaction: 1, isCommitted: true }, 1],
  ])('%s does not lose the message, which is delivered at least once under one id', async (_, death, times) => {
    const path = `/death-${death.transaction}-${death.isCommitted}`;
    const { id } = await service.webhook(path);
    await service.enqueue({ episodeId: randomUUID(), channelIds: [id] });
    await service.life.dyingIn(death, () => service.step());
    await service.passTime();
    await service.sendAll();
    expect(requestsTo(path)).toHaveLength(times);
    expect(new Set(requestsTo(path).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect((await service.deliveries({ channelId: id }))[0]).toMatchObject({ state: 'DELIVERED' });
  });

  it('by kill -9 in the middle of a request leaves the message to the next process', async () => {
    const { id, secret } = await service.webhook('/killed');
    service.receiver.answers.push('never');
    await service.enqueue({ episodeId: randomUUID(), channelIds: [id] });
    const { child, ended, output } = await launch('jobs', ['alerting'], {
      ALERTING_DATABASE_URL: urlOf(service.target),
      GATEWAY_URL: 'http://127.0.0.1:9',
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
      SERVICE_SECRET,
    });
    try {
      await expect.poll(() => requestsTo('/killed').length, { ...PATIENCE, message: output() }).toBe(1);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
    expect((await service.deliveries({ channelId: id }))[0]).toMatchObject({ state: 'PENDING', attempts: [] });
    await service.sendAll();
    expect(requestsTo('/killed')).toHaveLength(1);
    await service.passTime();
    await service.sendAll();
    const [first, second] = requestsTo('/killed');
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(verified(second, secret)).toEqual(verified(first, secret));
    expect((await service.deliveries({ channelId: id }))[0]).toMatchObject({ state: 'DELIVERED' });
  });

  it('between writing the state and writing the outbox writes neither', async () => {
    const { id } = await service.webhook('/neither');
    await service.life.dyingIn({ transaction: 0, isCommitted: false }, () =>
      service.enqueue({ episodeId: randomUUID(), channelIds: [id] }),
    );
    await service.sendAll();
    expect(requestsTo('/neither')).toEqual([]);
  });
});

it('an endpoint that never responds takes one slot and does not block others', async () => {
  const { id: silent } = await service.webhook('/silent');
  const { id: well } = await service.webhook('/well');
  service.receiver.answers.push('never');
  for (const minute of [0, 1])
    await service.enqueue({
      episodeId: randomUUID(),
      channelIds: [silent],
      at: new Date(`2026-11-22T01:0${minute}:00.000Z`),
    });
  const hanging = service.step();
  await expect.poll(() => requestsTo('/silent').length).toBe(1);
  await service.enqueue({ episodeId: randomUUID(), channelIds: [well] });
  await service.sendAll();
  expect(requestsTo('/well')).toHaveLength(1);
  expect(requestsTo('/silent')).toHaveLength(1);
  service.receiver.cut();
  await hanging;
  const [, first] = await service.deliveries({ channelId: silent });
  expect(first.attempts).toEqual([
    { attempt: 1, statusCode: null, error: 'It was not sent: the connection was cut', answer: null },
  ]);
  await service.passTime();
  await service.sendAll();
});

it('Slack gets blocks and a text, in which names contain no markup', async () => {
  const { alertChannel, userErrors } = await service.save({
    kind: 'SLACK',
    name: 'Ops',
    target: `${service.receiver.url}/services/T000/B000/secret-of-slack`,
  });
  expect(userErrors).toEqual([]);
  expect(alertChannel.target).toBe(new URL(service.receiver.url).host);
  await service.enqueue({
    episodeId: randomUUID(),
    channelIds: [alertChannel.id],
    ruleName: 'A*B & <!channel>',
    sentence: `Costs of <https://evil.example|acme> & others${' rose'.repeat(1_000)}.`,
  });
  await service.sendAll();
  const [request] = requestsTo('/services/T000/B000/secret-of-slack');
  expect(request?.headers['webhook-signature']).toBeUndefined();
  const { text, blocks } = JSON.parse(request!.body);
  expect(text).toMatch(
    /^Alert: A\*B &amp; &lt;!channel&gt;\. Costs of &lt;https:\/\/evil\.example\|acme&gt; &amp; others/,
  );
  expect(blocks[0].text.text).toMatch(/^\*Alert: A∗B &amp; &lt;!channel&gt;\*\nCosts of &lt;https/);
  expect(blocks[0].text.text.length).toBeLessThanOrEqual(3_000);
  expect(blocks[1].elements[0].text).toBe(
    '<https://books.example/alerts/01a0b1c2-0000-7000-8000-000000000001|View figures>',
  );
  const stored = await service.rows<{ row: string }>('select alert_channel::text as row from alert_channel');
  expect(JSON.stringify([stored, service.logged])).not.toContain('secret-of-slack');
});

describe('an e-mail', () => {
  const CHANNEL = { kind: 'EMAIL', name: 'Finance', target: 'finance@example.com' };

  it('arrives, says what happened, and links to the figures', async () => {
    const alertChannel = await confirmedMailbox(CHANNEL);
    await service.enqueue({ episodeId: randomUUID(), channelIds: [alertChannel.id], ruleName: 'Cost\r\nBcc: x@y.z' });
    await service.sendAll();
    const [delivery] = await service.deliveries({ channelId: alertChannel.id });
    expect(delivery).toMatchObject({ state: 'DELIVERED', attempts: [{ attempt: 1, statusCode: 250, error: null }] });
    const again = await service.ask(REDELIVER, { id: delivery.id, waitSeconds: 0 });
    expect(again.alertDeliveryRedeliver.userErrors[0].message).toMatch(/e-mail was already sent/);
    await service.sendAll();
    expect(mailServer.mails).toHaveLength(1);
    expect(mailServer.mails[0]).toMatchObject({ from: 'books@example.com', to: ['finance@example.com'] });
    const { text } = mailServer.mails[0]!;
    expect(text).toContain('From: Books <books@example.com>');
    expect(text).toContain('Subject: Alert: Cost Bcc: x@y.z');
    expect(text).not.toMatch(/^Bcc:/m);
    expect(text).toContain(`Message-ID: <${delivery.id}@example.com>`);
    expect(text).toContain('3 times the usual $4.10.');
    expect(text).toContain('https://books.example/alerts/01a0b1c2-0000-7000-8000-000000000001');
  });

  it('an e-mail that the mail server refuses temporarily is retried, one that it refuses permanently is not', async () => {
    const alertChannel = await confirmedMailbox({ ...CHANNEL, name: 'Again' });
    mailServer.refusals.push({ code: 451, text: 'later' }, { code: 550, text: 'no such user' });
    await service.enqueue({ episodeId: randomUUID(), channelIds: [alertChannel.id] });
    await service.sendAll();
    expect((await service.deliveries({ channelId: alertChannel.id }))[0]).toMatchObject({
      state: 'PENDING',
      error: 'The mail server responded with 451',
    });
    await service.passTime();
    await service.sendAll();
    expect((await service.deliveries({ channelId: alertChannel.id }))[0]).toMatchObject({
      state: 'GAVE_UP',
      attempts: [{ statusCode: 451 }, { statusCode: 550 }],
    });
  });
});

it('a delivery and its attempts are read at the same moment', async () => {
  const { id } = await service.webhook('/moment');
  await service.enqueue({ episodeId: randomUUID(), channelIds: [id] });
  await service.sendAll();
  let listed: Promise<unknown> | undefined;
  await service.dependencies.database.system(async (tx) => {
    await query(tx, 'lock table alert_attempt in access exclusive mode');
    listed = service.deliveries({ channelId: id });
    await expect.poll(() => service.rows(WAITS_FOR_ATTEMPTS), PATIENCE).toHaveLength(1);
    await query(tx, 'delete from alert_attempt where organization_id = $1', [service.organizationId]);
  });
  expect(await listed).toMatchObject([{ state: 'DELIVERED', attempts: [{ statusCode: 200 }] }]);
});

it('old deliveries are deleted, and due ones are not', async () => {
  const { id } = await service.webhook('/old');
  await service.enqueue({ episodeId: randomUUID(), channelIds: [id] });
  await service.sendAll();
  await service.enqueue({ episodeId: randomUUID(), channelIds: [id] });
  await service.rows("update alert_delivery set created_at = now() - interval '91 days' where channel_id = $1", [id]);
  await service.runJob('forget-alert-deliveries');
  expect((await service.deliveries({ channelId: id })).map(({ state }) => state)).toEqual(['PENDING']);
  expect(
    await service.rows(
      'select 1 from alert_attempt a where not exists (select 1 from alert_delivery d where d.id = a.delivery_id)',
    ),
  ).toEqual([]);
  await service.sendAll();
});

it('no log contains a secret or an e-mail address', () => {
  const logged = service.logged.join('');
  expect(logged).toContain('An alert was not delivered');
  for (const secret of ['whsec_', mailServer.password, 'finance@example.com']) expect(logged).not.toContain(secret);
});
