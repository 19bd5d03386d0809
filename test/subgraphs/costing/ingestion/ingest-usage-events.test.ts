import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withClient } from '#platform/database/prepare-database.ts';
import { ingestUsageEvents } from '../../../../subgraphs/costing/ingestion/ingest-usage-events.operation.ts';
import { listUnknownFields } from '../../../../subgraphs/costing/events/list-unknown-fields.operation.ts';
import { event, events, type Costing, startCosting, statuses } from '../costing-builder.ts';
import { isOnNodes } from '../../../support/fresh-database.ts';

let costing: Costing;
beforeAll(async () => {
  costing = await startCosting();
});
afterAll(() => costing.close());

const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);

async function ids(items: unknown[], context = costing.live): Promise<(string | null)[]> {
  const { results } = await ingestUsageEvents(context, items);
  return results.map((result) => ('event_id' in result ? result.event_id : null));
}

async function unknownNames(): Promise<string[]> {
  return (await listUnknownFields(costing.live)).map(({ name }) => name);
}

describe('a batch', () => {
  it('has a result for every item, in the order of the request', async () => {
    const batch = [
      event('order-b'),
      { model: 'x' },
      event('order-a', { model: 'nobody-knows-it', cost_override: undefined }),
      7,
    ];
    expect(await ingestUsageEvents(costing.live, batch)).toEqual({
      accepted: 2,
      failed: 2,
      results: [
        { index: 0, status: 'accepted', event_id: UUID, message: expect.any(String) },
        {
          index: 1,
          status: 'rejected',
          error: 'VALIDATION_ERROR',
          message: ['idempotency_key', 'input_tokens', 'output_tokens', 'event_invoked_at']
            .map((name) => `${name} is required`)
            .join('; '),
        },
        {
          index: 2,
          status: 'accepted_flagged',
          event_id: UUID,
          message: expect.any(String),
          flag_reason: 'no_rate_card',
        },
        { index: 3, status: 'rejected', error: 'VALIDATION_ERROR', message: 'A usage event must be a JSON object' },
      ],
    });
  });

  it('is rejected as a whole unless it is an array of 1 to 100 items', async () => {
    for (const body of [{}, 'x', null, [], events(101, 'many')]) {
      await expect(ingestUsageEvents(costing.live, body)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    }
    expect(await costing.rows("select 1 from usage_event where idempotency_key like 'many-%'")).toEqual([]);
  });

  it('is queued for pricing as one job with its new events', async () => {
    await ids([event('queue-a')]);
    const all = await ids([event('queue-a'), event('queue-b'), event('queue-c')]);
    const jobs = await costing.rows<{ eventIds: string[] }>(
      'select event_ids::text[] as event_ids from pricing_job where event_ids && $1::uuid[]',
      [all.slice(1)],
    );
    expect(jobs.map(({ eventIds: queued }) => [...queued].sort())).toEqual([all.slice(1).sort()]);
  });

  it('stores nothing if every event is rejected', async () => {
    const before = await costing.rows('select count(*) from pricing_job');
    expect(await statuses(costing.live, [{}, null, 'x'])).toBe('vvv');
    expect(await costing.rows('select count(*) from pricing_job')).toEqual(before);
  });

  it.skipIf(isOnNodes())(
    'is not partly acknowledged if the database becomes unreachable while events are tried one by one',
    async () => {
      const { target } = costing.live.database;
      await withClient(target, (client) =>
        client.query(`
      create function refuse() returns trigger language plpgsql as $$ begin
        if new.idempotency_key = 'half-bad' then raise exception 'does not fit' using errcode = '22000'; end if;
        if new.idempotency_key = 'half-last' then raise exception 'no space left on device' using errcode = '53100'; end if;
        return new;
      end $$;
      create trigger refuse before insert on usage_event for each row execute function refuse()`),
      );
      const batch = [event('half-first'), event('half-bad'), event('half-last')];
      await expect(ingestUsageEvents(costing.live, batch)).rejects.toMatchObject({ code: '53100' });
      await withClient(target, (client) => client.query('drop trigger refuse on usage_event; drop function refuse()'));
      expect(await statuses(costing.live, batch)).toBe('aaa');
      expect(await costing.rows("select count(*)::int from usage_event where idempotency_key like 'half-%'")).toEqual([
        { count: 3 },
      ]);
    },
  );

  it.skipIf(isOnNodes())('has its unknown fields recorded even if one event cannot be stored', async () => {
    const { target } = costing.live.database;
    await withClient(target, (client) =>
      client.query(`
      create function refuse() returns trigger language plpgsql as $$ begin
        if new.idempotency_key = 'slip-bad' then raise exception 'does not fit' using errcode = '22000'; end if;
        return new;
      end $$;
      create trigger refuse before insert on usage_event for each row execute function refuse()`),
    );
    expect(await statuses(costing.live, [event('slip-bad'), event('slip', { userId: 'u' })])).toBe('!a');
    await withClient(target, (client) => client.query('drop trigger refuse on usage_event; drop function refuse()'));
    expect(await unknownNames()).toEqual(['userId']);
  });

  it.skipIf(isOnNodes())('cannot fill the list of unknown fields', async () => {
    const random = (prefix: string) =>
      Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${prefix}_${index}`, 1]));
    await ingestUsageEvents(costing.live, [event('many-a', random('a')), event('many-b', random('b'))]);
    await ingestUsageEvents(costing.live, [event('many-c', { userId: 'u', ...random('c') })]);
    const names = await unknownNames();
    expect(names).toHaveLength(200);
    expect(names).toContain('userId');
  });

  it('stores every field as sent', async () => {
    const sent = {
      idempotency_key: 'ключ \u0001 "quoted\\" \n, {}',
      model: 'm\u{1F600}',
      provider: "o'neil",
      user_id: 'NULL',
      input_tokens: 2 ** 53 - 1,
      output_tokens: 0,
      event_invoked_at: '2024-02-29T23:59:59.123456+01:00',
      cost_override: '123456789012.000000000000001',
      experiment: { experiment_id: '{a,b}', variant: 'null' },
      session_id: '\\',
      session_type: '"',
      span_id: '\t',
      parent_span_id: ' ',
      feature: 'f',
      agent_id: '\\n',
      workflow_id: 'w',
      units: 1.5,
      cache_read_input_tokens: 0,
      reasoning_tokens: 3,
      metadata: { z: 1, a: 'line\nbreak \\ "x"', deep: { list: [1e300, null, 'NULL'] }, 1: '' },
    };
    const [id] = await ids([event('beside'), sent]);
    expect(id).toEqual(UUID);
    const [row] = await costing.rows(
      `
      select idempotency_key, model, provider, end_user_external_id, input_tokens::text, output_tokens::text, to_json(event_time at time zone 'utc') as at,
        cost_override::text, experiment_id, variant, session_id, session_type, span_id, parent_span_id, feature, agent_id, workflow_id,
        units::text, cache_creation_input_tokens, cache_read_input_tokens::text, reasoning_tokens::text, metadata::text, livemode, charged
      from usage_event where idempotency_key = $1`,
      [sent.idempotency_key],
    );
    expect(row).toEqual({
      idempotencyKey: sent.idempotency_key,
      model: sent.model,
      provider: sent.provider,
      endUserExternalId: 'NULL',
      inputTokens: '9007199254740991',
      outputTokens: '0',
      at: '2024-02-29T22:59:59.123456',
      costOverride: '123456789012.000000000000001',
      experimentId: '{a,b}',
      variant: 'null',
      sessionId: '\\',
      sessionType: '"',
      spanId: '\t',
      parentSpanId: ' ',
      feature: 'f',
      agentId: '\\n',
      workflowId: 'w',
      units: '1.500000000000000',
      cacheCreationInputTokens: null,
      cacheReadInputTokens: '0',
      reasoningTokens: '3',
      metadata: JSON.stringify(sent.metadata),
      livemode: true,
      charged: false,
    });
  });
});

describe('a resend', () => {
  it('is accepted again with the first event id, and the first event is kept', async () => {
    const first = await ids([event('resend')]);
    const { results } = await ingestUsageEvents(costing.live, [
      event('resend', { model: 'other', event_invoked_at: '2001-01-01T00:00:00Z' }),
    ]);
    expect(results).toEqual([{ index: 0, status: 'accepted', event_id: first[0], message: expect.any(String) }]);
    expect(await costing.rows("select model from usage_event where idempotency_key = 'resend'")).toEqual([
      { model: 'any-model' },
    ]);
  });

  it('within one batch is one event and two accepted results', async () => {
    const batch = [
      event('twice', { model: 'first', cost_override: undefined }),
      event('once'),
      event('twice', { model: 'second' }),
    ];
    const { accepted, failed, results } = await ingestUsageEvents(costing.live, batch);
    expect({ accepted, failed }).toEqual({ accepted: 3, failed: 0 });
    expect(results.map(({ status }) => status)).toEqual(['accepted_flagged', 'accepted', 'accepted']);
    expect(results[2]).toMatchObject({ event_id: results[0] && 'event_id' in results[0] ? results[0].event_id : '' });
    expect(await costing.rows("select model from usage_event where idempotency_key = 'twice'")).toEqual([
      { model: 'first' },
    ]);
  });

  it('a resend sent twenty times at once, in any order, is stored once and has the same id in all results', async () => {
    const batch = events(50, 'storm');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, turn) => {
        const shuffled = turn % 2 === 0 ? batch : [...batch].reverse();
        return ids(shuffled).then((all) => (turn % 2 === 0 ? all : [...all].reverse()));
      }),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(new Set(answers[0]).size).toBe(50);
    expect(await costing.rows("select count(*)::int from usage_event where idempotency_key like 'storm-%'")).toEqual([
      { count: 50 },
    ]);
    const queued = await costing.rows<{ id: string }>('select unnest(event_ids)::text as id from pricing_job');
    expect(queued.filter(({ id }) => answers[0]?.includes(id))).toHaveLength(50);
  });

  it('a resend with the same key from a test key or another organization is a different event', async () => {
    const all = await Promise.all([
      ids([event('shared')]),
      ids([event('shared')], costing.test),
      ids([event('shared')], costing.stranger),
    ]);
    expect(new Set(all.flat()).size).toBe(3);
    // A resend returns the id of the first event with the same key, mode and organization.
    expect(await ids([event('shared')], costing.test)).toEqual(all[1]);
    expect(await ids([event('shared')])).toEqual(all[0]);
    expect(await ids([event('shared')], costing.stranger)).toEqual(all[2]);
    const rows = await costing.rows("select livemode from usage_event where idempotency_key = 'shared' order by 1");
    expect(rows).toEqual([{ livemode: false }, { livemode: true }, { livemode: true }]);
  });
});

describe('an internal error', () => {
  const alter = (sql: string) => withClient(costing.live.database.target, (client) => client.query(sql));

  it('about the content of one event rejects that event and stores the others', async () => {
    await alter("alter table usage_event add constraint refused check (model <> 'poison')");
    const batch = [event('healthy-a'), event('poisoned', { model: 'poison' }), event('healthy-b')];
    const { accepted, failed, results } = await ingestUsageEvents(costing.live, batch);
    expect({ accepted, failed }).toEqual({ accepted: 2, failed: 1 });
    expect(results[1]).toEqual({
      index: 1,
      status: 'rejected',
      error: 'INTERNAL_SERVER_ERROR',
      message: expect.any(String),
    });
    const stored = await costing.rows(
      "select idempotency_key as key from usage_event where idempotency_key ~ 'healthy|poisoned' order by 1",
    );
    expect(stored).toEqual([{ key: 'healthy-a' }, { key: 'healthy-b' }]);
  });

  it('an internal error of any other kind fails the whole batch and stores nothing', async () => {
    await alter('alter table pricing_job rename to lost');
    await expect(ingestUsageEvents(costing.live, [event('lost-a'), event('lost-b')])).rejects.toThrow('pricing_job');
    await alter('alter table lost rename to pricing_job');
    expect(await costing.rows("select 1 from usage_event where idempotency_key like 'lost-%'")).toEqual([]);
    expect(await statuses(costing.live, [event('lost-a'), event('lost-b')])).toBe('aa');
  });
});
