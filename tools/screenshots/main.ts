/**
 * `npm run screenshots`: takes the README's screenshots from a running service that `npm run demo` has filled. Signs
 * in as the demo's owner (`demo.env` in `DATA_DIR`), and writes PNG files to docs/images.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { chromium } from 'playwright-core';
import { readConfig } from '#platform/config.ts';

const PICTURES = [{ path: '/margins?window=90d', file: 'margins.png' }];
const VIEWPORT = { width: 1280, height: 860 };

const { dataDirectory } = readConfig();
const settings = parseEnv(readFileSync(join(dataDirectory, 'demo.env'), 'utf8')) as Record<string, string>;
const origin = settings['API'] ?? '';
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic'],
});
const page = await browser.newPage({ viewport: VIEWPORT, deviceScaleFactor: 1.5 });
await page.goto(`${origin}/sign-in`);
await page.fill('input[name=email]', settings['OWNER_EMAIL'] ?? '');
await page.fill('input[name=password]', settings['OWNER_PASSWORD'] ?? '');
await page.click('main form button');
for (const { path, file } of PICTURES) {
  await page.goto(`${origin}${path}`);
  await page.screenshot({ path: fileURLToPath(new URL(`../../docs/images/${file}`, import.meta.url)) });
  console.log(`docs/images/${file}`);
}
await browser.close();
