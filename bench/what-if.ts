/** Duration of a simulation of another model, by customer, over 90 days of an organization with millions of events. */
import { elapsedMilliseconds } from '#platform/clock.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { type FilledOrganization, openFilledOrganization } from './read/filled-organization.ts';
import type { BenchOptions } from './support/options.ts';
import { residentMegabytes } from './support/process-usage.ts';
import type { Figure, Report } from './support/report.ts';
import { median, spread } from './support/statistics.ts';

const DAYS = 90;

export async function measureWhatIf({ events: sizes, rounds, progress }: BenchOptions): Promise<Report> {
  const organization = await openFilledOrganization({ days: DAYS, progress });
  const { service, end } = organization;
  const body = JSON.stringify({
    start_date: new Date(end.getTime() - DAYS * DAY_MS).toISOString(),
    end_date: end.toISOString(),
    changes: [{ replace: { model: 'tuned-29', by_model: 'tuned-00', by_provider: 'openai' } }],
  });
  const figures: Figure[] = [];
  const notes: string[] = [];
  for (const events of [...sizes].sort((one, other) => one - other)) {
    await organization.growTo(events);
    const named = (what: string) => `${what}, ${events.toLocaleString('en')} events`;
    figures.push({ name: named('days added up'), value: await organization.addUpDays(), unit: 's' });
    const taken: number[] = [];
    let answer = '';
    for (let round = 0; round < rounds + 1; round++) {
      const started = elapsedMilliseconds();
      answer = await simulate(organization, body);
      // The first run has cold caches.
      if (round > 0) taken.push(elapsedMilliseconds() - started);
    }
    progress(`what-if: ${events.toLocaleString('en')} events, ${Math.round(median(taken))} ms`);
    figures.push({
      name: named('a model replaced'),
      value: median(taken),
      unit: 'ms',
      spread: spread(taken),
      atMost: 2_000,
    });
    notes.push(`${events.toLocaleString('en')} events: ${answer}`);
  }
  figures.push({ name: 'memory of the service afterwards', value: residentMegabytes(service.pid), unit: 'MB' });
  await organization.stop();
  return {
    benchmark: 'what-if',
    figures,
    notes: [`Events of the workload \`history\`, over ${DAYS} days up to now; the response over HTTP.`, ...notes],
  };
}

/** Sums of the response. */
async function simulate({ service, readKey }: FilledOrganization, body: string): Promise<string> {
  const answer = await fetch(`${service.url}/ext/v1/simulate-costs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${readKey}`, 'content-type': 'application/json' },
    body,
  });
  const simulated = (await answer.json()) as { total?: unknown; not_covered?: unknown };
  if (answer.status !== 200) throw new Error(`The simulation was refused: ${JSON.stringify(simulated)}`);
  return JSON.stringify({ total: simulated.total, not_covered: simulated.not_covered });
}
