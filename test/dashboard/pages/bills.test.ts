/** A provider's cost file is imported on the page, its difference is explained, and a fix is applied. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { post, settle } from '../../support/api-client.ts';
import { runningService, type RunningService } from '../../support/running-service.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

const PAGE = '/books/bills';
const FILE =
  'start_time,end_time,amount_value,amount_currency,line_item,project_id\n' +
  '1791331200,1791417600,0.15,usd,"gpt-4o-mini, input",proj_a\n' +
  '1791331200,1791417600,0.3,usd,"gpt-4o-mini, input",proj_b\n';

let service: RunningService;
let owner: Visitor;
beforeAll(async () => {
  service = await runningService();
  owner = await signedIn(service.url, service.firstRun);
  const event = {
    model: 'gpt-4o-mini',
    input_tokens: 1_000_000,
    output_tokens: 0,
    event_invoked_at: '2026-10-07T10:00:00Z',
  };
  await post(service.url, '/usage-events', service.firstRun.live_ingest_key, usageEvent(event));
  await settle(service.url, service.firstRun.operator_token);
});
afterAll(() => service.stop());

it('imports a file, names who does not report, previews and applies the fix', async () => {
  const { html: empty } = await owner.get(PAGE);
  expect(empty).toContain('<input type="file" name="file" required>');
  const imported = await owner.upload(PAGE, `${PAGE}/import`, new File([FILE], 'costs.csv', { type: 'text/csv' }));
  expect(imported.status).toBe(303);
  expect(imported.location).toBe('/books/bills?month=2026-10&done=bill-imported');

  const { html } = await owner.get(`${PAGE}?month=2026-10`);
  expect(html).toContain('<th scope="row">2026-10-07</th>');
  expect(html).toContain('silent scope 0.3');
  expect(html).toContain('<code>project:proj_b</code>: 0.3 USD, silent on 1 day');

  const link = /href="(\/books\/bills\/difference\?[^"]+)"/.exec(html)![1]!.replaceAll('&amp;', '&');
  const { html: difference } = await owner.get(link);
  expect(difference).toContain('Mark project:proj_b as not tracked');
  const preview = await owner.submit(link, `${PAGE}/difference/preview`);
  expect(preview.html).toContain('The difference is 0.3. This explains 0.3 of it and leaves 0.');
  const applied = await owner.answer(preview, `${PAGE}/difference/apply`);
  expect(applied.status).toBe(303);
  const { html: after } = await owner.get(`${PAGE}?month=2026-10`);
  expect(after).toContain('not tracked 0.3');
  expect(after).not.toContain('silent scope');
});

it('refuses a day that does not exist', async () => {
  const { status, html } = await owner.get(`${PAGE}/difference?connection=${randomUUID()}&day=2026-13-45`);
  expect([status, html]).toEqual([400, expect.stringContaining('Choose a day')]);
});

it('says why a file is refused', async () => {
  const refused = await owner.upload(PAGE, `${PAGE}/import`, new File(['hello,world\n1,2\n'], 'x.csv'));
  expect([refused.status, refused.html]).toEqual([400, expect.stringContaining('columns match no known format')]);
});
