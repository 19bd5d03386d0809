import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort, freePorts } from './free-port.ts';

/** Linux's range for ephemeral ports; on other systems it begins higher. */
const LEAST_GIVEN_AWAY = 32_768;

it('no port is returned twice, and ports and their operations ports are below the ephemeral ports', async () => {
  const ports = await freePorts(50);
  expect(new Set(ports).size).toBe(50);
  for (const port of ports) expect(port + 1_000).toBeLessThan(LEAST_GIVEN_AWAY);
});

it('a port is skipped if its operations port is taken', async () => {
  const port = await freePort();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port + 1_001, '127.0.0.1', resolve));
  try {
    expect(await freePort()).not.toBe(port + 1);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});
