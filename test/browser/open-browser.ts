/** Starts Debian's Chromium without background traffic of its own. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { PATIENCE } from '../support/patience.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
export interface OpenBrowser {
  readonly page: Page;
  /** Problems reported by the browser: a blocked style, script or form. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** Opens a browser context without cookies and, by default, without scripts, which every page must work without. */
export async function openBrowser({
  colorScheme = 'light',
  script = false,
}: {
  colorScheme?: 'light' | 'dark';
  script?: boolean;
} = {}): Promise<OpenBrowser> {
  const executablePath = PLACES.find((place) => existsSync(place));
  if (executablePath === undefined) throw new Error('The tests of the pages need Chromium');
  const userData = mkdtempSync(join(tmpdir(), 'books-browser-'));
  const context: BrowserContext = await chromium.launchPersistentContext(userData, {
    executablePath,
    args: FLAGS,
    javaScriptEnabled: script,
    colorScheme,
  });
  context.setDefaultTimeout(PATIENCE.timeout);
  const complaints: string[] = [];
  const page = context.pages()[0] ?? (await context.newPage());
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to|violates/i.test(message.text())) complaints.push(message.text());
  });
  return {
    page,
    complaints,
    async close() {
      await context.close();
      rmSync(userData, { recursive: true, force: true });
    },
  };
}
