/** `books savings`, for people and for scripts. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runBooks } from '../../../cli/books/run-books.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

let service: ServiceWithEvents;
beforeAll(async () => {
  const call = { model: 'gpt-4o', provider: 'openai', cost_override: '0.5', event_invoked_at: '2026-01-15T10:00:00Z' };
  service = await serviceWithEvents([usageEvent(call)]);
});
afterAll(() => service.stop());

const books = async (...words: string[]) => {
  let out = '';
  const terminal = {
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: () => true },
    readInput: async () => '',
  };
  const environment = { BOOKS_API_KEY: service.firstRun.live_read_key, BOOKS_API_URL: service.url };
  const period = ['--start', '2026-01-01', '--end', '2026-02-01'];
  const code = await runBooks(['savings', ...period, ...words], terminal, {
    ...environment,
    HOME: service.dataDirectory,
  });
  return { code, out };
};

it('prints list and contracted costs by agreement', async () => {
  expect(await books()).toEqual({ code: 0, out: expect.stringMatching(/At list prices\s+0\.5[\s\S]*openai\s+none/) });
  expect((await books('--csv')).out).toContain('openai,none,0.5,0.5,0');
});
