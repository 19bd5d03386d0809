import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

let service: RunningService;
let person: Visitor;

beforeAll(async () => {
  service = await sharedService();
  person = await signedIn(service.url, service.firstRun);
});
afterAll(() => service.stop());

it('the settings are one entry of the navigation, and link to all settings pages', async () => {
  const { html } = await person.get('/settings');
  expect(html).toContain('<li><a href="/settings" aria-current="page">Settings</a></li>');
  const led = [...html.matchAll(/<li class="panel"><h2><a href="([^"]+)">/g)].map(([, path]) => path!);
  expect(led).toContain('/api-keys');
  for (const path of led) {
    const page = await person.get(path);
    expect([path, page.status]).toEqual([path, 200]);
    expect(page.html).toContain(`<a href="${path}" aria-current="page">`);
    expect(page.html).toContain('<a href="/settings" aria-current="true">Settings</a>');
  }
  expect((await person.get('/')).html).not.toContain('href="/api-keys"');
});
