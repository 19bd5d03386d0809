/**
 * Verifies the books in every database: derived data must match its source. Runs in bounded steps, with a progress
 * bar.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import { now } from '#platform/clock.ts';
import { graphql } from '#schema/graphql.ts';
import type { OperatorGateway } from '../../kit/operator-gateway.ts';
import { progressBar } from '../../kit/progress-bar.ts';
import type { Command } from '../command.ts';
import { ID } from '../../kit/flags.ts';
import { watchOperation } from '../watch-operation.ts';

const ROUND = graphql(
  'mutation StartVerification { verificationStart { operation { id } userErrors { message code } } }',
);
const FOUND = graphql(`query VerificationResult($id: ID!) {
  round: attributionOperation(id: $id) { result { name count } }
  differences: bookDifferences(first: 1000) { nodes { organizationId day what detail } }
  attributionLag { setAside }
}`);

const CHECK = '{ check checked differences }';
const CHECKS = graphql(`query VerifyOrganization {
  costing: verifyCosting ${CHECK} attribution: verifyAttribution ${CHECK} revenue: verifyRevenue ${CHECK}
}`);
const DAYS = graphql('query DaysToVerify($afterDay: String) { verificationDays(afterDay: $afterDay) { first last } }');
const DAY_CHECKS = graphql(`query VerifyDays($from: String, $until: String) {
  costing: verifyCosting(part: DAYS, from: $from, until: $until) ${CHECK}
  attribution: verifyAttribution(part: DAYS, from: $from, until: $until) ${CHECK}
}`);
const OTHER_CHECKS = graphql(`query VerifyRest {
  costing: verifyCosting(part: REST) ${CHECK} attribution: verifyAttribution(part: REST) ${CHECK} revenue: verifyRevenue ${CHECK}
}`);

/** Organizations checked in parallel. */
const PARALLEL = 4;

interface Check {
  /** The subgraph that owns the database. */
  readonly subgraph: string;
  readonly check: string;
  readonly checked: number;
  readonly differences: readonly string[];
}

export const verify: Command = {
  name: 'verify',
  summary: 'Verifies the books in every database. Exits with 1 if anything differs.',
  flags: { organization: { form: ID, about: 'default: all organizations' } },
  async run(args, gateway) {
    const organizationId = args.optional('organization');
    const organizationIds = organizationId === undefined ? await everyOrganization(gateway) : [organizationId];
    const together = addUp([
      ...(await compareFactsAndLedger(gateway, organizationId)),
      ...(await checkEach(gateway, organizationIds)),
    ]);
    const differences = together.flatMap(({ check, differences: found }) =>
      found.map((difference) => `${check}: ${difference}`),
    );
    const output = {
      checks: together.map(({ differences: found, ...check }) => ({ ...check, differences: found.length })),
      differences,
    };
    return differences.length === 0
      ? { output }
      : { output, error: `The books differ in ${differences.length} places` };
  },
};

/**
 * Compares costing's ledger with attribution's facts and their sums day by day, which no single database can do.
 * Counts days.
 */
async function compareFactsAndLedger(
  gateway: OperatorGateway,
  organizationId: OrganizationId | undefined,
): Promise<Check[]> {
  const { id } = (await gateway.ask(ROUND, {}, organizationId)).verificationStart.operation!;
  await watchOperation(gateway, id, organizationId);
  const { round, differences, attributionLag } = await gateway.ask(FOUND, { id }, organizationId);
  const counted = (wanted: string) => round?.result?.find(({ name }) => name === wanted)?.count ?? 0;
  const [days, skippedDays] = [counted('days'), counted('skippedDays')];
  const { setAside } = attributionLag;
  const check = (name: string, checked: number, found: readonly string[]): Check => ({
    subgraph: 'attribution',
    check: name,
    checked,
    differences: found,
  });
  return [
    check(
      'facts match the ledger',
      days,
      differences.nodes.map((each) => `organization ${each.organizationId}, ${each.day}: ${each.what}: ${each.detail}`),
    ),
    check(
      'every day could be compared',
      days + skippedDays,
      skippedDays > 0 ? [`${skippedDays} days kept changing, or their facts had not arrived`] : [],
    ),
    check('no facts are excluded', setAside, setAside > 0 ? [`${setAside} facts that the database rejected`] : []),
  ];
}

async function checkEach(gateway: OperatorGateway, organizationIds: readonly OrganizationId[]): Promise<Check[]> {
  const bar = progressBar(process.stderr);
  const left = [...organizationIds];
  const checks: Check[] = [];
  let done = 0;
  const loop = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      for await (const { found, share } of checkOrganization(gateway, id)) {
        for (const [subgraph, results] of Object.entries(found))
          for (const { check, checked, differences } of results)
            checks.push({ subgraph, check, checked, differences: differences.map((each) => nameIn(each, id)) });
        done += share;
        bar.draw(Math.floor(done), organizationIds.length);
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, loop));
  bar.end();
  return checks;
}

interface CheckedPart {
  readonly found: Readonly<Record<string, readonly Omit<Check, 'subgraph'>[]>>;
  /** The share of the organization's check that this step completed. */
  readonly share: number;
}

/** Checks a large organization a few days at a time: the number of events per request is limited. */
async function* checkOrganization(gateway: OperatorGateway, id: string): AsyncGenerator<CheckedPart> {
  const daysAfter = async (afterDay: string | null) => (await gateway.ask(DAYS, { afterDay }, id)).verificationDays;
  const { first, last: firstLast } = await daysAfter(null);
  if (firstLast === null) {
    yield { found: await gateway.ask(CHECKS, {}, id), share: 1 };
    return;
  }
  const begin = first ?? firstLast;
  for (let last: string | null = firstLast, from: string | null = null, share = 0; ;) {
    const until: string | null = last && addDays(last, 1);
    const found = await gateway.ask(DAY_CHECKS, { from, until }, id);
    const shareNow = until === null ? 1 : Math.max(share, shareOf(begin, until));
    yield { found, share: shareNow - share };
    if (last === null) break;
    [from, share] = [until, shareNow];
    ({ last } = await daysAfter(last));
  }
  yield { found: await gateway.ask(OTHER_CHECKS, {}, id), share: 0 };
}

/** Completed share of the days from the first one until now. */
function shareOf(first: string, until: string): number {
  const whole = now().getTime() - Date.parse(first);
  return Math.min((Date.parse(until) - Date.parse(first)) / Math.max(whole, DAY_MS), 1);
}

/** Costing's differences already contain the organization's id. */
function nameIn(difference: string, id: string): string {
  return difference.includes(id) ? difference : `organization ${id}: ${difference}`;
}

async function everyOrganization(gateway: OperatorGateway): Promise<string[]> {
  const { organizations } = await gateway.ask(
    graphql('query OrganizationsToVerify { organizations { id deletedAt } }'),
  );
  return organizations.filter(({ deletedAt }) => deletedAt === null).map(({ id }) => id);
}

/** One line per check, summed over all organizations. */
function addUp(checks: readonly Check[]): Check[] {
  const sums = new Map<string, { -readonly [Key in keyof Check]: Check[Key] } & { differences: string[] }>();
  for (const check of checks) {
    const name = `${check.subgraph}.${check.check}`;
    const sum = sums.get(name) ?? { ...check, checked: 0, differences: [] };
    sum.checked += check.checked;
    sum.differences.push(...check.differences);
    sums.set(name, sum);
  }
  return [...sums.values()];
}
