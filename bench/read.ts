/** Duration of every read on a large organization, compared with hand-written SQL over the raw facts. */
import { Pool } from 'undici';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { type FilledOrganization, openFilledOrganization } from './read/filled-organization.ts';
import { type Read, reads } from './read/reads.ts';
import type { BenchOptions } from './support/options.ts';
import type { Figure, Report } from './support/report.ts';
import { median, spread } from './support/statistics.ts';

const REQUESTS_PER_ROUND = 15;
/** From this size on, a read served from rollups must be faster by `TIMES_FASTER`. */
const LARGE = 10_000_000;
const TIMES_FASTER = 100;
const MILLISECONDS_MAX = 50;
const GROWTH_MAX = 1.5;

interface Timing {
  readonly read: Read;
  readonly events: number;
  /** Milliseconds: the median of each round. */
  readonly ours: readonly number[];
  readonly raw: readonly number[];
}

export async function measureRead({ events: sizes, rounds, progress }: BenchOptions): Promise<Report> {
  const organization = await openFilledOrganization({ progress });
  const pool = new Pool(organization.service.url, { connections: 1 });
  const timings: Timing[] = [];
  for (const [index, events] of [...sizes].sort((one, other) => one - other).entries()) {
    await organization.growTo(events);
    // Otherwise the service would start to build the daily sums while reads are timed.
    await organization.addUpDays();
    if (index === 0) await organization.verify();
    for (const read of reads(organization, events)) {
      progress(`read: ${read.name} of ${events.toLocaleString('en')} events`);
      timings.push(await time(organization, pool, read, events, rounds));
    }
  }
  await pool.close();
  await organization.stop();
  const least = Math.min(...sizes);
  return {
    benchmark: 'read',
    figures: timings.flatMap((timing) =>
      figuresOf(
        timing,
        timings.find(({ read, events }) => read.name === timing.read.name && events === least),
      ),
    ),
    notes: [
      'Over HTTP through the whole service, one request after the other; 90 days that begin and end in the middle of an hour.',
      'The yardstick is one SQL statement over the raw facts, or events, through one connection, without row-level security.',
    ],
  };
}

async function time(
  organization: FilledOrganization,
  pool: Pool,
  read: Read,
  events: number,
  rounds: number,
): Promise<Timing> {
  const ours: number[] = [];
  const raw: number[] = [];
  await request(organization, pool, read);
  for (let round = 0; round < rounds; round++) {
    const requests: number[] = [];
    for (let number = 0; number < REQUESTS_PER_ROUND; number++)
      requests.push(await took(() => request(organization, pool, read)));
    ours.push(median(requests));
    const { raw: statement } = read;
    if (statement)
      raw.push(await took(() => organization[statement.database].query(statement.sql, [...statement.parameters])));
  }
  return { read, events, ours, raw };
}

async function request({ readKey }: FilledOrganization, pool: Pool, { path }: Read): Promise<void> {
  const answer = await pool.request({
    path,
    method: 'GET',
    headers: { authorization: `Bearer ${readKey}`, 'apollo-require-preflight': 'true' },
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200 || text.startsWith('{"errors"'))
    throw new Error(`${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const started = elapsedMilliseconds();
  await work();
  return elapsedMilliseconds() - started;
}

function figuresOf({ read, events, ours, raw }: Timing, smallest: Timing | undefined): Figure[] {
  const name = `${read.name}, ${events.toLocaleString('en')} events`;
  const figures: Figure[] = [
    {
      name,
      value: median(ours),
      unit: 'ms',
      spread: spread(ours),
      atMost: read.millisecondsMax ?? MILLISECONDS_MAX,
    },
  ];
  if (raw.length > 0) {
    const ratios = raw.map((milliseconds, round) => milliseconds / (ours[round] ?? NaN));
    const requested = read.fromRollups && events >= LARGE ? { atLeast: TIMES_FASTER } : {};
    figures.push({
      name: `${name}: raw SQL over ours`,
      value: median(ratios),
      unit: 'times',
      spread: spread(ratios),
      ...requested,
    });
  }
  if (smallest && smallest.events < events) {
    figures.push({
      name: `${name}: relative to the smallest organization`,
      value: median(ours) / median(smallest.ours),
      unit: 'times',
      atMost: GROWTH_MAX,
    });
  }
  return figures;
}
