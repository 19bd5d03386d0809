import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql } from '../../support/api-client.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

let service: ServiceWithEvents;
let person: Visitor;
beforeAll(async () => {
  service = await serviceWithEvents([]);
  person = await signedIn(service.url, service.firstRun);
});
afterAll(() => service.stop());

const WINDOW = 'window=90-days';

describe('an empty organization', () => {
  it('shows that there is nothing to simulate', async () => {
    const { status, html } = await person.get('/what-if');
    expect([status, html]).toEqual([200, expect.stringContaining('No costs in this period')]);
    expect((await person.get('/what-if/plan?flat=20')).html).toContain('No customer had revenue in this period');
  });
});

describe('with costs', () => {
  beforeAll(() =>
    service.send([
      usageEvent({ user_id: 'ada & co', input_tokens: 1_000_000, output_tokens: 0 }),
      usageEvent({ user_id: 'ben', input_tokens: 400_000, output_tokens: 0 }),
      usageEvent({ user_id: 'ben', cost_override: '7' }),
    ]),
  );

  it('offers a cheaper model and break-even prices before anything is typed', async () => {
    const { html } = await person.get(`/what-if?${WINDOW}`);
    expect(html).toContain(`<a href="/what-if?${WINDOW}&amp;model=gpt-4o&amp;by=gpt-4o-mini">gpt-4o-mini`);
    expect(html).toContain(`<li><a href="/what-if/plan">Plans</a></li>`);
    // The service lists no paying customer.
    const plan = await person.get(`/what-if/plan?${WINDOW}`);
    expect(plan.html).toContain(
      `<a href="/what-if/plan?${WINDOW}&amp;customers=all">Include customers without revenue`,
    );
    const all = await person.get(`/what-if/plan?${WINDOW}&customers=all`);
    expect(all.html).toContain('Break-even price: every customer');
    expect(all.html).not.toContain('Become unprofitable');
  });

  it('accepts typed dates, and its form keeps them', async () => {
    const [from, to] = ['2026-01-01', new Date().toISOString().slice(0, 10)];
    for (const path of ['/what-if', '/what-if/plan']) {
      const { html } = await person.get(`${path}?from=${from}&to=${to}&flat=20&model=gpt-4o&by=gpt-4o-mini`);
      expect(html).toContain(`<input type="hidden" name="from" value="${from}">`);
      expect(html).toContain(`<input type="hidden" name="to" value="${to}">`);
      expect(html).not.toMatch(/href="[^"]*window=30d[^"]*from=/);
    }
    const early = await person.get('/what-if?from=2026-01-01&to=2026-01-02');
    expect(early.html).toContain('No costs in this period');
  });

  it('shows before and after by customer, and events that are not simulated; the numbers are those of the graph', async () => {
    const { status, html } = await person.get(`/what-if?${WINDOW}&model=gpt-4o&by=gpt-4o-mini`);
    expect(status).toBe(200);
    expect(html).toContain('<option value="gpt-4o" selected>gpt-4o</option>');
    expect(html).toContain('1 event of gpt-4o not recalculated: $7.00');
    // 1.4 million tokens at 2.50, and at 0.15.
    expect(html).toContain('<p class="figure">$10.50</p>');
    expect(html).toContain('<p class="figure">$7.21</p>');
    expect(html).toMatch(
      /<th scope="row" class="name"><a href="\/customers\/[0-9a-f-]{36}">ada &amp; co<\/a><\/th><td class="number"[^>]*>\$2\.50<\/td>\s+<td class="number"[^>]*>\$0\.15/,
    );
    expect(html).toContain('<title>ada &amp; co: −$2.35</title>');
    const { body } = await graphql(
      service.url,
      service.firstRun.live_read_key,
      '{ window(named: LAST_90_DAYS) { simulateCosts(changes: [{ replace: { model: "gpt-4o", byModel: "gpt-4o-mini" } }]) { total { after { expected } } } } }',
    );
    expect(body.data.window.simulateCosts.total.after.expected).toBe('7.21');
  });

  it('exports the whole list as CSV, with every digit and without formulas', async () => {
    await service.send([usageEvent({ user_id: '=cmd', input_tokens: 1, output_tokens: 0 })]);
    const query = `${WINDOW}&model=gpt-4o&by=gpt-4o-mini`;
    expect((await person.get(`/what-if?${query}`)).html).toContain(
      `href="/what-if.csv?${query.replaceAll('&', '&amp;')}" download`,
    );
    const { html, headers } = await person.get(`/what-if.csv?${query}`);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [header, ...rows] = html.trimEnd().split('\r\n');
    expect(header).toBe(
      'customer,before_usd,after_low_usd,after_expected_usd,after_high_usd,difference_low_usd,difference_expected_usd,difference_high_usd,percent',
    );
    expect(rows).toEqual([
      'ada & co,2.5,0.15,0.15,0.15,-2.35,-2.35,-2.35,-94',
      'ben,8,7.06,7.06,7.06,-0.94,-0.94,-0.94,-11.75',
      "'=cmd,0.0000025,0.00000015,0.00000015,0.00000015,-0.00000235,-0.00000235,-0.00000235,-94",
    ]);
    expect((await person.get(`/what-if.csv?${WINDOW}&by=gpt-4o-mini`)).status).toBe(400);
    expect((await person.get(`/what-if.csv?${WINDOW}`)).status).toBe(400);
  });

  it('shows a range if models count tokens differently, and says why', async () => {
    const { html } = await person.get(`/what-if?${WINDOW}&model=gpt-4o&by=claude-sonnet-4-5`);
    expect(html).toContain('Why results are ranges');
    expect(html).toMatch(/The same text has 1\.00 to 1\.30 times as many tokens/);
  });

  it('shows shares and another rate, and keeps what was typed', async () => {
    const { html } = await person.get(`/what-if?${WINDOW}&batch=100&rateModel=gpt-4o&class=input&amount=2`);
    expect(html).toContain('<input name="batch" value="100"');
    expect(html).toContain('<details open><summary>Custom price</summary>');
    const { html: half } = await person.get(`/what-if?${WINDOW}&model=gpt-4o&cached=50`);
    // Half of 1.4 million tokens at 1.25 instead of 2.50.
    expect(half).toContain('<p class="figure">$9.63</p>');
  });

  it.each([
    ['by=gpt-4o-mini', 'Choose the model to replace'],
    ['model=gpt-4o&by=nothing-of-the-kind', 'No rate card prices nothing-of-the-kind'],
    ['batch=150', 'Enter a share from 0 to 100 percent'],
    ['rateModel=gpt-4o', 'A custom price requires a model and an amount'],
    ['rateModel=gpt-4o&amount=x', 'Enter a rate in dollars'],
  ])('reports on the page what is wrong with %s', async (query, message) => {
    const { status, html } = await person.get(`/what-if?${WINDOW}&${query}`);
    expect([status, html]).toEqual([400, expect.stringContaining(`role="alert" id="error">${message}`)]);
  });

  it('shows what a plan would earn and its break-even price', async () => {
    const { status, html } = await person.get(`/what-if/plan?${WINDOW}&flat=20&customers=all`);
    expect(status).toBe(200);
    expect(html).toContain('becomes profitable');
    expect(html).toContain('Break-even price: all customers together');
    const prices = [...html.matchAll(/href="([^"]*flat=([\d.]+)[^"]*)">try this price/g)];
    expect(prices).toHaveLength(3);
    for (const [, path = '', price = ''] of prices) {
      expect(html).toContain(`<p class="figure">$${Number(price).toFixed(2)}</p>`);
      expect(price).toMatch(/^\d+(\.\d\d?)?$/);
      expect((await person.get(path.replaceAll('&amp;', '&'))).status).toBe(200);
    }
    // At the price for every customer, nobody loses money.
    const everyone = await person.get(`/what-if/plan?${WINDOW}&flat=${prices[2]![2]}&customers=all`);
    expect(everyone.html).not.toContain('<data value="-');
    expect(everyone.html).toMatch(/Become unprofitable<\/[^>]*>\s*<p class="figure">0</);
    const { html: turned } = await person.get(
      `/what-if/plan?${WINDOW}&flat=20&customers=all&turned=BECAME_UNPROFITABLE`,
    );
    expect(turned).toContain('0 of 0 customers');
    expect(html).toContain('/what-if/plan.csv?window=90-days&amp;flat=20&amp;customers=all" download');
    const csv = await person.get(`/what-if/plan.csv?${WINDOW}&flat=20&customers=all`);
    const [header = '', ...rows] = csv.html.trimEnd().split('\r\n');
    const column = header.split(',').indexOf('cost_usd');
    expect(rows.map((row) => [row.split(',')[0], row.split(',')[column]])).toEqual([
      ['ben', '8'],
      ['ada & co', '2.5'],
      ["'=cmd", '0.0000025'],
    ]);
    expect((await person.get(`/what-if/plan.csv?${WINDOW}&flat=x`)).status).toBe(400);
  });

  it.each([
    ['flat=x', 'Enter a price in dollars'],
    ['flat=5&events=10', 'Included events require a price'],
    ['flat=5&events=1.5&overage=1', 'Included events must be a whole number'],
  ])('reports on the page what is wrong with the plan %s', async (query, message) => {
    const { status, html } = await person.get(`/what-if/plan?${WINDOW}&${query}`);
    expect([status, html]).toEqual([400, expect.stringContaining(message)]);
  });
});
