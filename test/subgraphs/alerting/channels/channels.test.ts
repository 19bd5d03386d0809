import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSubgraph } from '#platform/subgraph/subgraph.ts';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import { anonymous } from '#platform/principal.ts';
import { alerting } from '../../../../subgraphs/alerting/main.ts';
import { sealingUnder } from '../../../support/sealing.ts';
import { type AlertingService, SERVICE_SECRET, startAlerting } from '../deliveries-builder.ts';

let service: AlertingService;
beforeAll(async () => {
  service = await startAlerting({ OUTBOUND_ALLOWED_HOSTS: '127.0.0.1,localhost:4444' });
});
afterAll(() => service.close());

const WEBHOOK = { kind: 'WEBHOOK', name: 'A webhook', target: 'http://127.0.0.1:9/hooks' };

describe('a channel', () => {
  it('is created, changed and deleted (also in the rules that use it), and each change is in the audit log', async () => {
    const { alertChannel, secret, userErrors } = await service.save({ ...WEBHOOK, name: ' Ops ' });
    const { id } = alertChannel;
    expect(userErrors).toEqual([]);
    expect(secret).toMatch(/^whsec_/);
    expect(alertChannel).toEqual({
      id,
      kind: 'WEBHOOK',
      name: 'Ops',
      target: 'http://127.0.0.1:9/hooks',
      isEnabled: true,
      problem: null,
      disabledReason: null,
      failingSince: null,
      previousSecretUntil: null,
      confirmedAt: null,
    });
    const changed = await service.save({ ...WEBHOOK, id, target: 'http://localhost:4444' });
    expect([changed.secret, changed.alertChannel]).toMatchObject([null, { id, target: 'http://localhost:4444/' }]);
    const rule = { name: 'A rule', kind: 'UNPRICED', channelIds: [id] };
    const { alertRuleSave } = await service.ask(
      'mutation ($input: AlertRuleSaveInput!) { alertRuleSave(input: $input) { alertRule { id channelIds } } }',
      { input: rule },
    );
    expect(alertRuleSave.alertRule.channelIds).toEqual([id]);
    await service.ask('mutation ($id: ID!) { alertChannelDelete(input: { id: $id }) { alertChannel { id } } }', { id });
    expect(await service.channel(id)).toBeUndefined();
    const { alertRule } = await service.ask('query ($id: ID!) { alertRule(id: $id) { channelIds } }', {
      id: alertRuleSave.alertRule.id,
    });
    expect(alertRule.channelIds).toEqual([]);
    const {
      alertingAuditLog: { nodes: alertingAuditLog },
    } = await service.ask('{ alertingAuditLog { nodes { action subjectId detail } } }');
    expect(alertingAuditLog).toEqual([
      { action: 'alert_channel.deleted', subjectId: id, detail: 'A webhook' },
      { action: 'alert_rule.created', subjectId: alertRuleSave.alertRule.id, detail: 'A rule' },
      { action: 'alert_channel.changed', subjectId: id, detail: 'A webhook: webhook to localhost:4444' },
      { action: 'alert_channel.created', subjectId: id, detail: 'Ops: webhook to 127.0.0.1:9' },
    ]);
  });

  it.each([
    ['target', { target: 'http://169.254.169.254/latest/meta-data/' }, /its host cannot be found, or is not public/],
    ['target', { target: 'http://[::ffff:169.254.169.254]/' }, /its host cannot be found, or is not public/],
    ['target', { target: 'http://10.0.0.1/' }, /its host cannot be found, or is not public/],
    ['target', { target: 'https://[::1]:5432/' }, /its host cannot be found, or is not public/],
    ['target', { target: 'http://2852039166/' }, /its host cannot be found, or is not public/],
    ['target', { target: 'https://user:password@example.com/' }, /must not contain a user name or a password/],
    ['target', { target: 'gopher://127.0.0.1/' }, /starts with https/],
    ['target', { target: 'https://no-such-host.invalid/' }, /its host (cannot be found|name cannot be resolved)/],
    ['target', { target: 'nothing' }, /must be a URL/],
    ['target', { target: null }, /is required for a new channel/],
    [
      'target',
      { kind: 'SLACK', target: 'http://192.168.1.1/services/x' },
      /its host cannot be found, or is not public/,
    ],
    ['kind', { kind: 'EMAIL', target: 'a@example.com' }, /SMTP_URL and SMTP_FROM/],
    ['target', { kind: 'EMAIL', target: 'a@example.com, b@example.com' }, /one e-mail address/],
    ['target', { kind: 'EMAIL', target: 'a@example.com\r\nBcc: b@example.com' }, /one e-mail address/],
    ['name', { name: ' ' }, /^name must have 1 to 100 characters/],
    ['name', { name: 'a\nb' }, /^name must have/],
    ['id', { id: randomUUID() }, /^id: channel not found/],
  ])('%s is refused: %j', async (field, input, message) => {
    const { alertChannel, userErrors } = await service.save({ ...WEBHOOK, ...input });
    expect(alertChannel).toBeNull();
    expect(userErrors).toEqual([
      { field: ['input', field], message: expect.stringMatching(message), code: expect.any(String) },
    ]);
  });

  it('cannot change its kind, and has a secret to rotate only if it signs its messages', async () => {
    const { alertChannel } = await service.save({ ...WEBHOOK, kind: 'SLACK', name: 'Slack' });
    const { id } = alertChannel;
    expect((await service.save({ ...WEBHOOK, id })).userErrors[0].message).toMatch(/^kind cannot be changed/);
    const rotate =
      'mutation ($id: ID!) { alertChannelSecretRotate(input: { id: $id }) { secret userErrors { message } } }';
    expect((await service.ask(rotate, { id })).alertChannelSecretRotate).toEqual({
      secret: null,
      userErrors: [{ message: 'id: only webhooks have a signing secret' }],
    });
  });

  it('belongs to its organization only, and to owners, admins and operators', async () => {
    const { id } = await service.webhook();
    const other = { organization: randomUUID() };
    for (const [field, document] of [
      ['alertChannelDelete', 'mutation ($id: ID!) { alertChannelDelete(input: { id: $id }) { userErrors { code } } }'],
      [
        'alertChannelSecretRotate',
        'mutation ($id: ID!) { alertChannelSecretRotate(input: { id: $id }) { userErrors { code } } }',
      ],
    ] as const) {
      expect((await service.ask(document, { id }, other))[field].userErrors).toEqual([{ code: 'NOT_FOUND' }]);
      await expect(service.ask(document, { id }, { grants: ['member', 'costs:read'] })).rejects.toThrow('FORBIDDEN');
    }
    await expect(service.ask('{ alertChannels { id } }', {}, { grants: ['member'] })).rejects.toThrow('FORBIDDEN');
  });
});

it.each([
  ['channels', 'alert_channel', 50, WEBHOOK, 'alertChannelSave', 'AlertChannelSaveInput'],
  ['rules', 'alert_rule', 200, { kind: 'UNPRICED', name: 'A rule' }, 'alertRuleSave', 'AlertRuleSaveInput'],
] as const)('an organization has a maximum number of %s', async (name, table, most, input, field, type) => {
  const organization = randomUUID();
  const save = async (more: object = {}) => {
    const document = `mutation ($input: ${type}!) { ${field}(input: $input) { userErrors { message } } }`;
    return (await service.ask(document, { input: { ...input, ...more } }, { organization }))[field].userErrors;
  };
  expect(await save()).toEqual([]);
  const [{ count }] = (await service.rows(`select count(*)::int from ${table} where organization_id = $1`, [
    organization,
  ])) as [{ count: number }];
  await service.rows(
    `insert into ${table} select (jsonb_populate_record(one, jsonb_build_object('id', gen_random_uuid()))).*
      from ${table} one, generate_series(1, $2) where one.id = (select id from ${table} where organization_id = $1 limit 1)`,
    [organization, most - 1 - count],
  );
  expect(await save()).toEqual([]);
  expect(await save()).toEqual([{ message: expect.stringContaining(`at most ${most} ${name}`) }]);
  const [{ id }] = (await service.rows(`select id from ${table} where organization_id = $1 and name = $2 limit 1`, [
    organization,
    input.name,
  ])) as [{ id: string }];
  expect(await save({ id })).toEqual([]);
});

it('a changed rule keeps the fields that the change omits, and requires the scope of its new figures', async () => {
  const { id: channelId } = await service.webhook();
  const save = async (input: object) => {
    const document = `mutation ($input: AlertRuleSaveInput!) {
      alertRuleSave(input: $input) { alertRule { id name metric channelIds isMuted mutedUntil } }
    }`;
    const threshold = { kind: 'THRESHOLD', value: '5', windowDays: 7 };
    return (await service.ask(document, { input: { ...threshold, ...input } })).alertRuleSave.alertRule;
  };
  const { id } = await save({ name: 'First', metric: 'COST', muted: true, channelIds: [channelId] });
  const isVisible = async () => {
    const document = 'query ($id: ID!) { alertRule(id: $id) { id } }';
    return (await service.ask(document, { id }, { grants: ['costs:read'] })).alertRule !== null;
  };
  expect(await isVisible()).toBe(true);
  expect(await save({ id, name: 'Second', metric: 'REVENUE' })).toMatchObject({
    name: 'Second',
    metric: 'REVENUE',
    isMuted: true,
    channelIds: [channelId],
  });
  expect(await isVisible()).toBe(false);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const mute =
    'mutation ($id: ID!, $until: Instant) { alertRuleMute(input: { id: $id, until: $until }) { alertRule { id } } }';
  await service.ask(mute, { id, until });
  expect(await save({ id, name: 'Third', metric: 'COST' })).toMatchObject({ mutedUntil: until });
});

it('a channel for e-mail reports that the operator has removed the mail server', async () => {
  const other = await startAlerting({ SMTP_URL: 'smtp://127.0.0.1:9', SMTP_FROM: 'books@example.com' });
  try {
    const { alertChannel } = await other.save({ kind: 'EMAIL', name: 'Mail', target: 'a@example.com' });
    const config = { ...other.config, smtp: null };
    const without = inProcessSubgraph(makeSubgraph(alerting, { ...other.dependencies, config }));
    const owner = { ...anonymous('test'), organizationId: other.organizationId, grants: ['owner'] };
    const { data } = await without.execute('{ alertChannels { problem } }', {}, owner);
    const reason = 'Nothing is sent: no mail server is configured: the operator must set SMTP_URL and SMTP_FROM';
    expect(data).toEqual({ alertChannels: [{ problem: reason }] });
    await other.rows('update alert_channel set confirmed_at = now()');
    await other.rows('delete from alert_delivery');
    await other.enqueue({ channelIds: [alertChannel.id] });
    const job = alerting.jobs({ ...other.dependencies, config }).find(({ name }) => name === 'deliver-alerts')!;
    await job.step();
    expect((await other.deliveries())[0]).toMatchObject({ state: 'PENDING', error: reason });
  } finally {
    await other.close();
  }
});

it('encrypted values are counted, re-encrypted under another key, and discarded if no key decrypts them', async () => {
  const other = await startAlerting();
  try {
    const { id, secret } = await other.webhook();
    const operator = { grants: ['operator'], organization: null };
    const { alertingSealedValues } = await other.ask('{ alertingSealedValues { kind count isCurrent } }', {}, operator);
    expect(alertingSealedValues).toEqual([{ kind: 'secrets of alert channels', count: 1, isCurrent: true }]);
    const after = 'the next secret of the service, which is as long as that';
    const asOperator = async (sealing: ReturnType<typeof sealingUnder>, discard: boolean) => {
      const subgraph = inProcessSubgraph(makeSubgraph(alerting, { ...other.dependencies, sealing }));
      const reseal = `mutation ($discard: Boolean!) {
        alertingValuesReseal(input: { discardUnreadable: $discard }) { step { resealed unreadable discarded } userErrors { message code } }
      }`;
      return subgraph.execute(reseal, { discard }, { ...anonymous('test'), kind: 'operator', grants: ['operator'] });
    };
    const changed = sealingUnder(after, SERVICE_SECRET);
    expect((await asOperator(changed, false)).data).toEqual({
      alertingValuesReseal: { step: { resealed: 1, unreadable: 0, discarded: 0 }, userErrors: [] },
    });
    const [row] = await other.rows<{ sealed: Buffer }>('select sealed_secret as sealed from alert_channel');
    expect(sealingUnder(after).unseal(row!.sealed, 'alerting.channel-secret', id)).toBe(secret);
    await asOperator(sealingUnder('a secret that never sealed anything of this'), true);
    expect(await other.channel(id)).toMatchObject({ isEnabled: false, disabledReason: 'its secret was lost' });
    expect((await other.save({ ...WEBHOOK, id })).userErrors[0].message).toMatch(/rotate/);
    const rotate = 'mutation ($id: ID!) { alertChannelSecretRotate(input: { id: $id }) { secret } }';
    expect((await other.ask(rotate, { id })).alertChannelSecretRotate.secret).toMatch(/^whsec_/);
    expect(await other.channel(id)).toMatchObject({ isEnabled: true });
  } finally {
    await other.close();
  }
});
