import { afterEach, expect, it, vi } from 'vitest';
import { type RunningService, runningService } from '../../support/running-service.ts';
import { signedIn } from '../../support/visitor.ts';
import { MINUTES } from '../../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

let service: RunningService;
afterEach(() => service.stop());

const FORWARDED = { 'x-forwarded-for': '198.51.100.7, 203.0.113.9' };

it.each([
  ['is not believed from anybody', '', '127.0.0.1'],
  ['is not believed from a proxy of others', '10.0.0.0/8', '127.0.0.1'],
  ['is believed from a trusted proxy, up to the address that connected to it', '10.0.0.0/8,127.0.0.1', '203.0.113.9'],
  ['is believed through a chain of trusted proxies', '127.0.0.0/8,::1,203.0.113.0/24', '198.51.100.7'],
])('a forwarded address %s', async (_, trusted, address) => {
  service = await runningService({ TRUSTED_PROXIES: trusted }, { jobs: false });
  const person = await signedIn(service.url, service.firstRun, undefined, FORWARDED);
  expect((await person.get('/sessions')).html).toContain(`<code>${address}</code>`);
});
