/**
 * A later and larger report of a call in a closed month: its difference is booked in the open month, its tokens count at
 * the event's own time.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postSignedExt, settle } from '../support/api-client.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../support/service-with-events.ts';
import { everywhere, range, readEverything } from '../support/window-figures.ts';

const NOW = new Date();
const first = (monthsAgo: number) => new Date(Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth() - monthsAgo, 1));
const [CLOSED, OPEN, NEXT] = [first(1), first(0), first(-1)];

/** A message as a coding agent writes it to its transcript while streaming. */
const report = (output: number) => ({
  user_id: 'ada',
  agent_id: 'support',
  metadata: { team: 'red' },
  event_invoked_at: CLOSED.toISOString(),
  response: {
    id: 'msg_closed_1',
    type: 'message',
    model: 'claude-sonnet-4-6',
    usage: { input_tokens: 1_000, output_tokens: output, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  },
});

let service: ServiceWithEvents;
async function send(output: number): Promise<void> {
  const { live_ingest_key: key, operator_token: operator } = service.firstRun;
  const { status, body } = await postSignedExt(service.url, '/provider-responses', key, report(output));
  expect({ status, failed: body.failed }).toEqual({ status: 202, failed: 0 });
  await settle(service.url, operator);
}

beforeAll(async () => {
  service = await serviceWithEvents(
    [],
    [`dimensionRegister(input: { key: "team", label: "Team" }) { dimension { key } userErrors { message } }`],
  );
  await send(1);
  await service.operate(
    `mutation { costsClose(input: { through: "${CLOSED.toISOString().slice(0, 7)}" }) { closing { closedUntil } userErrors { message } } }`,
  );
  await send(260);
});
afterAll(() => service.stop());

// Claude Sonnet 4.6: 3 USD a million for input and 15 for output.
it('every read keeps the count and cost of the closed month', async () => {
  expect(await readEverything(service, CLOSED, OPEN, 'last-period')).toEqual(everywhere(1, '0.003015'));
});

it('every read has the difference in the open month, without an event', async () => {
  expect(await readEverything(service, OPEN, NEXT, 'current-period')).toEqual(everywhere(0, '0.003885'));
});

it('every read counts the tokens of the larger report at the time of the event', async () => {
  const tokens = async (from: Date, until: Date) => {
    const { body } = await service.read(`/cost-data/by-model?${range(from, until)}`);
    return [body.models[0].input_tokens, body.models[0].output_tokens];
  };
  expect([await tokens(CLOSED, OPEN), await tokens(OPEN, NEXT)]).toEqual([
    [1_000, 260],
    [0, 0],
  ]);
});
