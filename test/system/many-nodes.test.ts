/**
 * Costing and attribution on several nodes (Citus), the other subgraphs on a plain server. Needs an engine
 * (`citus-cluster.ts`).
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { arrayLiteral } from '#platform/database/array-literal.ts';
import { readConfig } from '#platform/config.ts';
import { query } from '#platform/database/sql.ts';
import { insertAuditRecord, NO_ORGANIZATION } from '#platform/subgraph/audit-record.ts';
import { findOrganizationsWithRows } from '#platform/subgraph/delete-organization-rows.ts';
import { openDatabases } from '../../start/databases.ts';
import { FOLLOWER } from '../../subgraphs/attribution/config.ts';
import { findDifferingOffsets } from '../../subgraphs/attribution/feed/differing-offsets.query.ts';
import { attribution } from '../../subgraphs/attribution/main.ts';
import { listAcknowledgedMarks } from '../../subgraphs/costing/feed/feed-parts.query.ts';
import { pruneFeedJob } from '../../subgraphs/costing/feed/prune-feed.job.ts';
import { costing } from '../../subgraphs/costing/main.ts';
import { describeBooks } from '../support/books/describe-books.ts';
import { Sender } from '../support/child-service.ts';
import { type CitusCluster, HAS_ENGINE, startCitus } from '../support/citus-cluster.ts';
import { type Recording, recordStatements } from '../support/record-statements.ts';
import { get, graphql, post, settle } from '../support/api-client.ts';
import { killUnderLoad } from '../support/kill-under-load.ts';
import { operate, sendTo, traces, unsignedKey } from '../support/telemetry.ts';
import { runningService, type RunningService } from '../support/running-service.ts';
import { usageEvent } from '../support/usage-event.ts';
import { MINUTES, PATIENCE } from '../support/patience.ts';

// Starts a cluster of several servers.
vi.setConfig(MINUTES);

const FIRST_PORT = 9_600 + 4 * (process.pid % 100);

const ONE = '0198c0de-0000-7000-8000-000000000001';
const OTHER = '0198c0de-0000-7000-8000-000000000002';

const PRICED = { cost_override: '0.5', event_invoked_at: '2026-01-15T12:00:00Z' };
const RANGE = 'start_date=2026-01-01&end_date=2026-02-01';

/**
 * True for a statement that looks for work over all organizations, or answers an operator's query about all of them: it
 * names no organization, writes nothing, and locks nothing.
 */
function isLook(text: string): boolean {
  const ofOneOrAll = /\$1::uuid is null or (?:\w+\.)?organization_id = \$1/g;
  return !/\b(?:insert|update|delete)\b/i.test(text) && !/organization_id = \$\d/.test(text.replaceAll(ofOneOrAll, ''));
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  // An array in the protocol's text format.
  if (Buffer.isBuffer(value)) return '{}';
  if (Array.isArray(value)) return arrayLiteral(value.map((each) => (each == null ? null : textOf(each)))) ?? '{}';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

interface Member {
  readonly organizationId: string;
  readonly ingestKey: string;
  readonly readKey: string;
}

async function makeMember({ url, firstRun: { operator_token: operator } }: RunningService): Promise<Member> {
  const name = randomUUID();
  const operate = async (document: string, organization?: string) => {
    const { body } = await graphql(url, operator, document, {}, organization);
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return body.data;
  };
  const {
    organizationCreate: { createdOrganization },
  } = await operate(
    `mutation { organizationCreate(input: { name: "${name}", ownerEmail: "${name}@example.com", ownerPassword: "correct horse battery" }) { createdOrganization { organization { id } } userErrors { message code } } }`,
  );
  const organizationId = createdOrganization.organization.id as string;
  const keyFor = async (preset: string) =>
    (
      await operate(
        `mutation { apiKeyCreate(input: { name: "k", environment: "live", preset: "${preset}" }) { createdApiKey { secret } userErrors { message } } }`,
        organizationId,
      )
    ).apiKeyCreate.createdApiKey.secret as string;
  return { organizationId, ingestKey: await keyFor('ingest'), readKey: await keyFor('read') };
}

describe.skipIf(!HAS_ENGINE)('on several nodes', () => {
  let cluster: CitusCluster;
  const settings = () => ({
    COSTING_DATABASE_URL: cluster.url('costing'),
    ATTRIBUTION_DATABASE_URL: cluster.url('attribution'),
  });
  const open = () => openDatabases([attribution], readConfig(settings()), () => {});
  const distribute = async () => {
    const env = { ...process.env, ...settings() };
    return (await promisify(execFile)('start/run', ['distribute'], { env })).stdout;
  };

  const countRows = (database: string, table: string) =>
    cluster.asOperator(database, async (client) => {
      const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${table}`);
      return rows[0]?.count;
    });

  beforeAll(async () => {
    cluster = await startCitus(FIRST_PORT, { workers: 2, databases: ['costing', 'attribution'] });
    // Existing rows are moved to their nodes.
    const before = await runningService(settings());
    const events = Array.from({ length: 5 }, () => usageEvent(PRICED));
    expect((await post(before.url, '/usage-events/batch', before.firstRun.live_ingest_key, events)).status).toBe(202);
    await settle(before.url, before.firstRun.operator_token);
    await before.stop();
    expect(await distribute()).toMatch(/^Distributed \d+ tables of costing and attribution\. Start the service\.$/m);
    expect(await countRows('costing', 'cost_entry')).toBe(5);
    expect(await countRows('attribution', 'cost_fact')).toBe(5);
    expect(await distribute()).toBe('Everything is already distributed.\n');
  }, 300_000);
  afterAll(() => cluster.stop());

  let recording: Recording;
  describeBooks(async () => {
    recording = recordStatements();
    const service = await runningService(settings());
    const { firstRun, url } = service;
    const window = `window(start: "2026-01-01", end: "2026-02-01") { eventsAtBase }`;
    // Queries that only alerts send, and that they repeat every minute.
    const document = `{ ${window} receivedEvents { nodes { id } }
      costingHealth { unpriced { events } guessed { events } atBase { events } } }`;
    const { body } = await graphql(url, firstRun.operator_token, document, {}, firstRun.organization_id);
    expect(body.errors).toBeUndefined();
    return service;
  });

  it('sends each statement of an organization to one node', async () => {
    recording.stop();
    const several: string[] = [];
    let explained = 0;
    for (const { database, text, values } of recording.statements()) {
      if (!['costing', 'attribution'].includes(database) || !/^\s*(with|select|insert|update|delete)\b/i.test(text))
        continue;
      const tasks = await tasksOf(database, text, values).catch((error: unknown) => {
        throw new Error(text, { cause: error });
      });
      explained += tasks.length;
      if (tasks.some((count) => count > 1) && !isLook(text)) several.push(text);
    }
    expect(explained).toBeGreaterThan(100);
    expect(several).toEqual([]);
  });

  /** Number of shards that each part of the statement reads; none: it reads no distributed table. */
  const tasksOf = (database: string, text: string, values: readonly unknown[]) =>
    cluster.asOperator(database, async (client) => {
      const literals = values.map((value) => (value == null ? 'null' : pg.escapeLiteral(textOf(value))));
      await client.query(`prepare recorded as ${text}`);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain (costs off) execute recorded ${literals.length === 0 ? '' : `(${literals.join(', ')})`}`,
      );
      return rows.flatMap((row) => /Task Count: (\d+)/.exec(row['QUERY PLAN'])?.slice(1).map(Number) ?? []);
    });

  describe('while nodes come and go', () => {
    let service: RunningService;
    const here: Member[] = [];
    const there: Member[] = [];
    let away: number;

    beforeAll(async () => {
      service = await runningService(settings());
      // Rows for all organizations belong to the nil organization. Creates as many as needed for both nodes to have
      // some.
      const node = await nodeOf(NO_ORGANIZATION);
      while (here.length === 0 || there.length === 0) {
        const next = await makeMember(service);
        const of = await nodeOf(next.organizationId);
        (of === node ? here : there).push(next);
        if (of !== node) away = of;
      }
    });
    afterAll(() => service.stop());

    const placeOf = (organizationId: string, database = 'costing') =>
      cluster.asOperator(database, async (client) => {
        const { rows } = await client.query<{ shard: string; port: number }>(
          `select shardid as shard, nodeport as port from citus_shards
           where shardid = get_shard_id_for_distribution_column('organization_home', $1::uuid)`,
          [organizationId],
        );
        return rows[0]!;
      });
    const nodeOf = async (organizationId: string) => (await placeOf(organizationId)).port - FIRST_PORT;
    const expectCleanBooks = async (...members: Member[]) => {
      await settle(service.url, service.firstRun.operator_token);
      const document = '{ verifyCosting { check differences } verifyAttribution { check differences } }';
      for (const { organizationId } of members) {
        const { body } = await graphql(service.url, service.firstRun.operator_token, document, {}, organizationId);
        expect(body.errors).toBeUndefined();
        const checks = [...body.data.verifyCosting, ...body.data.verifyAttribution];
        expect(checks.filter(({ differences }: any) => differences.length > 0)).toEqual([]);
      }
    };
    const operateAs = async ({ organizationId }: Member, document: string, variables: object = {}) => {
      const { body } = await graphql(service.url, service.firstRun.operator_token, document, variables, organizationId);
      expect(body.errors).toBeUndefined();
      return body.data;
    };
    const send = async ({ ingestKey }: Member, count: number) =>
      (
        await post(
          service.url,
          '/usage-events/batch',
          ingestKey,
          Array.from({ length: count }, () => usageEvent(PRICED)),
        )
      ).status;
    const countOf = async ({ readKey }: Member) => {
      const { status, body } = await get(service.url, `/cost-data/by-model?${RANGE}`, readKey);
      return status === 200 ? (body.models[0]?.event_count ?? 0) : status;
    };

    it('ingests, prices and reads for the organizations of the other nodes, and returns 503 to its own', async () => {
      const [one] = here as [Member];
      const [other] = there as [Member];
      const accepted = new Map([
        [one, await countOf(one)],
        [other, await countOf(other)],
      ]);
      const sendSome = async (member: Member, count: number) => {
        const status = await send(member, count);
        if (status === 202) accepted.set(member, (accepted.get(member) ?? 0) + count);
        return status;
      };
      const expectAll = (member: Member) => expect.poll(() => countOf(member)).toBe(accepted.get(member));
      expect([await sendSome(one, 3), await sendSome(other, 4)]).toEqual([202, 202]);
      await expectAll(one);
      await expectAll(other);

      const databases = await openDatabases([costing, attribution], readConfig(settings()), () => {});
      const batchesOf = ({ organizationId }: Member) =>
        databases.of['costing']!.write(organizationId, (tx) =>
          query(tx, 'select number from priced_batch where organization_id = $1', [organizationId]),
        );
      const prune = () => pruneFeedJob({ database: databases.of['costing']!, keptSeconds: 0 }).step();
      cluster.kill(away);
      try {
        await expect.poll(() => sendSome(other, 1)).toBe(503);
        expect(await sendSome(one, 5)).toBe(202);
        await expectAll(one);
        expect(await countOf(other)).toBe(503);
        // Background work continues as well.
        await operateAs(
          one,
          'mutation { costPairRegister(input: { keys: ["agent_id", "model"] }) { costPair { state } userErrors { message } } }',
        );
        await expect
          .poll(async () => (await operateAs(one, '{ costPairs { state } }')).costPairs)
          .toEqual([{ state: 'READY' }]);
        expect(await batchesOf(one)).not.toEqual([]);
        await expect
          .poll(async () => {
            await prune();
            return batchesOf(one);
          })
          .toEqual([]);
        const both = [one.organizationId, other.organizationId];
        expect(await findOrganizationsWithRows(databases.of['costing']!, both)).toEqual([one.organizationId]);
        expect(await listAcknowledgedMarks(databases.of['costing']!, FOLLOWER, NO_ORGANIZATION, 1_000)).toContainEqual(
          expect.objectContaining({ organizationId: one.organizationId }),
        );
        const differing = await findDifferingOffsets(databases.of['attribution']!, [], NO_ORGANIZATION, null);
        const places = differing.map(({ organizationId }) => organizationId);
        expect(both.filter((id) => places.includes(id))).toEqual([one.organizationId]);
      } finally {
        await cluster.revive(away);
        await databases.close();
      }
      await expect.poll(() => sendSome(other, 6)).toBe(202);
      await expectAll(other);
      await expectCleanBooks(one, other);
    });

    it('processes the organizations of the other nodes, and its own when it is back', async () => {
      const [one] = here as [Member];
      const [other] = there as [Member];
      // Failed events, for an operation over all organizations to find.
      const failed = async (member: Member) => {
        const event = usageEvent({ model: 'of-no-card', event_invoked_at: PRICED.event_invoked_at });
        expect((await post(service.url, '/usage-events/batch', member.ingestKey, [event])).status).toBe(202);
        await settle(service.url, service.firstRun.operator_token);
        await cluster.asOperator('costing', async (client) => {
          const of = [member.organizationId];
          await client.query("update unpriced_event set status = 'failed' where organization_id = $1", of);
          await client.query(
            'update cost_hour set failed = 1, pending_rate_card = 0 where organization_id = $1 and pending_rate_card = 1',
            of,
          );
        });
      };
      const countFailed = ({ organizationId }: Member) =>
        cluster.asOperator('costing', async (client) => {
          const { rows } = await client.query<{ count: number }>(
            "select count(*)::int as count from unpriced_event where organization_id = $1 and status = 'failed'",
            [organizationId],
          );
          return rows[0]?.count;
        });
      const ofAll = (database: string, kind: string) =>
        cluster.asOperator(database, async (client) => {
          const { rows } = await client.query<{ state: string; done: number; error: string | null }>(
            `select state, done::int, last_error as error from operation where organization_id = $1 and kind = $2
             order by id desc limit 1`,
            [NO_ORGANIZATION, kind],
          );
          return rows[0];
        });
      const askOfAll = (document: string) => graphql(service.url, service.firstRun.operator_token, document);
      await failed(one);
      await failed(other);
      const costs = { one: await countOf(one), other: await countOf(other) };
      cluster.kill(away);
      try {
        await expect.poll(() => send(other, 1)).toBe(503);
        // An operator's query about one organization.
        const { pricingBacklog, attributionLag } = await operateAs(
          one,
          '{ pricingBacklog { pendingEvents feedLag } attributionLag { batches replaying backfilled } }',
        );
        expect(pricingBacklog).toEqual({ pendingEvents: 0, feedLag: 0 });
        expect(attributionLag).toEqual({ batches: 0, replaying: 0, backfilled: true });
        const checks = await operateAs(one, '{ verifyCosting { differences } verifyAttribution { differences } }');
        expect([...checks.verifyCosting, ...checks.verifyAttribution].flatMap((check) => check.differences)).toEqual(
          [],
        );
        const {
          verificationStart: { operation },
        } = await operateAs(one, 'mutation { verificationStart { operation { id } userErrors { message code } } }');
        const ofOne = `{ attributionOperation(id: "${operation.id}") { state } }`;
        await expect.poll(async () => (await operateAs(one, ofOne)).attributionOperation.state).toBe('FINISHED');
        // An operation over all organizations.
        expect(
          (await askOfAll('mutation { failedEventsRetry { events userErrors { message code } } }')).body.errors?.[0]
            .extensions.code,
        ).toBe('SERVICE_UNAVAILABLE');
        await expect.poll(() => countFailed(one)).toBe(0);
        expect(await ofAll('costing', 'requeue-failed')).toMatchObject({ state: 'running' });
        const ofTime = 'start: "2026-01-01T00:00:00Z", end: "2026-02-01T00:00:00Z"';
        const begun = (
          await askOfAll(
            `mutation { rebuildStart(input: { ${ofTime} }) { organizations userErrors { message code } } }`,
          )
        ).body;
        expect(begun.errors).toBeUndefined();
        expect(begun.data.rebuildStart.organizations).toBeGreaterThanOrEqual(1);
        await askOfAll('mutation { rebuildStart(input: {}) { operation { id } userErrors { message code } } }');
        await expect.poll(async () => (await ofAll('attribution', 'rebuild'))?.error).toEqual(expect.any(String));
        expect(await ofAll('attribution', 'rebuild')).toMatchObject({ state: 'running' });
        expect((await ofAll('attribution', 'rebuild'))!.done).toBeGreaterThanOrEqual(costs.one);
      } finally {
        await cluster.revive(away);
      }
      await expect.poll(() => countFailed(other)).toBe(0);
      await expect.poll(() => ofAll('costing', 'requeue-failed')).toMatchObject({ state: 'finished' });
      await expect.poll(() => ofAll('attribution', 'rebuild')).toMatchObject({ state: 'finished', error: null });
      expect((await ofAll('attribution', 'rebuild'))!.done).toBeGreaterThanOrEqual(costs.one + costs.other);
      await expectCleanBooks(one, other);
    });

    it('completes a check of the books of each organization', async () => {
      const member = await makeMember(service);
      expect(await send(member, 1)).toBe(202);
      await expect.poll(async () => (await operateAs(member, '{ books { roundAt } }')).books.roundAt).not.toBeNull();
    });

    it('accepts concurrent first batches of an organization', async () => {
      const member = await makeMember(service);
      expect(await Promise.all(Array.from({ length: 8 }, () => send(member, 3)))).toEqual(Array(8).fill(202));
      await expect.poll(() => countOf(member)).toBe(24);
      await expectCleanBooks(member);
    });

    it('computes commitments, credits, fixed costs and allowances', async () => {
      const member = await makeMember(service);
      const sent = ['gpt-4o', 'gpt-4o-mini'].map((model) =>
        usageEvent({ ...PRICED, model, provider: 'openai', user_id: 'ada' }),
      );
      expect((await post(service.url, '/usage-events/batch', member.ingestKey, sent)).status).toBe(202);
      await operateAs(
        member,
        `mutation {
          fixedCostSave(input: { key: "reserved", name: "Reserved", driver: EVENTS, scope: { models: ["gpt-4o-mini"] }, replacesModelCost: true,
            periods: [{ from: "2026-01-01", until: "2026-02-01", amount: "31", per: MONTH }] }) { userErrors { message } }
          commitmentSave(input: { provider: "openai", name: "Yearly", amount: "10", period: MONTH, from: "2026-01-01", until: "2026-02-01" }) { userErrors { message } }
          providerCreditSave(input: { provider: "openai", name: "Start", amount: "10", from: "2026-01-01" }) { userErrors { message } }
          allowanceSave(input: { subject: END_USER, subjectId: "ada", period: DAY, amount: "1" }) { userErrors { message } }
        }`,
      );
      const { holdOpen } = await operateAs(
        member,
        'mutation { holdOpen(input: { idempotencyKey: "one", spend: { endUser: "ada", amount: "0.25" } }) { decision { allowed left } userErrors { message } } }',
      );
      expect(holdOpen).toEqual({ decision: { allowed: true, left: '0.75' }, userErrors: [] });
      const document = `{ commitments { periods { spent shortfall } } providerCredits { used }
        window(start: "2026-01-01", end: "2026-02-01") { allocatedCosts { allocated replacedCost } } }`;
      await expect
        .poll(() => operateAs(member, document), PATIENCE)
        .toEqual({
          commitments: [{ periods: [{ spent: '0.5', shortfall: '9.5' }] }],
          providerCredits: [{ used: '0.5' }],
          window: { allocatedCosts: { allocated: '1', replacedCost: '0.5' } },
        });
      await expectCleanBooks(member);
    });

    it('ingests usage by OpenTelemetry, and erases its end user', async () => {
      const { firstRun, url } = service;
      const key = await unsignedKey(service);
      const call = {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-4o',
      };
      const attributes = { ...call, 'gen_ai.usage.input_tokens': 100, 'user.id': 'ada' };
      expect(await sendTo(url, '/otlp/v1/traces', key, traces({ attributes }))).toMatchObject({
        status: 200,
        body: {},
      });
      await settle(url, firstRun.operator_token);
      const member = { organizationId: firstRun.organization_id, ingestKey: '', readKey: '' };
      const { endUserErase } = await operate(
        service,
        'mutation { endUserErase(input: { externalId: "ada" }) { erasure { events finishedAt } userErrors { message } } }',
      );
      expect(endUserErase.erasure).toEqual({ events: 1, finishedAt: expect.any(String) });
      await expectCleanBooks(member);
      const {
        receivedEvents: { nodes: receivedEvents },
      } = await operate(service, '{ receivedEvents(first: 1) { nodes { endUserExternalId } } }');
      expect(receivedEvents).toEqual([{ endUserExternalId: expect.stringMatching(/^erased-/) }]);
    });

    it('deletes an organization, including its own rates on every node', async () => {
      const member = await makeMember(service);
      await operateAs(
        member,
        'mutation ($input: RateSetInput!) { rateSet(input: $input) { rate { modelSlug } userErrors { message code } } }',
        {
          input: { model: 'of-its-own', input: '1', output: '2' },
        },
      );
      expect(await send(member, 3)).toBe(202);
      await expect.poll(() => countOf(member)).toBe(3);
      await settle(service.url, service.firstRun.operator_token);
      const { costing, attribution: facts } = await operateAs(
        member,
        `mutation ($id: ID!) {
          costing: costingDataDelete(input: { id: $id }) { deletedRows { isFinished } userErrors { message } }
          attribution: attributionDataDelete(input: { id: $id }) { deletedRows { isFinished } userErrors { message } }
        }`,
        { id: member.organizationId },
      );
      const finished = { deletedRows: { isFinished: true }, userErrors: [] };
      expect([costing, facts]).toEqual([finished, finished]);
      const left = `select (select count(*) from usage_event where organization_id = $1)::int as events,
        (select count(*) from rate_card where organization_id = $1)::int as cards`;
      for (const node of [0, 1, 2])
        expect(
          await cluster.asOperator(
            'costing',
            async (client) => (await client.query(left, [member.organizationId])).rows[0],
            node,
          ),
        ).toEqual({ events: 0, cards: 0 });
    });

    it('loses nothing while rows of an organization move to another node under load', async () => {
      const member = await makeMember(service);
      expect(await send(member, 1)).toBe(202);
      const sender = new Sender(service.url, member.ingestKey);
      for (const database of ['costing', 'attribution']) {
        const { shard, port } = await placeOf(member.organizationId, database);
        const to = port === FIRST_PORT + 1 ? FIRST_PORT + 2 : FIRST_PORT + 1;
        await cluster.asOperator(database, (client) =>
          client.query("select citus_move_shard_placement($1, '127.0.0.1', $2, '127.0.0.1', $3, 'block_writes')", [
            shard,
            port,
            to,
          ]),
        );
        expect((await placeOf(member.organizationId, database)).port).toBe(to);
      }
      const sent = await sender.stop();
      expect(sent).toBeGreaterThan(0);
      await expect.poll(() => countOf(member)).toBe(sent + 1);
      await expectCleanBooks(member);
    });
  });

  it('loses nothing when the service is killed under load', () => killUnderLoad(settings()));

  it('gives an organization access to its own data, for writing and for reading, and to nothing else', async () => {
    const databases = await open();
    const database = databases.of['attribution']!;
    const event = { organizationId: ONE, at: new Date(), action: 'dimension.created', actorKind: 'operator' } as const;
    await database.write(ONE, (tx) => insertAuditRecord(tx, event));
    const look = (organizationId: string) =>
      database.snapshot(organizationId, (tx) =>
        query(tx, 'select act from audit_record where organization_id = $1', [ONE]),
      );
    expect(await look(ONE)).toEqual([{ act: 'dimension.created' }]);
    expect(await look(OTHER)).toEqual([]);
    await expect(database.write(OTHER, (tx) => insertAuditRecord(tx, event))).rejects.toThrow(/row-level security/);
    await databases.close();
  });

  it('stops the start if the nodes do not learn the organization of a request', async () => {
    await cluster.asOperator('attribution', (client) =>
      client.query("alter database attribution set citus.propagate_set_commands = 'none'"),
    );
    await expect(open()).rejects.toThrow(
      /^Row-level security of the database attribution does not work: .* citus\.propagate_set_commands = 'local'/,
    );
    await cluster.asOperator('attribution', (client) =>
      client.query('alter database attribution reset citus.propagate_set_commands'),
    );
    await (await open()).close();
  });

  it('stops the start if some tables are distributed and others are not', async () => {
    const make = 'create table added (organization_id uuid primary key); alter table added enable row level security';
    await cluster.asOperator('attribution', (client) => client.query(make));
    await expect(open()).rejects.toThrow('Some tables are not distributed: added');
    await cluster.asOperator('attribution', (client) => client.query('drop table added'));
  });
});
