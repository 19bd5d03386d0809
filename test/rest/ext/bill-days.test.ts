/** `POST /ext/v1/bills` and `/ext/v1/bill-days`, over HTTP. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post, postExt, settle } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';
import { operate } from '../../support/telemetry.ts';
import { usageEvent } from '../../support/usage-event.ts';

let service: SharedService;
let importKey: string;
beforeAll(async () => {
  service = await sharedService();
  const { firstRun, url } = service;
  const { apiKeyCreate } = await operate(
    service,
    'mutation { apiKeyCreate(input: { name: "Bills", environment: "live", scopes: ["bills:write", "bills:read"] }) { createdApiKey { secret } userErrors { message } } }',
  );
  importKey = apiKeyCreate.createdApiKey.secret;
  const event = {
    model: 'gpt-4o-mini',
    input_tokens: 1_000_000,
    output_tokens: 0,
    event_invoked_at: '2026-10-07T10:00:00Z',
  };
  await post(url, '/usage-events', firstRun.live_ingest_key, usageEvent(event));
  await settle(url, firstRun.operator_token);
});
afterAll(() => service.stop());

const FILE =
  'start_time,end_time,amount_value,amount_currency,line_item\n1791331200,1791417600,0.15,usd,"gpt-4o-mini, input"\n';

async function sendFile(body: string | Buffer, key: string | null = importKey, query = '') {
  const response = await fetch(`${service.url}/ext/v1/bills${query}`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}
const days = (body: unknown = { start_date: '2026-10-01', end_date: '2026-10-31' }, key: string | null = importKey) =>
  postExt(service.url, '/bill-days', key, body);

describe('200', () => {
  it('imports a file once, plain or gzip, and compares it with the books', async () => {
    const { status, body } = await sendFile(FILE);
    expect([status, body]).toEqual([
      200,
      {
        connection_id: expect.any(String),
        source: 'openai.costs',
        from_day: '2026-10-07',
        to_day: '2026-10-07',
        is_new: true,
        lines: 1,
        unread_lines: 0,
      },
    ]);
    expect((await sendFile(FILE)).body.is_new).toBe(false);
    expect((await sendFile(gzipSync(FILE), importKey, `?connection_id=${body.connection_id}`)).body).toMatchObject({
      lines: 1,
    });
    expect((await days()).body.days).toMatchObject([
      {
        day: '2026-10-07',
        billed: '0.15',
        own: '0.15',
        difference: '0',
        is_unexplained: false,
        amount_verdict: 'AGREES',
      },
    ]);
    const october = { start_date: '2026-10-01', end_date: '2026-10-08' };
    const ofConnection = async (id: string) => (await days({ ...october, connection_id: id })).body.days ?? [];
    expect(await ofConnection(body.connection_id)).toHaveLength(1);
    expect(await ofConnection('0199a1b2-7c00-7000-8000-00000000b111')).toEqual([]);
    expect((await days({}, service.firstRun.live_read_key)).status).toBe(200);
  });

  it('names units, and currencies whose exchange rate does not follow from the bill', async () => {
    const rows =
      '1791504000,1791590400,2,eur,"gpt-4o-mini, input"\n1791504000,1791590400,3,usd,web search tool calls\n';
    await sendFile(`start_time,end_time,amount_value,amount_currency,line_item\n${rows}`);
    const [day] = (await days({ start_date: '2026-10-09', end_date: '2026-10-10' })).body.days;
    expect(day).toMatchObject({ difference: null, unknown_currencies: ['EUR'], is_unexplained: true });
    expect(
      day.differences.map(({ model, unit, unknown_currency, difference }: any) => [
        model,
        unit,
        unknown_currency,
        difference,
      ]),
    ).toEqual([
      ['gpt-4o-mini', null, 'EUR', null],
      [null, 'searches', null, '3'],
    ]);
  });

  it('names the first and the last day of a file, in whatever order its lines are', async () => {
    const rows = [12, 11, 13].map((day) => {
      const start = Date.UTC(2026, 9, day) / 1_000;
      return `${start},${start + 86_400},1,usd,"gpt-4o-mini, input"`;
    });
    const file = `start_time,end_time,amount_value,amount_currency,line_item\n${rows.join('\n')}\n`;
    expect((await sendFile(file)).body).toMatchObject({ from_day: '2026-10-11', to_day: '2026-10-13', lines: 3 });
  });

  it('accepts a file that is larger than a request to the gateway', async () => {
    const rows = Array.from({ length: 60_000 }, () => '1791417600,1791504000,0.000001,usd,"gpt-4o-mini, input"').join(
      '\n',
    );
    const { status, body } = await sendFile(`start_time,end_time,amount_value,amount_currency,line_item\n${rows}\n`);
    expect([status, body.lines]).toEqual([200, 1]);
    expect((await days({ start_date: '2026-10-08', end_date: '2026-10-09' })).body.days[0].billed).toBe('0.06');
  });
});

describe('400', () => {
  it('to a file that is not a bill, an empty body, a repeated parameter, and odd dates', async () => {
    expectEnvelope(await sendFile('hello,world\n1,2\n'), 400, 'VALIDATION_ERROR', /columns match no known format/);
    expectEnvelope(await sendFile(''), 400, 'VALIDATION_ERROR', /empty/);
    const twice = await sendFile(FILE, importKey, '?connection_id=a&connection_id=b');
    expectEnvelope(twice, 400, 'VALIDATION_ERROR', /connection_id must be given once/);
    expectEnvelope(
      await days({ start_date: '2026-01-01', end_date: '2026-12-01' }),
      400,
      'VALIDATION_ERROR',
      /at most 92 days/,
    );
    expectEnvelope(await days({ month: 'x' }), 400, 'VALIDATION_ERROR', /has no member month/);
  });
});

describe('401', () => {
  it('without a key', async () => {
    expectEnvelope(await sendFile(FILE, null), 401, 'UNAUTHORIZED');
    expectEnvelope(await days({}, null), 401, 'UNAUTHORIZED');
  });
});

describe('403', () => {
  it('to a key without its scope', async () => {
    expectEnvelope(await sendFile(FILE, service.firstRun.live_read_key), 403, 'FORBIDDEN', /bills:write/);
    expectEnvelope(await days({}, service.firstRun.live_ingest_key), 403, 'FORBIDDEN', /bills:read or costs:read/);
  });
});

describe('404', () => {
  it('to an unknown connection', async () => {
    expectEnvelope(
      await sendFile(FILE, importKey, '?connection_id=0199a1b2-7c00-7000-8000-00000000b111'),
      404,
      'NOT_FOUND',
      /connection/,
    );
  });
});

describe('413', () => {
  it('to a file of more than 64 MiB', async () => {
    expectEnvelope(await sendFile(Buffer.alloc(64 * 1024 * 1024 + 1, 'x')), 413, 'PAYLOAD_TOO_LARGE', /64 MiB/);
  });
});
