/**
 * The data of an early version (84695df: a demo of three days, a repricing, a late dimension) under the current one.
 * The folder next to this file is a backup of its databases; the expected figures are that version's responses.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { withClient } from '#platform/database/prepare-database.ts';
import { targetOfUrl } from '#platform/database/connections/connection-target.ts';
import { admin } from '../../support/admin.ts';
import { get } from '../../support/api-client.ts';
import { run, terminate } from '../../support/child-service.ts';
import { emptyServer } from '../../support/empty-server.ts';
import { MINUTES } from '../../support/patience.ts';

// Upgrades the data of an earlier version, again and again.
vi.setConfig(MINUTES);

const FOLDER = join(import.meta.dirname, 'backup-of-84695df');
const { operatorToken, serviceSecret, organizationId, answers } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'figures-of-84695df.json'), 'utf8'),
) as { operatorToken: string; serviceSecret: string; organizationId: string; answers: Record<string, object> };

it('a backup of an earlier version is migrated: every response is the same, and the books are verified without a difference', async () => {
  const settings: Record<string, string> = {
    ...(await emptyServer()),
    DATA_DIR: dataDirectory(),
    SERVICE_SECRET: serviceSecret,
  };
  expect(await admin(['restore', FOLDER], settings)).toMatchObject([0, expect.stringMatching(/Restored the backup/)]);
  const service = await run('one-process', [], settings);
  onTestFinished(async () => void (await terminate(service)));
  const operate = (...words: string[]) => admin(words, { ADMIN_URL: service.url, ADMIN_TOKEN: operatorToken });
  const [, key] = await operate(
    'key',
    'create',
    '--organization',
    organizationId,
    '--environment',
    'live',
    '--name',
    'Upgrade',
    '--preset',
    'read',
    '--json',
  );
  const { api_key: apiKey } = JSON.parse(key) as { api_key: string };
  for (const [path, answer] of Object.entries(answers))
    expect([path, (await get(service.url, `/${path}`, apiKey)).body]).toEqual([path, answer]);
  expect(await operate('settle')).toMatchObject([0, expect.any(String)]);
  expect(await operate('verify')).toMatchObject([0, expect.any(String)]);
});

it('a database that a later version has migrated is refused, naming the version', async () => {
  const settings: Record<string, string> = {
    ...(await emptyServer()),
    DATA_DIR: dataDirectory(),
    SERVICE_SECRET: serviceSecret,
  };
  await terminate(await run('one-process', [], settings));
  await withClient(targetOfUrl(settings['COSTING_DATABASE_URL']!), (client) =>
    client.query("insert into mikro_orm_migrations (name, executed_at) values ('29991231235959-of-tomorrow', now())"),
  );
  await expect(run('one-process', [], settings)).rejects.toThrow(
    /Database costing was migrated by a newer version \(migration 29991231235959-of-tomorrow\)/,
  );
});

function dataDirectory(): string {
  const folder = mkdtempSync(join(tmpdir(), 'books-upgrade-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
