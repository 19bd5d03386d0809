/** An e-mail address receives alerts only after its holder has agreed. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type MailServer, startMailServer } from '../../../support/mail-server.ts';
import { codeIn, CONFIRM, EDGE, LOOK } from '../confirm-address.ts';
import { type AlertingService, startAlerting } from '../deliveries-builder.ts';

let mailServer: MailServer;
let service: AlertingService;
beforeAll(async () => {
  mailServer = await startMailServer();
  service = await startAlerting({ SMTP_URL: mailServer.url, SMTP_FROM: 'books@example.com' });
});
afterAll(async () => {
  await service.close();
  await mailServer.close();
});
beforeEach(async () => {
  mailServer.mails.length = 0;
  await service.rows('delete from alert_delivery');
});

const TEST = 'mutation ($id: ID!) { alertChannelTest(input: { id: $id, waitSeconds: 0 }) { userErrors { message } } }';
const REDELIVER =
  'mutation ($id: ID!) { alertDeliveryRedeliver(input: { id: $id, waitSeconds: 0 }) { userErrors { message } } }';

const save = (input: object = {}) =>
  service.save({ kind: 'EMAIL', name: 'Buy cheap pills', target: 'ada@example.com', ...input });
const confirm = async (token: string) => (await service.ask(CONFIRM, { token }, EDGE)).confirmAlertChannel;
const look = async (token: string) => (await service.ask(LOOK, { token }, EDGE)).alertChannelConfirmation;
async function alert(channelId: string): Promise<void> {
  await service.enqueue({ episodeId: randomUUID(), channelIds: [channelId] });
  await service.sendAll();
}
const lastCode = () => codeIn(mailServer.mails.at(-1)!.text);

it('a new address gets one mail, with our own text, and nothing else until it is confirmed', async () => {
  const { alertChannel } = await save();
  const { id } = alertChannel;
  expect(alertChannel).toMatchObject({
    confirmedAt: null,
    problem: expect.stringMatching(/^No alerts are sent until the address is confirmed/),
  });
  await service.sendAll();
  await alert(id);
  expect((await service.ask(TEST, { id })).alertChannelTest.userErrors).toEqual([
    { message: 'id: this channel does not receive alerts. The address is not confirmed yet' },
  ]);
  expect(mailServer.mails).toHaveLength(1);
  expect(mailServer.mails[0]!.to).toEqual(['ada@example.com']);
  expect(mailServer.mails[0]!.text).not.toContain('pills');
  const alerted = (await service.deliveries({ channelId: id })).find(({ eventType }) => eventType === 'alert.opened');
  expect(alerted).toMatchObject({ state: 'GAVE_UP', error: 'The address is not confirmed yet', attempts: [] });

  const code = lastCode();
  expect(await look(code)).toEqual({ address: 'ada@example.com' });
  expect((await service.channel(id)).confirmedAt).toBeNull();
  expect(await confirm(code)).toEqual({ address: 'ada@example.com' });
  expect(await service.channel(id)).toMatchObject({ confirmedAt: expect.any(String), problem: null });
  const {
    alertingAuditLog: { nodes: alertingAuditLog },
  } = await service.ask('{ alertingAuditLog { nodes { action actor subjectId detail } } }');
  expect(alertingAuditLog[0]).toEqual({
    action: 'alert_channel.confirmed',
    actor: 'ANONYMOUS',
    subjectId: id,
    detail: 'ada@example.com',
  });
  await service.ask(REDELIVER, { id: alerted.id });
  await alert(id);
  expect(mailServer.mails).toHaveLength(3);
});

it('a link works once, even if opened concurrently, and for seven days', async () => {
  const { alertChannel } = await save({ target: 'once@example.com' });
  await service.sendAll();
  const code = lastCode();
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => confirm(code)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await look(code)).toBeNull();

  const { alertChannel: late } = await save({ target: 'late@example.com' });
  await service.sendAll();
  const [row] = await service.rows<{ seconds: number }>(
    'select extract(epoch from confirmation_expires_at - updated_at)::int as seconds from alert_channel where id = $1',
    [late.id],
  );
  expect(row!.seconds).toBe(7 * 86_400);
  await service.rows('update alert_channel set confirmation_expires_at = now() where id = $1', [late.id]);
  expect(await look(lastCode())).toBeNull();
  await expect(confirm(lastCode())).rejects.toThrow('NOT_FOUND');
  await expect(confirm('x'.repeat(43))).rejects.toThrow('NOT_FOUND');
  await expect(confirm("' or 1=1 --")).rejects.toThrow('NOT_FOUND');
  expect(await service.channel(alertChannel.id)).toMatchObject({ confirmedAt: expect.any(String) });
});

it('a changed address must be confirmed again, deliveries waiting for the old one are given up, and its link is void', async () => {
  const { alertChannel } = await save({ target: 'old@example.com' });
  const { id } = alertChannel;
  await service.sendAll();
  const old = lastCode();
  await save({ id, target: 'new@example.com' });
  await expect(confirm(old)).rejects.toThrow('NOT_FOUND');
  await service.sendAll();
  await confirm(lastCode());
  await service.enqueue({ episodeId: randomUUID(), channelIds: [id] });
  const renamed = await save({ id, name: 'Another name', target: 'new@example.com' });
  expect(renamed.alertChannel.confirmedAt).not.toBeNull();
  const changed = await save({ id, target: 'third@example.com' });
  expect(changed.alertChannel.confirmedAt).toBeNull();
  await service.sendAll();
  expect(mailServer.mails.map(({ to }) => to[0])).toEqual(['old@example.com', 'new@example.com', 'third@example.com']);
  const alerts = (await service.deliveries({ channelId: id })).filter(({ eventType }) => eventType === 'alert.opened');
  expect(alerts).toMatchObject([{ state: 'GAVE_UP', error: 'The address was not confirmed' }]);
});

it('an alert written before the address changed is not sent to the new one, and its mail is still sent', async () => {
  const { alertChannel } = await save({ target: 'race@example.com' });
  await service.rows(
    `insert into alert_delivery (organization_id, id, channel_id, event_type, body, created_at, due_at, attempt)
     select organization_id, gen_random_uuid(), id, 'alert.opened', '{}', now(), now() - interval '1 hour', 0
     from alert_channel where id = $1`,
    [alertChannel.id],
  );
  await service.sendAll();
  expect(mailServer.mails).toHaveLength(1);
  await confirm(lastCode());
});

it('a retried mail contains the same code; once the address is confirmed, no mail is sent', async () => {
  mailServer.refusals.push({ code: 451, text: 'later' });
  const { alertChannel } = await save({ target: 'again@example.com' });
  await service.sendAll();
  expect(mailServer.mails).toHaveLength(0);
  await service.passTime();
  await service.sendAll();
  const code = lastCode();
  await service.rows('update alert_delivery set due_at = now(), done_at = null');
  await confirm(code);
  await service.sendAll();
  expect(mailServer.mails).toHaveLength(1);
  const [mail] = await service.deliveries({ channelId: alertChannel.id });
  expect(mail).toMatchObject({ state: 'GAVE_UP', error: 'The address is already confirmed' });
  expect((await service.ask(REDELIVER, { id: mail.id })).alertDeliveryRedeliver.userErrors[0].message).toMatch(
    /^id: this is a confirmation e-mail/,
  );
});

it('one address gets at most three mails in a day, and an organization sends at most ten in an hour', async () => {
  const { alertChannel } = await save({ target: 'Victim@example.com' });
  await save({ id: alertChannel.id, target: undefined });
  const third = await save({ target: 'victim@EXAMPLE.com' });
  expect(third.userErrors).toEqual([]);
  for (const input of [{ id: alertChannel.id, target: undefined }, { target: 'VICTIM@example.com' }])
    expect((await save(input)).userErrors).toMatchObject([
      { message: 'At most 3 confirmation e-mails are sent to one address per day: try again tomorrow' },
    ]);

  await service.rows('delete from alert_delivery');
  for (let number = 1; number <= 10; number++) {
    const { userErrors } = await save({ target: `${number}@example.com` });
    expect(userErrors).toEqual([]);
  }
  const eleventh = await save({ target: '11@example.com' });
  expect(eleventh).toMatchObject({
    alertChannel: null,
    userErrors: [{ message: 'At most 10 confirmation e-mails are sent per hour: try again later' }],
  });
});

it('neither the delivery log, nor the database in plain text, nor the process log contains a code, and only our pages may confirm', async () => {
  const { alertChannel } = await save({ target: 'secret@example.com' });
  await service.sendAll();
  const code = lastCode();
  const rows = await service.rows(
    'select alert_channel::text, alert_delivery::text from alert_channel, alert_delivery',
  );
  expect(
    JSON.stringify([rows, await service.deliveries({ channelId: alertChannel.id }), service.logged]),
  ).not.toContain(code);
  for (const grants of [['owner'], ['operator'], ['costs:read']]) {
    await expect(service.ask(CONFIRM, { token: code }, { grants })).rejects.toThrow('FORBIDDEN');
    await expect(service.ask(LOOK, { token: code }, { grants })).rejects.toThrow('FORBIDDEN');
  }
});
