import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql, postExt } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { PATIENCE } from '../../support/patience.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn } from '../../support/visitor.ts';

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents([
    usageEvent({
      model: 'gpt-4o',
      provider: 'openai',
      cost_override: '2.5',
      event_invoked_at: '2026-01-15T10:00:00Z',
    }),
  ]);
});
afterAll(() => service.stop());
const send = (body: unknown = {}, key: string | null = service.firstRun.live_read_key) =>
  postExt(service.url, '/commitments', key, body);

const typed = {
  id: '',
  name: 'Enterprise <2026>',
  provider: 'OpenAI',
  amount: '10',
  period: 'MONTH',
  models: 'gpt-*',
  from: '2026-01-01',
  until: '2026-02-01',
};
const period = {
  from: '2026-01-01',
  until: '2026-02-01',
  spent: '2.5',
  left: '0',
  shortfall: '7.5',
  fulfilled_on: null,
  forecast: null,
};

describe('200', () => {
  it('shows a commitment that was entered and changed on the page, and its shortfall as a cost of the company', async () => {
    expect((await send()).body).toEqual({ commitments: [] });
    const person = await signedIn(service.url, service.firstRun);
    const page = await person.get('/rates/commitments');
    expect(page.html).toContain('No commitments');
    const shown = await person.answer(page, '/rates/commitments/preview', typed);
    expect(shown.html).toMatch(/Enterprise &lt;2026&gt;[^]*<data value="2.5">[^]*<data value="7.5">/);
    expect((await send()).body).toEqual({ commitments: [] });
    expect((await person.answer(shown, '/rates/commitments', typed)).location).toBe(
      '/rates/commitments?done=commitment-saved',
    );
    await expect
      .poll(async () => (await send()).body.commitments, PATIENCE)
      .toEqual([
        {
          id: expect.any(String),
          name: 'Enterprise <2026>',
          provider: 'openai',
          models: ['gpt-*'],
          amount: '10',
          currency: 'USD',
          period: 'MONTH',
          from: '2026-01-01',
          until: '2026-02-01',
          current: null,
          periods: [period],
        },
      ]);
    const { body } = await graphql(
      service.url,
      service.firstRun.live_read_key,
      `{ window(start: "2026-01-01", end: "2026-02-01") {
           shortfalls { total lines { kind name amount } }
           margin { total { totalCost } }
           marginAfterFixedCosts { modelCost fixedCost shortfallCost marginAmount }
         } }`,
    );
    expect(body.data.window).toEqual({
      shortfalls: { total: '7.5', lines: [{ kind: 'COMMITMENT', name: 'Enterprise <2026>', amount: '7.5' }] },
      margin: { total: { totalCost: '2.5' } },
      marginAfterFixedCosts: { modelCost: '2.5', fixedCost: '0', shortfallCost: '7.5', marginAmount: '-10' },
    });
    const fixed = await person.get('/costs/fixed?from=2026-01-01&to=2026-01-31');
    expect(fixed.html).toMatch(/Paid but not used[^]*Enterprise &lt;2026&gt;[^]*<data value="7.5">/);
    const [{ id }] = (await send()).body.commitments;
    const edited = await person.get(`/rates/commitments?edit=${id}`);
    expect(edited.html).toMatch(/name="id" value="[^"]+"[^]*Enterprise &lt;2026&gt;[^]*value="gpt-\*"/);
    const smaller = { ...typed, id, amount: '2.5' };
    const proposed = await person.answer(edited, '/rates/commitments/preview', smaller);
    expect(proposed.html).toContain('Fulfilled on <time datetime="2026-01-15">15 Jan 2026</time>');
    const saved = await person.answer(proposed, '/rates/commitments', smaller);
    expect(saved.location).toBe('/rates/commitments?done=commitment-saved');
    await expect
      .poll(async () => (await send()).body.commitments[0].periods, PATIENCE)
      .toEqual([{ ...period, shortfall: '0', fulfilled_on: '2026-01-15' }]);
    const after = await person.get('/rates/commitments');
    expect(after.html).toContain('Fulfilled on <time datetime="2026-01-15">15 Jan 2026</time>');
    const refused = await person.answer(after, '/rates/commitments/preview', { ...typed, until: '2026-01-20' });
    expect([refused.status, refused.html]).toEqual([
      400,
      expect.stringContaining('until must be the end of a period, such as 2026-01-01 or 2026-02-01'),
    ]);
    expect((await person.answer(after, '/rates/commitments/remove', { id })).location).toBe(
      '/rates/commitments?done=commitment-removed',
    );
    expect((await send()).body).toEqual({ commitments: [] });
  });

  it('reverts the shortfall of a commitment at once when it is removed', async () => {
    const shortfall = async () => {
      const document = '{ window(start: "2026-01-01", end: "2026-02-01") { shortfalls { total } } }';
      return (await graphql(service.url, service.firstRun.live_read_key, document)).body.data.window.shortfalls.total;
    };
    const person = await signedIn(service.url, service.firstRun);
    const shown = await person.submit('/rates/commitments', '/rates/commitments/preview', typed);
    await person.answer(shown, '/rates/commitments');
    await expect.poll(shortfall, PATIENCE).toBe('7.5');
    const [{ id }] = (await send()).body.commitments;
    await person.submit('/rates/commitments', '/rates/commitments/remove', { id });
    // By itself, the job looks for work only every five minutes.
    await expect.poll(shortfall, PATIENCE).toBe('0');
  });
});

describe('400', () => {
  it('to an unknown member', async () => {
    expectEnvelope(await send({ color: 'red' }), 400, 'VALIDATION_ERROR', /color/);
  });
});

describe('401', () => {
  it('without a key', async () => {
    expectEnvelope(await send({}, null), 401, 'UNAUTHORIZED');
  });
});
