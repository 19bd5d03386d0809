/** `npm run demo`, from the first request to the totals, as a newcomer runs it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { runningService } from '../support/running-service.ts';

it('fills a service and tells what its books add up to', async () => {
  const service = await runningService();
  onTestFinished(() => service.stop());
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['demo/main.ts'], {
    env: {
      ...process.env,
      DATA_DIR: service.dataDirectory,
      ADMIN_URL: service.url,
      ADMIN_TOKEN: service.firstRun.operator_token,
      API_ORIGIN: service.url,
    },
  });
  const said = stdout + stderr;
  expect(said).toMatch(/Organization Demo made/);
  expect(said).toMatch(/Revenue synced from the demo's own payment processor/);
  expect(said).toMatch(/margin +\$\d/);
}, 180_000);
