/** `books outcomes`, for people and for scripts. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runBooks } from '../../../cli/books/run-books.ts';
import { postSignedExt } from '../../support/api-client.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

const AT = '2026-01-15T10:00:00Z';
let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents([
    usageEvent({ cost_override: '0.04', event_invoked_at: AT, agent_id: 'support', session_id: 's' }),
  ]);
  const outcome = { key: 'k', name: 'ticket_resolved', session_id: 's', at: AT, succeeded: true };
  const { status } = await postSignedExt(service.url, '/outcomes', service.firstRun.live_ingest_key, [outcome]);
  expect(status).toBe(202);
});
afterAll(() => service.stop());

const books = async (...words: string[]) => {
  const written = { out: '', err: '' };
  const into = (stream: keyof typeof written) => ({ write: (text: string) => (written[stream] += text) });
  const terminal = { stdout: into('out'), stderr: into('err'), readInput: async () => '' };
  const environment = { BOOKS_API_KEY: service.firstRun.live_read_key, BOOKS_API_URL: service.url };
  const code = await runBooks(['outcomes', '--start', '2026-01-01', '--end', '2026-02-01', ...words], terminal, {
    ...environment,
    HOME: service.dataDirectory,
  });
  return { code, ...written };
};

it('`outcomes` prints cost per completed task, as a table, CSV or the API response', async () => {
  const { code, out } = await books('--by', 'agent');
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/Completed\s+1 of 1[\s\S]*support\s+1\s+1\s+0\.0400\s+0\.0400/),
  ]);
  expect((await books('--csv')).out).toContain('ticket_resolved,1,1,0.04,0.04,0');
  expect(JSON.parse((await books('--json')).out).outcomes.total).toMatchObject({ succeeded: 1, cost: '0.04' });
  expect(await books('--by', 'color')).toMatchObject({ code: 2, err: expect.stringContaining('--by must be one of') });
});
