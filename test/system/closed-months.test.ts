/** Figures of a closed month: every read counts events at their own time, and costs at the time they are booked. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../support/service-with-events.ts';
import { usageEvent } from '../support/usage-event.ts';
import { everywhere, range, readEverything } from '../support/window-figures.ts';

const NOW = new Date();
const first = (monthsAgo: number) => new Date(Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth() - monthsAgo, 1));
const [CLOSED, OPEN, NEXT] = [first(1), first(0), first(-1)];
const LATE = 7;
const PUNCTUAL = 3;

const event = (at: Date) =>
  usageEvent({
    event_invoked_at: at.toISOString(),
    cost_override: '1',
    input_tokens: 10,
    output_tokens: 5,
    user_id: 'ada',
    agent_id: 'support',
    metadata: { team: 'red' },
  });

const REGISTER = `dimensionRegister(input: { key: "team", label: "Team" }) { dimension { key } userErrors { message } }`;
const CLOSE = `costsClose(input: { through: "${CLOSED.toISOString().slice(0, 7)}" }) { closing { closedUntil } userErrors { message } }`;

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents(
    Array.from({ length: PUNCTUAL }, () => event(OPEN)),
    [REGISTER, CLOSE],
  );
  await service.send(Array.from({ length: LATE }, (_, index) => event(new Date(CLOSED.getTime() + index * 3_600_000))));
});
afterAll(() => service.stop());

it('every read of the open month is the same, and has the cost of the late events', async () => {
  expect(await readEverything(service, OPEN, NEXT, 'current-period')).toEqual(everywhere(PUNCTUAL, '10'));
});

it('every read of the closed month is the same, and its cost stays', async () => {
  expect(await readEverything(service, CLOSED, OPEN, 'last-period')).toEqual(everywhere(LATE, '0'));
});

it('the tokens count at the time of their events', async () => {
  const tokens = async (from: Date, until: Date) => {
    const { body } = await service.read(`/cost-data/by-model?${range(from, until)}`);
    return [body.models[0].input_tokens, body.models[0].output_tokens];
  };
  expect([await tokens(CLOSED, OPEN), await tokens(OPEN, NEXT)]).toEqual([
    [10 * LATE, 5 * LATE],
    [10 * PUNCTUAL, 5 * PUNCTUAL],
  ]);
});

it('every read matches the ledger, day by day, and after it is redelivered', async () => {
  const differences = async () => {
    const {
      verificationStart: { operation },
    } = await service.operate('mutation { verificationStart { operation { id } userErrors { message code } } }');
    await vi.waitFor(
      async () => {
        const { attributionOperation } = await service.operate(
          'query ($id: ID!) { attributionOperation(id: $id) { state } }',
          {
            id: operation.id,
          },
        );
        expect(attributionOperation).toMatchObject({ state: 'FINISHED' });
      },
      { ...PATIENCE, interval: 50 },
    );
    return (await service.operate('{ bookDifferences { nodes { day what detail } } }')).bookDifferences.nodes;
  };
  expect(await differences()).toEqual([]);
});

it('every read is the same if the events were received before the month was closed, and priced afterwards', async () => {
  const unpriced = (at: Date) => ({ ...event(at), model: 'late-model', provider: 'acme', cost_override: undefined });
  const late = await serviceWithEvents(
    [
      ...Array.from({ length: PUNCTUAL }, () => unpriced(OPEN)),
      ...Array.from({ length: LATE }, (_, index) => unpriced(new Date(CLOSED.getTime() + index * 3_600_000))),
    ],
    [REGISTER],
  );
  await late.operate(`mutation { ${CLOSE} }`);
  // 1 USD for 10 input tokens.
  await late.operate(
    'mutation { rateSet(input: { model: "late-model", provider: "acme", input: "100000", output: "0" }) { rate { modelSlug } userErrors { message } } }',
  );
  await late.send([]);
  expect(await readEverything(late, OPEN, NEXT, 'current-period')).toEqual(everywhere(PUNCTUAL, '10'));
  expect(await readEverything(late, CLOSED, OPEN, 'last-period')).toEqual(everywhere(LATE, '0'));
});
