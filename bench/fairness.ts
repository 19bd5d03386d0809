/**
 * Effect on other organizations of one that uses all its limits: their p99 under each attack, compared with their p99
 * without it.
 */
import { graphql } from '#schema/graphql.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { prepareAttack } from './fairness/attack-worker.ts';
import { type Attacker, ATTACKS, type Outcome } from './fairness/attacks.ts';
import { NOTICED, type Noticed, watchBystanders } from './fairness/bystanders.ts';
import { openFilledOrganization } from './read/filled-organization.ts';
import { askOperator, settle } from './support/ask-operator.ts';
import { createOrganization } from './support/organization.ts';
import type { BenchOptions } from './support/options.ts';
import type { Figure, Report } from './support/report.ts';
import { quantile } from './support/statistics.ts';

/** Facts that the slow reads scan. */
const FACTS = 400_000;
const TIMES_MAX = 3;
const WARMING_MILLISECONDS = 5_000;

const MAKE_KEY = graphql(
  'mutation MakeAttackKey { apiKeyCreate(input: { name: "Attack", environment: "live", preset: "ingest" }) { createdApiKey { secret } userErrors { message code } } }',
);

export async function measureFairness({ seconds, progress }: BenchOptions): Promise<Report> {
  const filled = await openFilledOrganization({ progress });
  const { service, organizationId, readKey } = filled;
  await filled.growTo(FACTS);
  const { apiKeyCreate } = await askOperator(service, MAKE_KEY, {}, organizationId);
  const attacker: Attacker = { service, organizationId, readKey, ingestKey: apiKeyCreate.createdApiKey!.secret };
  const bystanders = {
    reader: await createOrganization(service, 'Reader'),
    sender: await createOrganization(service, 'Sender'),
  };
  await watchBystanders(service.url, bystanders, () => pause(WARMING_MILLISECONDS));

  const figures: Figure[] = [];
  const notes: string[] = [];
  for (const name of Object.keys(ATTACKS)) {
    progress(`fairness: ${name}`);
    const attack = await prepareAttack({ name, attacker, seconds });
    const calm = await watchBystanders(service.url, bystanders, () => pause(seconds * 1_000));
    let outcome: Outcome = { accepted: 0, refused: 0 };
    const attacked = await watchBystanders(service.url, bystanders, async () => {
      outcome = await attack.run();
    });
    figures.push(...NOTICED.map((what) => figureOf(`${name}: ${what}`, calm[what], attacked[what])));
    notes.push(`${name}: ${outcome.accepted} accepted, ${outcome.refused} refused. ${milliseconds(calm, attacked)}`);
    progress(`fairness: ${notes.at(-1)}`);
    await settle(service);
    const sinkMilliseconds = (seconds * 1_000) / Math.max(outcome.accepted + outcome.refused, 1);
    const idle = await prepareAttack({ name, attacker, seconds, sinkMilliseconds });
    const floor = await watchBystanders(service.url, bystanders, async () => void (await idle.run()));
    notes.push(`${name}, the same bytes to a sink: ${times(calm, floor)}`);
    progress(`fairness: ${notes.at(-1)}`);
  }
  await service.stop();
  return {
    benchmark: 'fairness',
    figures,
    notes: [
      ...notes,
      'To a sink: the effect of the processor time that the attacker itself uses on the same processors.',
      `p99 of others during ${seconds} s of each attack, as a multiple of their p99 in the ${seconds} s before it.`,
    ],
  };
}

const p99 = (values: readonly number[]): number => quantile(values, 0.99);

function figureOf(name: string, calm: readonly number[], attacked: readonly number[]): Figure {
  return { name, value: p99(attacked) / p99(calm), unit: 'times', atMost: TIMES_MAX };
}

function times(calm: Noticed, floor: Noticed): string {
  return NOTICED.map((what) => `${what} ${(p99(floor[what]) / p99(calm[what])).toFixed(1)} times`).join(', ');
}

function milliseconds(calm: Noticed, attacked: Noticed): string {
  return NOTICED.map((what) => `${what} ${Math.round(p99(calm[what]))} → ${Math.round(p99(attacked[what]))} ms`).join(
    ', ',
  );
}
