/**
 * Every object with a global id can be fetched by it, only in the caller's organization, and with its related objects.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nodeIdOf, parseNodeId } from '#kernel/node-id.ts';
import { graphql, post, settle } from '../support/api-client.ts';
import type { RunningService } from '../support/running-service.ts';
import { sharedService } from '../support/shared-service.ts';
import { usageEvent } from '../support/usage-event.ts';

let service: RunningService;
let eventId: string;

beforeAll(async () => {
  service = await sharedService();
  const { body } = await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [
    usageEvent({ user_id: 'ada', agent_id: 'support', session_id: 's1', model: 'gpt-4o', provider: 'openai' }),
  ]);
  eventId = body.results[0].event_id;
  await settle(service.url, service.firstRun.operator_token);
});
afterAll(() => service.stop());

async function ask(document: string, key = service.firstRun.live_read_key, organization?: string) {
  const { status, body } = await graphql(service.url, key, document, {}, organization);
  return { status, ...(body as { data?: any; errors?: { path: unknown; extensions: { code: string } }[] }) };
}

it.each(['', 'x', '!', nodeIdOf('EndUser', 'o', 'x').replace(/.$/, '='), 'YTo', 'YTpi'])(
  '%j is not a node id',
  (text) => {
    expect(parseNodeId(text)).toBeNull();
  },
);

it('an id leads back to its object, and on to related objects', async () => {
  const { data } = await ask(`{
    usageEvent(eventId: "${eventId}") {
      id agent { id } model { id } endUser { id } session { id }
      explanation { entries { rateCard { id } } }
    }
    window(last: { days: 7 }) { costs(groupBy: [PROVIDER]) { nodes { values { provider { id } } } } }
  }`);
  const { usageEvent: event, window } = data;
  const ids = [
    event.id,
    event.agent.id,
    event.model.id,
    event.endUser.id,
    event.session.id,
    event.explanation.entries[0].rateCard.id,
    window.costs.nodes[0].values[0].provider.id,
  ];
  const found = await ask(`{ nodes(ids: ${JSON.stringify(ids)}) {
    id
    ... on UsageEvent { totalCost session { totalCost events { nodes { eventId } } } }
    ... on Agent { agentId costs(last: { days: 7 }, groupBy: [END_USER]) { totalCost nodes { values { value } } } }
    ... on Model { slug costs(last: { days: 7 }) { totalCost } rateMatch { rateCard { modelSlug } } }
    ... on EndUser { externalId costs(last: { days: 7 }, groupBy: [AGENT]) { nodes { values { agent { agentId } } } } }
    ... on SessionTree { sessionId }
    ... on RateCard { modelSlug isNegotiated }
    ... on Provider { name: slug }
  } }`);
  expect(found.errors).toBeUndefined();
  // 1,000 input tokens at $2.50 and 100 output tokens at $10 a million.
  const totalCost = '0.0035';
  expect(found.data.nodes).toEqual([
    { id: ids[0], totalCost, session: { totalCost, events: { nodes: [{ eventId }] } } },
    { id: ids[1], agentId: 'support', costs: { totalCost, nodes: [{ values: [{ value: 'ada' }] }] } },
    { id: ids[2], slug: 'gpt-4o', costs: { totalCost }, rateMatch: { rateCard: { modelSlug: 'gpt-4o' } } },
    { id: ids[3], externalId: 'ada', costs: { nodes: [{ values: [{ agent: { agentId: 'support' } }] }] } },
    { id: ids[4], sessionId: 's1' },
    { id: ids[5], modelSlug: 'gpt-4o', isNegotiated: false },
    { id: ids[6], name: 'openai' },
  ]);
});

it('a window has the same id in every document, whichever subgraphs answer it', async () => {
  const ids = await Promise.all(
    [
      'id',
      'id start costsByModel { totalCost }',
      'usageSummary { userId } id',
      'margin { endUserCount } id costs { totalCost } ledgerCost',
      'id insights { kind }',
    ].map(async (fields) => (await ask(`{ window(last: { days: 7 }) { ${fields} } }`)).data.window.id),
  );
  expect(new Set(ids).size).toBe(1);
  expect(parseNodeId(ids[0])).toMatchObject({ type: 'Window', organizationId: service.firstRun.organization_id });
});

it('mutations of the other subgraphs return user errors next to what they changed', async () => {
  const operator = service.firstRun.operator_token;
  const { data, errors } = await ask(
    `mutation {
      apiKeyCreate(input: { name: "k", environment: "live", scopes: ["costs:read"] }) { createdApiKey { apiKey { id name environment } } userErrors { message } }
      wrong: apiKeyCreate(input: { name: "k", environment: "odd", preset: "read" }) { createdApiKey { secret } userErrors { field code } }
      apiKeyRevoke(input: { id: "00000000-0000-7000-8000-000000000000" }) { apiKey { id } userErrors { code } }
      revenueCustomerLink(input: { customerId: "cus_none", endUserExternalId: "ada" }) { customer { id } userErrors { code } }
      telemetryMappingSet(input: { agent: ["my.agent"] }) { telemetryMapping { agent } userErrors { code } }
      modelAliasSet(input: { name: "Deployed", provider: "azure", model: "gpt-4o" }) { modelAlias { name provider model isStandard } requeuedEvents userErrors { code } }
      removed: modelAliasSet(input: { name: "deployed", provider: "azure" }) { modelAlias { name } requeuedEvents userErrors { code } }
      unknown: modelAliasSet(input: { name: "deployed", provider: "azure" }) { modelAlias { name } requeuedEvents userErrors { code } }
      contextPolicySet(input: { unknownContext: BASE }) { contextPolicy { unknownContext changedAt } requeuedEvents userErrors { code } }
      revenueDisconnect(input: {}) { connection { id } userErrors { code } }
      organizationRequireSecondFactor(input: { required: false }) { organization { requiresSecondFactor } userErrors { code } }
    }`,
    operator,
    service.firstRun.organization_id,
  );
  expect(errors).toBeUndefined();
  expect(data).toMatchObject({
    apiKeyCreate: {
      createdApiKey: { apiKey: { name: 'k', environment: 'LIVE' } },
      userErrors: [],
    },
    wrong: { createdApiKey: null, userErrors: [{ code: 'VALIDATION_ERROR' }] },
    apiKeyRevoke: { apiKey: null, userErrors: [{ code: 'NOT_FOUND' }] },
    revenueCustomerLink: { customer: null, userErrors: [{ code: 'NOT_FOUND' }] },
    telemetryMappingSet: { telemetryMapping: { agent: ['my.agent'] }, userErrors: [] },
    modelAliasSet: {
      modelAlias: { name: 'deployed', provider: 'azure', model: 'gpt-4o', isStandard: false },
      requeuedEvents: 0,
      userErrors: [],
    },
    removed: { modelAlias: null, requeuedEvents: 0, userErrors: [] },
    unknown: { modelAlias: null, requeuedEvents: null, userErrors: [{ code: 'NOT_FOUND' }] },
    contextPolicySet: {
      contextPolicy: { unknownContext: 'BASE', changedAt: expect.any(String) },
      requeuedEvents: 0,
      userErrors: [],
    },
    revenueDisconnect: { connection: null, userErrors: [{ code: 'NOT_FOUND' }] },
    organizationRequireSecondFactor: { organization: { requiresSecondFactor: false }, userErrors: [] },
  });
});

it('mutations of account users return the account user, or its last state if it was removed', async () => {
  const { operator_token: operator, organization_id: organization } = service.firstRun;
  const mutate = (mutation: string) => ask(`mutation { ${mutation} }`, operator, organization);
  const made = await mutate(`
    accountUserCreate(input: { email: "eve@example.com", password: "a long password" }) { accountUser { id role } hasChanged userErrors { code } }
    short: accountUserCreate(input: { email: "ann@example.com", password: "short" }) { accountUser { id } hasChanged userErrors { field code } }
    guessable: accountUserCreate(input: { email: "ann@example.com", password: "password1234" }) { userErrors { field } }
    noAddress: accountUserCreate(input: { email: "ann", password: "a long password" }) { userErrors { field } }
    twice: accountUserCreate(input: { email: "EVE@example.com", password: "a long password" }) { userErrors { field } }
    invited: accountUserInvite(input: { email: "eve@example.com" }) { userErrors { field } }
  `);
  expect(made.data).toEqual({
    accountUserCreate: {
      accountUser: { id: expect.any(String), role: 'MEMBER' },
      hasChanged: true,
      userErrors: [],
    },
    short: {
      accountUser: null,
      hasChanged: null,
      userErrors: [{ field: ['input', 'password'], code: 'VALIDATION_ERROR' }],
    },
    guessable: { userErrors: [{ field: ['input', 'password'] }] },
    noAddress: { userErrors: [{ field: ['input', 'email'] }] },
    twice: { userErrors: [{ field: ['input', 'email'] }] },
    invited: { userErrors: [{ field: ['input', 'email'] }] },
  });
  const id: string = made.data.accountUserCreate.accountUser.id;
  const user = `accountUser { email role disabledAt hasSecondFactor } hasChanged endedAccess { sessions apiKeys } userErrors { field code }`;
  const { data, errors } = await mutate(`
    accountUserSetRole(input: { id: "${id}", role: "admin" }) { ${user} }
    wrong: accountUserSetRole(input: { id: "${id}", role: "boss" }) { ${user} }
    accountUserDisable(input: { id: "${id}" }) { ${user} }
    accountUserEnable(input: { id: "${id}" }) { ${user} }
    accountUserStartPasswordReset(input: { id: "${id}" }) { link { url } userErrors { code } }
    accountUserEndSessions(input: { id: "${id}" }) { ${user} }
    accountUserResetSecondFactor(input: { id: "${id}" }) { ${user} }
    accountUserRemove(input: { id: "${id}" }) { ${user} }
    gone: accountUserRemove(input: { id: "${id}" }) { ${user} }
  `);
  expect(errors).toBeUndefined();
  const admin = {
    email: 'eve@example.com',
    role: 'ADMIN',
    disabledAt: null,
    hasSecondFactor: false,
  };
  const nothing = { accountUser: null, hasChanged: null, endedAccess: null };
  const done = { accountUser: admin, hasChanged: true, endedAccess: null, userErrors: [] };
  const ended = { ...done, hasChanged: null, endedAccess: { sessions: 0, apiKeys: 0 } };
  expect(data).toEqual({
    accountUserSetRole: { ...done, endedAccess: ended.endedAccess },
    wrong: { ...nothing, userErrors: [{ field: ['input', 'role'], code: 'VALIDATION_ERROR' }] },
    accountUserDisable: { ...ended, accountUser: { ...admin, disabledAt: expect.any(String) } },
    accountUserEnable: done,
    accountUserStartPasswordReset: { link: { url: expect.any(String) }, userErrors: [] },
    accountUserEndSessions: ended,
    accountUserResetSecondFactor: { ...done, hasChanged: false },
    accountUserRemove: ended,
    gone: { ...nothing, userErrors: [{ field: null, code: 'NOT_FOUND' }] },
  });
});

it('a missing object is null, with an error at its path', async () => {
  const organization = service.firstRun.organization_id;
  const unknown = [
    nodeIdOf('UsageEvent', organization, '00000000-0000-7000-8000-000000000000'),
    nodeIdOf('EndUser', organization, '00000000-0000-7000-8000-000000000000'),
    nodeIdOf('Agent', organization, 'never'),
    nodeIdOf('Money', organization, 'x'),
    'odd',
  ];
  for (const id of unknown) {
    const { data, errors } = await ask(`{ node(id: "${id}") {
      ... on UsageEvent { status } ... on EndUser { externalId } ... on Agent { agentId }
    } caller { ok } }`);
    expect(data).toEqual({ node: null, caller: { ok: true } });
    expect(errors).toMatchObject([{ path: ['node'], extensions: { code: 'NOT_FOUND' } }]);
  }
});

it("an id reveals no object of another organization, and nothing that the object's own field would not show", async () => {
  const operator = service.firstRun.operator_token;
  const { data } = await ask(
    'mutation { organizationCreate(input: { name: "Other", ownerEmail: "o@example.org", ownerPassword: "correct horse battery staple 7" }) { createdOrganization { organization { id } } userErrors { message code } } }',
    operator,
  );
  const other = data.organizationCreate.createdOrganization.organization.id;
  const id = nodeIdOf('UsageEvent', service.firstRun.organization_id, eventId);
  const requested = await ask(`{ node(id: "${id}") { ... on UsageEvent { status } } }`, operator, other);
  expect(requested.data).toEqual({ node: null });
  expect(requested.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  // A key that may only send usage.
  const ingest = await ask(`{ node(id: "${id}") { ... on UsageEvent { status } } }`, service.firstRun.live_ingest_key);
  expect(ingest.status).toBe(403);
});

it('closing, erasing, disconnecting and deleting return what changed, or what to fix', async () => {
  const { operator_token: operator, organization_id: organization } = service.firstRun;
  const operate = (document: string) => ask(document, operator, organization);
  const { data: invited } = await operate(
    'mutation { accountUserInvite(input: { email: "ivy@example.com" }) { createdInvitation { invitation { id role } } } }',
  );
  const { invitation } = invited.accountUserInvite.createdInvitation;
  expect(invitation).toMatchObject({ role: 'MEMBER' });
  const why = 'userErrors { field code }';
  const { data, errors } = await operate(`mutation {
    costsClose(input: { through: "2020-01" }) { closing { closedUntil } ${why} }
    odd: costsClose(input: { through: "soon" }) { closing { closedUntil } ${why} }
    costsReopen(input: { from: "2020-01" }) { closing { closedUntil } ${why} }
    revenueClose(input: { through: "2020-01" }) { closing { closedUntil } ${why} }
    revenueReopen(input: { from: "2020-01" }) { closing { closedUntil } ${why} }
    metadataRetentionSet(input: { months: 6 }) { metadataRetention { months } ${why} }
    endUserErase(input: { externalId: "ada", limit: 0 }) { erasure { pseudonym } ${why} }
    none: endUserErase(input: { externalId: "", limit: 0 }) { erasure { id } ${why} }
    revenueEndUserErase(input: { externalId: "ada", pseudonym: "odd" }) { erasure { customers } ${why} }
    endUserErasureStart(input: { externalId: "ada" }) { operation { state } ${why} }
    invitationRevoke(input: { id: "${invitation.id}" }) { invitation { email } hasChanged ${why} }
    again: invitationRevoke(input: { id: "${invitation.id}" }) { invitation { email } hasChanged ${why} }
    unknown: invitationRevoke(input: { id: "${organization}" }) { invitation { email } hasChanged ${why} }
    organizationDelete(input: { id: "00000000-0000-7000-8000-000000000000" }) { deletedRows { rows } ${why} }
  }`);
  expect(errors).toBeUndefined();
  const refused = (field: string[] | null, code = 'VALIDATION_ERROR') => [{ field, code }];
  expect(data).toEqual({
    costsClose: { closing: { closedUntil: '2020-02-01T00:00:00.000000Z' }, userErrors: [] },
    odd: { closing: null, userErrors: refused(['input', 'through']) },
    costsReopen: { closing: { closedUntil: '2020-01-01T00:00:00.000000Z' }, userErrors: [] },
    revenueClose: { closing: { closedUntil: '2020-02-01T00:00:00.000Z' }, userErrors: [] },
    revenueReopen: { closing: { closedUntil: '2020-01-01T00:00:00.000Z' }, userErrors: [] },
    metadataRetentionSet: { metadataRetention: { months: 6 }, userErrors: [] },
    endUserErase: { erasure: { pseudonym: expect.any(String) }, userErrors: [] },
    none: { erasure: null, userErrors: [expect.objectContaining({ code: 'VALIDATION_ERROR' })] },
    revenueEndUserErase: { erasure: null, userErrors: refused(['input', 'pseudonym']) },
    endUserErasureStart: { operation: { state: 'RUNNING' }, userErrors: [] },
    invitationRevoke: { invitation: { email: 'ivy@example.com' }, hasChanged: true, userErrors: [] },
    again: { invitation: null, hasChanged: false, userErrors: [] },
    unknown: { invitation: null, hasChanged: null, userErrors: refused(null, 'NOT_FOUND') },
    organizationDelete: { deletedRows: null, userErrors: refused(['input', 'id']) },
  });
});

it('every value from a closed set is an enum', async () => {
  const { operator_token: operator, organization_id: organization } = service.firstRun;
  const { data, errors } = await ask(
    `{
      auditLog(first: 1) { nodes { actor } }
      receivedEvents(first: 1) { nodes { status } }
      dimensions { state }
      accountUsers { role }
    }`,
    operator,
    organization,
  );
  expect(errors).toBeUndefined();
  expect(data).toMatchObject({
    auditLog: { nodes: [{ actor: 'OPERATOR' }] },
    receivedEvents: { nodes: [{ status: 'COMPLETED' }] },
    accountUsers: [{ role: 'OWNER' }],
  });
  const { data: own } = await ask('{ caller { environment } }');
  expect(own).toEqual({ caller: { environment: 'LIVE' } });
});
