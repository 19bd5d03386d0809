/** `/audit-log`: who did what, by name, and only for owners. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signedInMember } from '../../support/member.ts';
import { operate } from '../../support/telemetry.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

let service: SharedService;
let owner: Visitor;
beforeAll(async () => {
  service = await sharedService();
  owner = await signedIn(service.url, service.firstRun);
});
afterAll(() => service.stop());

it('the audit log page names the person who acted', async () => {
  await signedInMember(service);
  const { html } = await owner.get('/audit-log');
  expect(html).toMatch(/<td data-label="By">Session <br><span class="muted id">member-\d+@example\.com<\/span>/);
  expect(html).toContain('<span class="muted id">you</span>');
});

it('the audit log page lists the newest records first, fifty on a page, each once', async () => {
  const saved = (from: number) =>
    Array.from(
      { length: 20 },
      (_, index) =>
        `v${index}: savedViewAdd(input: { name: "${from + index}", path: "/", isShared: true }) { savedView { id } }`,
    ).join(' ');
  const ids: string[] = [];
  for (const from of [0, 20, 40]) {
    const added = await operate(service, `mutation { ${saved(from)} }`);
    ids.push(...Object.values<any>(added).map(({ savedView }) => savedView.id));
  }
  const shown: string[] = [];
  for (let path: string | undefined = '/audit-log'; path !== undefined;) {
    const { html } = await owner.get(path);
    const rows = [...html.matchAll(/<tr><td>.*?<\/tr>/gs)].map(([row]) => row);
    path = /href="(\/audit-log\?after=[^"]+)">Older/.exec(html)?.[1]?.replaceAll('&amp;', '&');
    expect(rows.length).toBe(path === undefined ? Math.min(rows.length, 49) : 50);
    shown.push(...rows.flatMap((row) => /View saved.*?<span class="muted id">([^<]*)/s.exec(row)?.[1] ?? []));
  }
  expect(shown).toEqual(ids.toReversed());
});

it('the audit log page names the required role to everybody else', async () => {
  const viewer = await signedInMember(service, 'viewer');
  const { status, html } = await viewer.get('/audit-log');
  expect([status, html]).toEqual([403, expect.stringContaining('Your role does not allow this. It needs the role')]);
  expect(html).not.toContain('scope');
});

it('the audit log page calls end users "customers" in errors', async () => {
  const { status, html } = await owner.get('/customers/00000000-0000-4000-8000-000000000000');
  expect([status, html]).toEqual([404, expect.stringContaining('Unknown customer')]);
});
