/** The drill of docs/operations/backup.md: backup under load, destroy, restore on another server, resend, compare. */
import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { admin } from '../support/admin.ts';
import { post } from '../support/api-client.ts';
import { expectEvents, firstRunOf, run, terminate } from '../support/child-service.ts';
import { emptyServer } from '../support/empty-server.ts';
import { usageEvent } from '../support/usage-event.ts';
import { MINUTES } from '../support/patience.ts';

// Restores whole servers, one after another.
vi.setConfig(MINUTES);

const BATCH = 10;
/** Pause of each sender after a batch: under load, but not at the limit. */
const REST_MILLISECONDS = 200;

function temporary(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `books-${name}-`));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it('a backup under load is restored on another server, and after everything is resent, every event is stored once', async () => {
  const dataDirectory = temporary('destroyed');
  const folder = join(temporary('backup'), 'today');
  const service = await run('one-process', [], { DATA_DIR: dataDirectory });
  const firstRun = firstRunOf(dataDirectory);
  const sent: Record<string, unknown>[][] = [];
  let isSending = true;
  onTestFinished(() => void (isSending = false));
  const send = async (): Promise<void> => {
    while (isSending) {
      const events = Array.from({ length: BATCH }, () =>
        usageEvent({ cost_override: '0.000000000000001', event_invoked_at: '2026-01-15T12:00:00Z' }),
      );
      sent.push(events);
      expect((await post(service.url, '/usage-events/batch', firstRun.live_ingest_key, events)).status).toBe(202);
      await pause(REST_MILLISECONDS);
    }
  };
  const sending = [send(), send()];
  await expect.poll(() => sent.length).toBeGreaterThan(10);
  const [code, output] = await admin(['backup', folder], { DATA_DIR: dataDirectory });
  expect(output).toMatch(/Backup of .+ rows of 6 databases/);
  expect(code).toBe(0);
  const atBackup = sent.length;
  await expect.poll(() => sent.length).toBeGreaterThan(atBackup + 10);
  isSending = false;
  await Promise.all(sending);
  service.child.kill('SIGKILL');
  await service.ended;
  rmSync(dataDirectory, { recursive: true, force: true });

  const settings = { ...(await emptyServer()), DATA_DIR: temporary('restored') };
  expect(await admin(['restore', folder], settings)).toMatchObject([
    0,
    expect.stringMatching(/Restored the backup of/),
  ]);
  const restored = await run('one-process', [], settings);
  onTestFinished(async () => void (await terminate(restored)));
  // Keys, credits and figures are as in the backup. Events received after it are sent again with the same idempotency keys.
  for (const events of sent) {
    const { body } = await post(restored.url, '/usage-events/batch', firstRun.live_ingest_key, events);
    expect(body.failed).toBe(0);
  }
  await expectEvents(restored.url, firstRun, sent.length * BATCH);

  const [refused, why] = await admin(['restore', folder], settings);
  expect([refused, why]).toEqual([1, expect.stringMatching(/Database \w+ is in use: restore into empty databases/)]);
});

it('an incomplete or changed backup is not restored', async () => {
  const dataDirectory = temporary('source');
  const folder = join(temporary('backup'), 'today');
  await terminate(await run('one-process', [], { DATA_DIR: dataDirectory }));
  // The service is not running, so its embedded server is started for the copy.
  expect(await admin(['backup', folder, '--full-speed'], { DATA_DIR: dataDirectory })).toMatchObject([
    0,
    expect.any(String),
  ]);
  expect((await admin(['backup', folder], { DATA_DIR: dataDirectory }))[1]).toMatch(/is not empty/);

  const settings = { ...(await emptyServer()), DATA_DIR: temporary('restored') };
  const file = join(folder, 'identity', readdirSync(join(folder, 'identity'))[0]!);
  appendFileSync(file, 'x');
  expect(await admin(['restore', folder], settings)).toEqual([
    1,
    expect.stringMatching(/The backup is damaged: identity\//),
  ]);
  rmSync(join(folder, 'manifest.json'));
  expect(await admin(['restore', folder], settings)).toEqual([1, expect.stringMatching(/contains no complete backup/)]);
});
