import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as ingestion from '../../rest-adapter/parse-ingestion-body.ts';
import { parseExactJson, printExactJson } from '#kernel/json/exact-json.ts';
import { unreadableReason } from '#schema/unreadable-event.ts';
import { countTurns } from '../support/count-turns.ts';

const parseBatch = (text: string) => ingestion.parseBatch(Buffer.from(text));
const parseEvent = (text: string) => ingestion.parseEvent(Buffer.from(text));

/** A hundred events of 28 KB with numbers that a double cannot represent. */
const COSTLY = JSON.stringify(
  Array.from({ length: 100 }, (_, index) => ({ idempotency_key: `k${index}`, metadata: 0 })),
).replaceAll(
  '"metadata":0',
  `"metadata":{"numbers":[${Array.from({ length: 1_200 }, () => '0.1234567890123456789').join(',')}]}`,
);

it('`null` is neither an event nor a batch', async () => {
  expect(unreadableReason((await parseEvent('null')) as Record<string, unknown>)).toBe(
    'A usage event must be a JSON object',
  );
  expect(await parseBatch('null')).toEqual({});
});

describe('a batch', () => {
  it('is parsed one event at a time while others are served', async () => {
    const { turns, result } = await countTurns(() => parseBatch(COSTLY));
    expect(turns).toBeGreaterThan(5);
    expect(printExactJson(result)).toBe(COSTLY);
  });

  it('a batch with more events than allowed is refused before any of them is parsed', async () => {
    await expect(parseBatch(`[${'nonsense,'.repeat(100)}nonsense]`)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('101'),
    });
  });

  it('contains a reason instead of an event that is too expensive to parse', async () => {
    const deep = '['.repeat(2_000) + ']'.repeat(2_000);
    const events = (await parseBatch(`[{},{"a":"${'x'.repeat(300_000)}"},${deep}]`)) as Record<string, unknown>[];
    expect(events.map(unreadableReason)).toEqual([
      null,
      expect.stringContaining('larger than 256 KiB'),
      expect.stringContaining('nested deeper'),
    ]);
    expect(unreadableReason((await parseEvent(deep)) as Record<string, unknown>)).toContain('nested deeper');
  });

  it.each(['[1,]', '[,1]', '[', '[1', '[1]]', '[1}', '[{]', '[1] 2', '[}', '["]', '[1 2]', 'nul', ''])(
    'a batch that is not JSON is refused: %s',
    async (text) => {
      await expect(parseBatch(text)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    },
  );

  it('gives the same events as when its whole text is parsed in one step, however it is written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 100 }),
        fc.constantFrom(0, 2),
        async (items, indent) => {
          const text = JSON.stringify(items, null, indent);
          expect(await parseBatch(text)).toEqual(parseExactJson(text));
        },
      ),
      { numRuns: 300 },
    );
  });
});
