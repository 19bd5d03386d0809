/** How the command line sends items: what is tried again, how often, and which item is refused. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { postItems } from '../../../cli/books/post-items.ts';
import { sendResponses } from '../../../cli/books/send-responses.ts';
import { type FailingFront, startFront } from '../../support/failing-front.ts';
import { type RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';

let service: RunningService;
let front: FailingFront;
const waited: number[] = [];
beforeAll(async () => {
  service = await sharedService();
  front = await startFront(service.url);
});
afterAll(async () => {
  await front.stop();
  await service.stop();
});
beforeEach(() => {
  front.faults.length = 0;
  waited.length = 0;
});

const wait = async (seconds: number) => void waited.push(seconds);
const response = (id: string) => ({
  ...{ id, object: 'chat.completion', created: 1_790_000_000, model: 'gpt-4o-2024-08-06' },
  usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
});
const post = (id: string, key = service.firstRun.live_ingest_key) =>
  postItems({ api: front.url, key }, '/ext/v1/provider-responses', [response(id)], wait);

it.each([
  ['503', 503, { 'retry-after': '7' }, 7],
  ['429', 429, {}, 2],
])('items are sent again after %s, four times at most', async (_, status, headers, seconds) => {
  front.faults.push({ times: 4, status, headers, body: '{}' });
  expect(await post(`retried-${status}`)).toMatchObject({ accepted: 1 });
  expect(waited).toEqual([seconds, seconds, seconds, seconds]);
  front.faults.push({ times: 5, status, headers, body: '{"error":"No more"}' });
  await expect(post(`given-up-${status}`)).rejects.toThrow('No more');
  expect(waited).toHaveLength(8);
});

it('items are not sent again after another answer, which is explained', async () => {
  front.faults.push({ times: 1, status: 500, body: '{"error":{"message":"Broken"}}' });
  await expect(post('broken')).rejects.toThrow('Broken');
  await expect(post('unknown', 'sk_live_wrong')).rejects.toThrow('BOOKS_API_KEY must be an active key');
  await expect(post('reader', service.firstRun.live_read_key)).rejects.toThrow('Use a key with the preset');
  expect(waited).toEqual([]);
});

it('responses are sent in batches of a hundred, and a refused one is named by its position among all responses', async () => {
  const responses = [...Array.from({ length: 150 }, (_, index) => response(`batch-${index}`)), { object: 'list' }];
  const login = { api: front.url, key: service.firstRun.live_ingest_key };
  const before = front.requests.length;
  const sent = await sendResponses(login, responses, wait);
  expect(front.requests.slice(before)).toEqual([100, 51]);
  expect(sent).toMatchObject({ accepted: 150, duplicates: 0, failed: 1 });
  expect(sent.errors).toEqual([{ index: 150, message: expect.stringContaining('idempotency_key is required') }]);
});
