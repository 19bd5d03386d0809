/** Audits the books in every database: what is derived must equal what it is derived from. */
import type { OperatorGateway } from '../../platform/operator-gateway.ts';
import { graphql } from '../../schema/graphql.ts';
import type { Command } from '../command.ts';
import { compareFactsAndLedger } from '../facts-and-ledger.ts';
import { ID } from '../flag-forms.ts';

const AUDIT = '{ check checked differences }';
const EVENTS = graphql(`query VerifyEvents { costing: verifyCosting ${AUDIT} attribution: verifyAttribution ${AUDIT} }`);
const REVENUE = graphql(`query VerifyRevenue { revenue: verifyRevenue ${AUDIT} }`);

interface Audit {
  readonly check: string;
  readonly checked: number;
  readonly differences: readonly string[];
}

type Audits = Readonly<Record<string, readonly Audit[]>>;

interface Check extends Audit {
  /** The subgraph whose database it is. */
  readonly subgraph: string;
}

export const verify: Command = {
  name: 'verify',
  summary: 'Audits the books in every database. Exit 1 when anything differs.',
  flags: { organization: { form: ID, about: 'default: all of them' } },
  async run(given, gateway) {
    const organizationId = given.optional('organization');
    const organizationIds = organizationId === undefined ? await everyOrganization(gateway) : [organizationId];
    const checks = named(await gateway.ask(EVENTS, {}, organizationId));
    for (const id of organizationIds) {
      const revenue = named(await gateway.ask(REVENUE, {}, id));
      checks.push(...revenue.map((check) => ({ ...check, differences: check.differences.map((difference) => `organization ${id}: ${difference}`) })));
      checks.push({ subgraph: 'attribution', check: 'facts are the ledger of costing', checked: 1, differences: await compareFactsAndLedger(gateway, id) });
    }
    const together = addUp(checks);
    const differences = together.flatMap(({ check, differences: found }) => found.map((difference) => `${check}: ${difference}`));
    const output = { checks: together.map(({ differences: found, ...check }) => ({ ...check, differences: found.length })), differences };
    return differences.length === 0 ? { output } : { output, fault: `The books differ in ${differences.length} places` };
  },
};

async function everyOrganization(gateway: OperatorGateway): Promise<string[]> {
  return (await gateway.ask(graphql('query OrganizationIds { organizations { id } }'))).organizations.map(({ id }) => id);
}

function named(audits: Audits): Check[] {
  return Object.entries(audits).flatMap(([subgraph, checks]) => checks.map((check) => ({ subgraph, ...check })));
}

/** One line for each check, over all organizations. */
function addUp(checks: readonly Check[]): Check[] {
  const sums = new Map<string, Check>();
  for (const check of checks) {
    const name = `${check.subgraph}.${check.check}`;
    const sum = sums.get(name);
    sums.set(name, sum ? { ...sum, checked: sum.checked + check.checked, differences: [...sum.differences, ...check.differences] } : check);
  }
  return [...sums.values()];
}
