/** A provider's cost file is imported on the page, its difference is explained, and a fix is applied. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { post, settle } from '../../support/api-client.ts';
import { signedInMember } from '../../support/member.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';
import { operate } from '../../support/telemetry.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { askAs, signedIn, type Visitor } from '../../support/visitor.ts';

const PAGE = '/books/bills';
const FILE =
  'start_time,end_time,amount_value,amount_currency,line_item,project_id\n' +
  '1791331200,1791417600,0.15,usd,"gpt-4o-mini, input",proj_a\n' +
  '1791331200,1791417600,0.3,usd,"gpt-4o-mini, input",proj_b\n';

let service: SharedService;
let owner: Visitor;
beforeAll(async () => {
  service = await sharedService();
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

it('the bills page imports a file, names the project that does not report, previews and applies the fix', async () => {
  const { html: empty } = await owner.get(PAGE);
  const finance = await signedInMember(service, 'finance');
  expect((await finance.get(PAGE)).html).toContain('No bills have been imported yet.');
  expect(empty).toContain('<input type="file" name="file" required>');
  const imported = await owner.upload(PAGE, `${PAGE}/import`, new File([FILE], 'costs.csv', { type: 'text/csv' }));
  expect(imported.status).toBe(303);
  expect(imported.location).toBe('/books/bills?month=2026-10&done=bill-imported');

  const { html } = await owner.get(`${PAGE}?month=2026-10`);
  expect(html).toContain('<th scope="row"><time datetime="2026-10-07">7 Oct 2026</time></th>');
  expect(html).toContain('silent scope <data value="0.3">0.30</data>');
  expect(html).toContain('<code>project:proj_b</code>: <data value="0.3">0.30</data> USD, no usage reported on 1 day');

  const link = /href="(\/books\/bills\/difference\?[^"]+)"/.exec(html)![1]!.replaceAll('&amp;', '&');
  const { html: difference } = await owner.get(link);
  expect(difference).toContain('Mark project:proj_b as not tracked');
  const preview = await owner.submit(link, `${PAGE}/difference/preview`);
  expect(preview.html).toContain(
    'The difference is <data value="0.3">0.30</data>. This explains <data value="0.3">0.30</data> of it and leaves <data value="0">0.00</data>.',
  );
  const applied = await owner.answer(preview, `${PAGE}/difference/apply`);
  expect(applied.status).toBe(303);
  const { html: after } = await owner.get(`${PAGE}?month=2026-10`);
  expect(after).toContain('not tracked <data value="0.3">0.30</data>');
  expect(after).not.toContain('silent scope');

  expect(after).toContain('</a>: not tracked</li>');
  const { html: repaired } = await owner.get(link);
  expect(repaired).toContain('Not tracked on ');
  expect((await owner.submit(link, `${PAGE}/difference/revert`)).location).toContain('done=bill-fix-reverted');
  expect((await owner.get(`${PAGE}?month=2026-10`)).html).toContain('silent scope <data value="0.3">0.30</data>');
});

it('the bills page books costs without usage events, and shows them among the fixed costs', async () => {
  const text =
    'start_time,end_time,amount_value,amount_currency,line_item,project_id\n' +
    '1791417600,1791504000,2.5,usd,vector store storage,proj_a\n';
  await owner.upload(PAGE, `${PAGE}/import`, new File([text], 'storage.csv', { type: 'text/csv' }));
  const { html } = await owner.get(`${PAGE}?month=2026-10`);
  const links = [...html.matchAll(/href="(\/books\/bills\/difference\?[^"]+)"/g)].map(([, link]) =>
    link!.replaceAll('&amp;', '&'),
  );
  const link = links.find((one) => one.includes('day=2026-10-08'))!;
  const note = 'Vector stores of October';
  const preview = await owner.submit(link, `${PAGE}/difference/preview`, { note });
  expect(preview.html).toContain(
    'The difference is <data value="2.5">2.50</data>. This explains <data value="2.5">2.50</data> of it and leaves <data value="0">0.00</data>.',
  );
  await owner.answer(preview, `${PAGE}/difference/apply`);
  const costs = '/costs/fixed?from=2026-10-01&to=2026-10-31';
  const { html: shown } = await owner.get(costs);
  expect(shown).toContain('<h2 id="adjustments">Adjustments without a customer</h2>');
  expect(shown).toMatch(
    new RegExp(
      `<td class="name" data-label="Provider and model">openai</td><td class="name" data-label="Note">${note}</td><td class="number" data-label="Amount">.*2\\.50`,
    ),
  );
  await owner.submit(link, `${PAGE}/difference/revert`);
  const { html: reverted } = await owner.get(costs);
  expect(reverted).toContain(`Reverted: ${note}`);
});

it('the bills page sets the hours after which a day is final', async () => {
  const { html } = await owner.get(PAGE);
  expect(html).toContain('name="settleHours" value="12"');
  const saved = await owner.submit(PAGE, `${PAGE}/settle`, { settleHours: '48' });
  expect([saved.status, saved.location]).toEqual([303, `${PAGE}?done=bill-hours-saved`]);
  expect((await owner.get(PAGE)).html).toContain('name="settleHours" value="48"');
  expect((await owner.submit(PAGE, `${PAGE}/settle`, { settleHours: '9999' })).html).toContain('from 0 to 2160');
});

it("the bills page stores an admin key only with the owner's password, and never shows it", async () => {
  // The service requests the bill from itself, not from a provider.
  await operate(
    service,
    `mutation { billConnectionSave(input: { source: "openai.costs", key: "first-key-0000", apiBase: "${service.url}" }) { userErrors { message } } }`,
  );
  const key = 'sk-admin-of-nobody-1234';
  const given = { source: 'openai.costs', key };
  const refused = await owner.submit(PAGE, `${PAGE}/key`, { ...given, ownPassword: 'wrong password' });
  expect([refused.status, refused.html]).toEqual([400, expect.stringContaining('Your own password is wrong')]);
  expect(refused.html).not.toContain(key);
  const { location } = await owner.submit(PAGE, `${PAGE}/key`, {
    ...given,
    ownPassword: service.firstRun.owner_password,
  });
  expect(location).toBe(`${PAGE}?done=bill-key-saved`);
  const { html } = await owner.get(PAGE);
  expect(html).toContain('key …1234');
  expect(html).not.toContain(key);
});

it('the bills page refuses a day that does not exist', async () => {
  const { status, html } = await owner.get(`${PAGE}/difference?connection=${randomUUID()}&day=2026-13-45`);
  expect([status, html]).toEqual([400, expect.stringContaining('Choose a day')]);
});

it('the bills page says why a file is refused', async () => {
  const refused = await owner.upload(PAGE, `${PAGE}/import`, new File(['hello,world\n1,2\n'], 'x.csv'));
  expect([refused.status, refused.html]).toEqual([400, expect.stringContaining('columns match no known format')]);
});

it("the bills page deletes bills only with the owner's password", async () => {
  const { data } = await askAs(owner, '{ billConnections { id } }');
  const [{ id }] = data.billConnections;
  const remove = (ownPassword?: string) =>
    askAs(
      owner,
      `mutation ($input: BillConnectionDeleteInput!) { billConnectionDelete(input: $input) {
        billConnection { id } userErrors { message code } } }`,
      { input: { id, ownPassword } },
    );
  const { errors } = await remove();
  expect(errors).toMatchObject([{ path: ['billConnectionDelete'], extensions: { code: 'FORBIDDEN' } }]);
  expect((await remove(service.firstRun.owner_password)).data.billConnectionDelete).toEqual({
    billConnection: { id },
    userErrors: [],
  });
});
