/** `/outcomes`: the value of tasks is compared only with the cost of tasks that have one. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { post, postSignedExt, settle } from '../../support/api-client.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

let service: SharedService;
let owner: Visitor;
beforeAll(async () => {
  service = await sharedService();
  owner = await signedIn(service.url, service.firstRun);
  const { live_ingest_key: key, operator_token: operator } = service.firstRun;
  await post(service.url, '/usage-events/batch', key, [
    usageEvent({ session_id: 'report', agent_id: 'writer', cost_override: '40' }),
    usageEvent({ session_id: 'ticket', agent_id: 'helper', cost_override: '2' }),
  ]);
  await settle(service.url, operator);
  const at = new Date().toISOString();
  const sent = await postSignedExt(service.url, '/outcomes', key, [
    { key: 'r', name: 'report_written', session_id: 'report', succeeded: true, at },
    { key: 't', name: 'ticket_resolved', session_id: 'ticket', succeeded: true, at, value: '5', currency: 'USD' },
  ]);
  expect(sent.body).toMatchObject({ accepted: 2 });
});
afterAll(() => service.stop());

it.each(['name', 'agent'])('the rows by %s add up, and a task without a value is not a loss', async (group) => {
  const { html } = await owner.get(`/outcomes?window=7d&group=${group}`);
  const [, total = ''] = /<tfoot>([^]*?)<\/tfoot>/.exec(html) ?? [];
  expect(total).toContain('data-label="Cost"><data value="42">$42.00</data>');
  // $5 − $2: the report has no value to compare its $40 with.
  expect(total).toContain('data-label="Value minus cost"><data value="3">$3.00</data>');
  expect(total).not.toContain('loss');
});

it('the outcomes page shows a value in USD like all amounts', async () => {
  const { html } = await owner.get('/outcomes?window=7d');
  expect(html).toContain('data-label="Value"><data value="5">$5.00</data></td>');
});
