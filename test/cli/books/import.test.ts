/** `books import`, from the export formats of other products to figures at the prices of the calls' own time. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { money, plain } from '#kernel/money.ts';
import { importFile } from '../../../cli/books/import/import-file.ts';
import { importProgress } from '../../../cli/books/import/import-progress.ts';
import { savedProgress } from '../../../cli/books/import/saved-progress.ts';
import { readHistory } from '../../../packages/history-files/read-history.ts';
import type { HistorySource } from '../../../packages/history-files/history-row.ts';
import { get, settle } from '../../support/api-client.ts';
import { projectPath } from '../../support/project-files.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';

const FILES = projectPath('test/cli/books/history');

describe('reading', () => {
  async function* pieces(text: string | Uint8Array, size: number): AsyncGenerator<Uint8Array> {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const read = (source: HistorySource, text: string | Uint8Array, size = 5) =>
    Array.fromAsync(readHistory(source, pieces(text, size)));
  const OBSERVATION = { id: 'o', startTime: '2026-09-01T10:00:00Z', model: 'm', usageDetails: { input: 1, output: 2 } };

  it('finds the rows of a JSON array, of a document with `data`, and of lines', async () => {
    const call = expect.objectContaining({ kind: 'call', invokedAt: '2026-09-01T10:00:00.000Z' });
    const row = JSON.stringify(OBSERVATION);
    expect(await read('langfuse', `[${row},\n${row}]`)).toEqual([call, call]);
    expect(await read('langfuse', `{"data":[${row}],"meta":{"page":1,"of":[${row}]}}`)).toEqual([call]);
    expect(await read('langfuse', JSON.stringify({ meta: { page: 1 }, data: [OBSERVATION] }, null, 2))).toEqual([call]);
    expect(await read('langfuse', `\ufeff${row}\r\n\r\n${row}`)).toEqual([call, call]);
    expect(await read('langfuse', '')).toEqual([]);
  });

  it('reports unreadable lines, and reads the others', async () => {
    const row = JSON.stringify(OBSERVATION);
    expect((await read('langfuse', `${row}\n{"id":\n5\n${row}\n`)).map(({ kind }) => kind)).toEqual([
      'call',
      'refused',
      'refused',
      'call',
    ]);
    expect(await read('langfuse', `[${row}`)).toEqual([
      expect.objectContaining({ kind: 'call' }),
      { kind: 'refused', reason: 'The file ends in the middle of its JSON' },
    ]);
    expect((await read('litellm', 'a,b\n"x')).at(-1)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('not CSV'),
    });
    expect(await read('openrouter', 'date,model,usage\n2026-09-01,openai/gpt-4o,0.5\n')).toEqual([
      { kind: 'refused', reason: expect.stringContaining('import the file as a bill') },
    ]);
  });

  it('finds a single generation of OpenRouter in its document', async () => {
    const document = { data: { id: 'gen-1', created_at: '2026-09-01T10:00:00Z', native_tokens_prompt: 1 } };
    const call = expect.objectContaining({ kind: 'call', invokedAt: '2026-09-01T10:00:00.000Z' });
    expect(await read('openrouter', JSON.stringify(document))).toEqual([call]);
    expect(await read('openrouter', JSON.stringify(document, null, 2))).toEqual([call]);
  });

  it.each([
    ['2026-09-01 10:00:00.123456', '2026-09-01T10:00:00.123Z'],
    ['2026-09-01T10:00:00', '2026-09-01T10:00:00.000Z'],
    ['2026-09-01T12:00:00+02:00', '2026-09-01T10:00:00.000Z'],
    ['2026-09-01 10:00:00 UTC', '2026-09-01T10:00:00.000Z'],
  ])('reads the time %s as UTC unless it says otherwise', async (startTime, expected) => {
    const [row] = await read('langfuse', JSON.stringify([{ ...OBSERVATION, startTime }]));
    expect(row).toMatchObject({ invokedAt: expected });
  });

  it.each(['2026-02-30', '2026-02-30 10:00:00', '2026-02-30T10:00:00+02:00', '30 Feb 2026', '2026-09-01T25:00'])(
    'refuses the time %s',
    async (startTime) => {
      expect(await read('langfuse', JSON.stringify([{ ...OBSERVATION, startTime }]))).toEqual([
        { kind: 'refused', reason: 'the row has no valid start time' },
      ]);
    },
  );

  it('names the row of a table that is too large', async () => {
    const rows = 'a,2026-09-01,m,5\n'.repeat(9000);
    const text = `id,start_time,model,inputUsage\n${rows}b,2026-09-01,${'m'.repeat(200)},5\nc,2026-09-01,m,5\n`;
    const found = await Array.fromAsync(readHistory('langfuse', pieces(text, 65_536), 100));
    expect(found).toHaveLength(9001);
    expect(found.at(-1)).toEqual({
      kind: 'refused',
      reason: 'The row at line 9002 is longer than 100 bytes; the rest of the file was not read',
    });
  });

  it('refuses a file that is not UTF-8, instead of damaging names', async () => {
    const row = JSON.stringify({ ...OBSERVATION, user_id: 'Müller' });
    const csv = 'id,start_time,model,inputUsage,user_id\no,2026-09-01,m,5,Müller\n';
    for (const text of [row, `[${row}]`, csv]) {
      expect(await read('langfuse', text)).toMatchObject([{ kind: 'call', item: { user_id: 'Müller' } }]);
      const refused = { kind: 'refused', reason: 'The file is not valid UTF-8' };
      expect(await read('langfuse', Buffer.from(text, 'latin1'))).toEqual([refused]);
      const late = Buffer.from(`${text.startsWith('[') ? '' : `${text}\n`.repeat(2000)}${text}`, 'latin1');
      expect((await read('langfuse', late, 1000)).at(-1)).toEqual(refused);
    }
    const lines = `${JSON.stringify(OBSERVATION)}\n`.repeat(2000);
    const rows = await read('langfuse', Buffer.from(`${lines}${row}`, 'latin1'), 1000);
    expect([rows.length > 1000, rows.at(-1)]).toEqual([
      true,
      { kind: 'refused', reason: 'The file is not valid UTF-8' },
    ]);
  });
});

describe('progress', () => {
  const show = (isTerminal: boolean) => {
    const written: string[] = [];
    const write = (text: string) => void written.push(text);
    const progress = importProgress({ draw: isTerminal ? write : null, say: write }, 1_000);
    for (const done of [50, 130, 160, 420, 999, 1_000]) progress.at(done, done * 2);
    progress.end();
    return written;
  };

  it('is one line for each tenth of the file if there is no terminal', () => {
    expect(show(false)).toEqual(['13%  260 rows', '42%  840 rows', '99%  1998 rows']);
  });

  it('is a bar on a terminal, which is removed at the end', () => {
    expect(show(true)).toHaveLength(7);
    expect(show(true).slice(-2)).toEqual([`[${'#'.repeat(30)}] 100%  2000 rows`, '']);
  });
});

describe('importing', () => {
  let service: RunningService;
  let folder: string;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'books-import-'));
    return () => rmSync(folder, { recursive: true });
  });

  function books(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
    const env = {
      ...process.env,
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      BOOKS_API_KEY: service.firstRun.live_ingest_key,
      BOOKS_API_URL: service.url,
    };
    return new Promise((resolve) => {
      execFile(process.execPath, [projectPath('cli/books/main.ts'), 'import', ...words], { env }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  }

  async function totalCost(): Promise<string> {
    await settle(service.url, service.firstRun.operator_token);
    const range = '?start_date=2026-09-01&end_date=2026-10-01';
    return (await get(service.url, `/cost-data/by-provider${range}`, service.firstRun.live_read_key)).body.total_cost;
  }

  /** USD that `act` adds to the books. */
  async function costOf(act: () => Promise<void>): Promise<string> {
    const before = await totalCost();
    await act();
    return plain(money(await totalCost()).minus(money(before)));
  }

  it.each([
    ['openrouter', 'openrouter.csv', 1, '0.0035'],
    ['langfuse', 'langfuse.json', 1, '0.0035'],
    ['helicone', 'helicone.jsonl', 2, '0.007'],
    ['litellm', 'litellm.csv', 1, '0.0035'],
    // gpt-4o-2024-11-20: $2.50 a million input tokens, $10 a million output tokens.
  ] as const)('books the calls of %s at the price of their day, once', async (source, file, calls, cost) => {
    const booked = await costOf(async () => {
      const first = await books(join(FILES, file), '--from', source);
      expect(first).toMatchObject({ code: 0, err: '' });
      expect(first.out).toContain(`Booked: ${calls}\nAlready booked: 0`);
    });
    expect(booked).toBe(cost);
    const again = await costOf(async () => {
      expect((await books(join(FILES, file), '--from', source)).out).toContain(`Booked: 0\nAlready booked: ${calls}`);
    });
    expect(again).toBe('0');
  });

  it.each([
    [
      'langfuse',
      {
        id: 'o-cached',
        startTime: '2026-09-01T10:00:00Z',
        model: 'gpt-4o-2024-11-20',
        usageDetails: { input: 600, input_cached_tokens: 400, output: 100, total: 1100 },
      },
    ],
    [
      'helicone',
      {
        request_id: 'q-cached',
        request_created_at: '2026-09-01T10:00:00Z',
        model: 'gpt-4o-2024-11-20',
        prompt_tokens: 600,
        prompt_cache_read_tokens: 400,
        completion_tokens: 100,
      },
    ],
    // 600 × $2.50, 400 cached × $1.25 and 100 × $10 a million.
  ] as const)('reads cached tokens of %s separately from the input', async (source, row) => {
    const file = join(folder, 'cached.jsonl');
    writeFileSync(file, JSON.stringify(row));
    const booked = await costOf(async () => {
      expect((await books(file, '--from', source)).out).toContain('Booked: 1');
    });
    expect(booked).toBe('0.003');
  });

  it('names the refused rows, and ends with status 1', async () => {
    const { code, out, err } = await books(join(FILES, 'langfuse.jsonl'), '--from', 'langfuse');
    expect(code).toBe(1);
    expect(out).toContain('Booked: 1');
    expect(out).toContain('Refused: 1\n  1: The line is not JSON');
    expect(err).toBe('Refused 1 of 2 rows\n');
  });

  it('skips calls outside the chosen period, and sends nothing in a dry run', async () => {
    const file = join(folder, 'one.json');
    const row = {
      id: 'o-late',
      startTime: '2026-09-05T10:00:00Z',
      model: 'gpt-4o',
      usageDetails: { input: 9, output: 9 },
    };
    writeFileSync(file, JSON.stringify([row]));
    const late = await books(file, '--from', 'langfuse', '--until', '2026-09-05');
    expect(late.out).toContain('Booked: 0');
    expect(late.out).toContain('1: outside the chosen time');
    const dry = await books(file, '--from', 'langfuse', '--dry-run');
    expect(dry.out).toContain('nothing was sent');
    expect((await books(file, '--from', 'langfuse')).out).toContain('Booked: 1');
  });

  it('continues an interrupted import after the last row that the service confirmed', async () => {
    const file = join(folder, 'long.jsonl');
    const rows = Array.from({ length: 700 }, (_, index) => ({
      id: `o-${index}`,
      start_time: '2026-09-01 10:00:00.000000',
      provided_model_name: 'gpt-4o-2024-11-20',
      usage_details: { input: 1000, output: 100, total: 1100 },
    }));
    writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'));
    const login = { api: service.url, key: service.firstRun.live_ingest_key };
    const progress = savedProgress(join(folder, 'books'));
    const options = { source: 'langfuse', path: file, since: null, until: null } as const;
    const calm = { wait: async () => {}, draw: () => {}, say: () => {}, progress };
    const booked = await costOf(async () => {
      // As if the process were killed after the first batch.
      let batches = 0;
      const breaking = {
        ...calm,
        draw() {
          if (++batches === 1) throw new Error('interrupted');
        },
      };
      await expect(importFile({ ...options, login }, breaking)).rejects.toThrow('interrupted');
      // Another key may belong to another organization, which has none of these rows yet.
      const ofOther = { ...options, login: { ...login, key: service.firstRun.test_ingest_key } };
      expect(await importFile(ofOther, calm)).toMatchObject({ resumedAt: 0, counts: { accepted: 700, duplicates: 0 } });
      const { counts, resumedAt } = await importFile({ ...options, login }, calm);
      expect([resumedAt, counts.rows, counts.accepted, counts.duplicates]).toEqual([500, 700, 200, 0]);
    });
    expect(booked).toBe('2.45');
    expect(readdirSync(join(folder, 'books', 'imports'))).toEqual([]);
  });
});
