/** `npm run demo`: fills a running service with 90 days of an imaginary product's events and invoices, through its public API. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { DAY_MS } from '#kernel/time/duration.ts';
import { elapsedMilliseconds, now } from '#platform/clock.ts';
import { readConfig } from '#platform/config.ts';
import { type OperatorGateway, operatorGateway, serviceUrl } from '../cli/kit/operator-gateway.ts';
import { graphql } from '#schema/graphql.ts';
import { endUsers } from '../sample/end-users.ts';
import { eventsOfDay } from '../sample/events-of-day.ts';
import { DAYS, historyBegan, historyDay } from '../sample/history.ts';
import { outcomesOfEvents } from '../sample/outcomes-of-events.ts';
import { nextSteps } from './next-steps.ts';
import { makeKeys, prepareOrganization } from './prepare-organization.ts';
import { progressBar } from './progress-bar.ts';
import { syncFromStandIn } from './revenue/sync-from-stand-in.ts';
import { reportInEuros } from './report-in-euros.ts';
import { saveTerms } from './save-terms.ts';
import { sendEvents, sendOutcomes } from './send-events.ts';
import { printTotals } from './print-totals.ts';
import type { UsageEvent } from '../sample/usage-event.ts';

const SETTLE_TIMEOUT_SECONDS = 120;
const SETTLE_POLL_MILLISECONDS = 200;

const BACKLOG = graphql(`query Backlog {
  pricingBacklog { pendingEvents feedLag feedDigest }
  attributionLag { batches replaying setAside feedDigest }
}`);

async function run(): Promise<void> {
  const config = readConfig();
  const gateway = operatorGateway(config);
  const api = await findApi([serviceUrl(config), config.apiOrigin]);
  const organization = await prepareOrganization(gateway);
  say(`Organization Demo ${organization.owner ? 'created' : 'found'}: ${organization.id}`);
  const keys = await makeKeys(gateway, organization.id);
  const earlier = readDemoFile(config.dataDirectory);
  const sameEarlier = earlier.ORGANIZATION === organization.id ? earlier : {};
  const settings: DemoSettings = {
    API: api,
    ORGANIZATION: organization.id,
    OWNER_EMAIL: organization.owner?.email ?? sameEarlier.OWNER_EMAIL ?? '',
    OWNER_PASSWORD: organization.owner?.password ?? sameEarlier.OWNER_PASSWORD ?? '',
    READ_KEY: keys.read,
    INGEST_KEY: keys.ingest[0] ?? '',
  };
  writeDemoFile(config.dataDirectory, settings);

  const began = elapsedMilliseconds();
  const days = lastDays(organization.createdAt);
  const events = days
    .flatMap(({ date, day }) => eventsOfDay(date, day))
    .filter(({ event_invoked_at }) => new Date(event_invoked_at) <= now());
  const sent = await sendEvents(api, keys.ingest, events, progressBar('events', events.length));
  say(`${figure(sent.accepted)} accepted in ${((elapsedMilliseconds() - began) / 1000).toFixed(1)} s`);
  // Events of the past 90 days cannot be sent on time: most are flagged as late, and count all the same.
  for (const [reason, count] of Object.entries(sent.flagged)) say(`  ${figure(count)} of them flagged ${reason}`);
  for (const [reason, count] of Object.entries(sent.rejected)) say(`  ${figure(count)} rejected: ${reason}`);
  say(
    (await settle(gateway, organization.id))
      ? `Priced and attributed ${((elapsedMilliseconds() - began) / 1000).toFixed(1)} s after the first was sent`
      : 'Pricing continues in the background: npm run -s admin -- settle waits for it',
  );

  const outcomes = await sendOutcomes(api, keys.ingest[0]!, outcomesOfEvents(events));
  say(`${figure(outcomes)} outcomes recorded: resolved tickets and written reports, failed attempts included`);

  const revenue = await syncFromStandIn(gateway, organization.id, historyBegan(organization.createdAt));
  say(
    `Revenue synced from the demo's own payment processor, which ends here: ${revenue.invoices} invoices, ${revenue.recordsCreated} new records`,
  );
  if (revenue.recordsInOtherCurrencies > 0)
    say(`  ${revenue.recordsInOtherCurrencies} of them are not in USD and count only towards the margin in euros`);
  const ratesAreMadeUp = await reportInEuros(gateway, organization.id, rateDays(organization.createdAt));
  say(`The margin is reported in euros too${ratesAreMadeUp ? ', at made-up exchange rates' : ''}`);

  const terms = await saveTerms(gateway, organization.id, historyDay(historyBegan(organization.createdAt), 0).date);
  if (terms > 0) say(`${terms} fixed costs, commitments, credits and allowances saved`);

  const range = { start: days[0]!.date, end: dateOf(now().getTime() + DAY_MS) };
  say(await printTotals(api, keys.read, range));
  say(
    await nextSteps({
      api,
      file: demoFile(config.dataDirectory),
      organizationId: organization.id,
      ownerEmail: settings.OWNER_EMAIL,
      ...range,
      sessionId: lastResearch(events),
      endUserId: endUsers[0]!.id,
    }),
  );
}

/** The 90 days up to today, each with its day of the product's history. */
function lastDays(organizationMade: Date): { date: string; day: number }[] {
  const today = Math.floor(now().getTime() / DAY_MS);
  const first = historyBegan(organizationMade).getTime() / DAY_MS;
  return Array.from({ length: DAYS }, (_, index) => {
    const day = today - DAYS + 1 + index;
    return { date: dateOf(day * DAY_MS), day: day - first };
  });
}

/** Contracts may be older than the history. */
const DAYS_BEFORE_HISTORY = 60;

function rateDays(organizationMade: Date): string[] {
  const first = historyBegan(organizationMade).getTime() - DAYS_BEFORE_HISTORY * DAY_MS;
  const count = Math.floor((now().getTime() - first) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, index) => dateOf(first + index * DAY_MS));
}

function lastResearch(events: readonly UsageEvent[]): string {
  const event = events.findLast(({ session_type }) => session_type === 'research');
  return typeof event?.['session_id'] === 'string' ? event['session_id'] : '';
}

function dateOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

function figure(count: number): string {
  return count.toLocaleString('en-US');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  await run();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

interface DemoSettings {
  readonly API: string;
  readonly ORGANIZATION: string;
  readonly OWNER_EMAIL: string;
  readonly OWNER_PASSWORD: string;
  readonly READ_KEY: string;
  readonly INGEST_KEY: string;
}

/** `DATA_DIR/demo.env`: shell variables for the curl commands. Keeps secrets out of the terminal. */
function demoFile(dataDirectory: string): string {
  return join(dataDirectory, 'demo.env');
}

function readDemoFile(dataDirectory: string): Partial<DemoSettings> {
  const file = demoFile(dataDirectory);
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}

function writeDemoFile(dataDirectory: string, settings: DemoSettings): void {
  mkdirSync(dataDirectory, { recursive: true });
  // Removed first, because an existing file would keep its mode.
  rmSync(demoFile(dataDirectory), { force: true });
  writeFileSync(
    demoFile(dataDirectory),
    Object.entries(settings)
      .map(([name, value]) => `${name}='${String(value)}'\n`)
      .join(''),
    { mode: 0o600 },
  );
}

/**
 * Finds the origin of `/v1`: the gateway's own address if there is one process, another one if processes are separate.
 */
async function findApi(candidates: readonly string[]): Promise<string> {
  for (const origin of candidates) {
    const response = await fetch(`${origin}/v1/ping`).catch(() => null);
    // Without a key, the REST API responds with 401.
    if (response?.status === 401) return origin;
  }
  throw new Error(
    `The API does not answer at ${[...new Set(candidates)].join(' or ')}: is the service running? Set API_ORIGIN or PORT to its address`,
  );
}

/**
 * Waits until the events are priced and included in every breakdown. Returns false if that takes too long: the service
 * finishes by itself.
 */
async function settle(gateway: OperatorGateway, organizationId: string): Promise<boolean> {
  const until = elapsedMilliseconds() + SETTLE_TIMEOUT_SECONDS * 1000;
  while (elapsedMilliseconds() < until) {
    const { pricingBacklog, attributionLag } = await gateway.ask(BACKLOG, {}, organizationId);
    const left =
      pricingBacklog.pendingEvents + pricingBacklog.feedLag + attributionLag.batches + attributionLag.replaying;
    if (left === 0 && pricingBacklog.feedDigest === attributionLag.feedDigest) return true;
    await pause(SETTLE_POLL_MILLISECONDS);
  }
  return false;
}
