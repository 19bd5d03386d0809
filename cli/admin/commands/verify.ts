/** Verifies the books in every database: what is derived must equal what it is derived from. */
import { setTimeout as pause } from 'node:timers/promises';
import { graphql } from '../../../schema/graphql.ts';
import type { OperatorGateway } from '../../kit/operator-gateway.ts';
import type { Command } from '../command.ts';
import { ID } from '../../kit/flags.ts';

/** Every instant an event can have that is likely to be meant; the contract's range of a hundred years. */
const TOTALS = graphql(
  `query LedgerAndFacts { window(start: "2000-01-01", end: "2100-01-01") { ledgerCost costsByModel { totalCost } } }`,
);

const BACKLOG = graphql(`query Backlog {
  pricingBacklog { pendingEvents feedLag feedDigest }
  attributionLag { batches replaying setAside feedDigest }
}`);
const TRIES_MAX = 40;
const REST_MILLISECONDS = 250;

const CHECK = '{ check checked differences }';
const EVENTS = graphql(
  `query VerifyEvents { costing: verifyCosting ${CHECK} attribution: verifyAttribution ${CHECK} }`,
);
const REVENUE = graphql(`query VerifyRevenue { revenue: verifyRevenue ${CHECK} }`);

interface VerificationCheck {
  readonly check: string;
  readonly checked: number;
  readonly differences: readonly string[];
}

type VerificationChecks = Readonly<Record<string, readonly VerificationCheck[]>>;

interface Check extends VerificationCheck {
  /** The subgraph whose database it is. */
  readonly subgraph: string;
}

export const verify: Command = {
  name: 'verify',
  summary: 'Audits the books in every database. Exit 1 when anything differs.',
  flags: { organization: { form: ID, about: 'default: all of them' } },
  async run(args, gateway) {
    const organizationId = args.optional('organization');
    const organizationIds = organizationId === undefined ? await everyOrganization(gateway) : [organizationId];
    const checks = named(await gateway.ask(EVENTS, {}, organizationId));
    for (const id of organizationIds) {
      const revenue = named(await gateway.ask(REVENUE, {}, id));
      checks.push(
        ...revenue.map((check) => ({
          ...check,
          differences: check.differences.map((difference) => `organization ${id}: ${difference}`),
        })),
      );
      checks.push({
        subgraph: 'attribution',
        check: 'facts are the ledger of costing',
        checked: 1,
        differences: await compareFactsAndLedger(gateway, id),
      });
    }
    const together = addUp(checks);
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

async function everyOrganization(gateway: OperatorGateway): Promise<string[]> {
  return (await gateway.ask(graphql('query OrganizationIds { organizations { id } }'))).organizations.map(
    ({ id }) => id,
  );
}

function named(found: VerificationChecks): Check[] {
  return Object.entries(found).flatMap(([subgraph, checks]) => checks.map((check) => ({ subgraph, ...check })));
}

/** One line for each check, over all organizations. */
function addUp(checks: readonly Check[]): Check[] {
  const sums = new Map<string, Check>();
  for (const check of checks) {
    const name = `${check.subgraph}.${check.check}`;
    const sum = sums.get(name);
    sums.set(
      name,
      sum
        ? { ...sum, checked: sum.checked + check.checked, differences: [...sum.differences, ...check.differences] }
        : check,
    );
  }
  return [...sums.values()];
}

/**
 * The one audit that no database can do alone: what attribution counts against what costing's ledger holds.
 *
 * Facts trail the ledger by moments: a difference counts once nothing is on its way.
 */
async function compareFactsAndLedger(gateway: OperatorGateway, organizationId: string): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    const { pricingBacklog, attributionLag } = await gateway.ask(BACKLOG);
    const { window } = await gateway.ask(TOTALS, {}, organizationId);
    const [ledger, facts] = [window.ledgerCost, window.costsByModel.totalCost];
    if (ledger === facts) return [];
    const underWay =
      pricingBacklog.pendingEvents + pricingBacklog.feedLag + attributionLag.batches + attributionLag.replaying > 0 ||
      pricingBacklog.feedDigest !== attributionLag.feedDigest;
    if (!underWay || attempt >= TRIES_MAX)
      return [`organization ${organizationId}: the ledger holds ${ledger}, the facts ${facts}`];
    await pause(REST_MILLISECONDS);
  }
}
