/** Deletes an organization in all subgraphs. After an interruption, run it again with the same arguments. */
import { setTimeout as pause } from 'node:timers/promises';
import { graphql } from '#schema/graphql.ts';
import { text } from '../../../kit/flags.ts';
import type { OperatorGateway } from '../../../kit/operator-gateway.ts';
import type { Command } from '../../command.ts';
import { ORGANIZATION } from '../../flags.ts';

const NAMES = graphql('query OrganizationsToDelete { organizations { id name deletedAt } }');
const STEP = 'rows isFinished';
const IDENTITY = graphql(`mutation DeleteOrganization($id: ID!) {
  organizationDelete(input: { id: $id }) { deletedRows { ${STEP} } userErrors { message } }
}`);
const COSTING = graphql(
  `mutation DeleteCostingData($id: ID!) { costingDataDelete(input: { id: $id }) { deletedRows { ${STEP} } userErrors { message code } } }`,
);
const ATTRIBUTION = graphql(
  `mutation DeleteAttributionData($id: ID!) { attributionDataDelete(input: { id: $id }) { deletedRows { ${STEP} } userErrors { message code } } }`,
);
const REVENUE = graphql(
  `mutation DeleteRevenueData($id: ID!) { revenueDataDelete(input: { id: $id }) { deletedRows { ${STEP} } userErrors { message code } } }`,
);
const ALERTING = graphql(
  `mutation DeleteAlertingData($id: ID!) { alertingDataDelete(input: { id: $id }) { deletedRows { ${STEP} } userErrors { message code } } }`,
);
const RECONCILIATION = graphql(
  `mutation DeleteReconciliationData($id: ID!) { reconciliationDataDelete(input: { id: $id }) { deletedRows { ${STEP} } userErrors { message code } } }`,
);

type Step = (gateway: OperatorGateway, id: string) => Promise<{ readonly rows: number; readonly isFinished: boolean }>;

/** Costing goes before attribution, so that attribution does not read deleted events again. */
const PARTS: readonly (readonly [string, Step])[] = [
  ['identity', async (gateway, id) => (await gateway.ask(IDENTITY, { id }, id)).organizationDelete.deletedRows!],
  ['costing', async (gateway, id) => (await gateway.ask(COSTING, { id }, id)).costingDataDelete.deletedRows!],
  [
    'attribution',
    async (gateway, id) => (await gateway.ask(ATTRIBUTION, { id }, id)).attributionDataDelete.deletedRows!,
  ],
  ['revenue', async (gateway, id) => (await gateway.ask(REVENUE, { id }, id)).revenueDataDelete.deletedRows!],
  ['alerting', async (gateway, id) => (await gateway.ask(ALERTING, { id }, id)).alertingDataDelete.deletedRows!],
  [
    'reconciliation',
    async (gateway, id) => (await gateway.ask(RECONCILIATION, { id }, id)).reconciliationDataDelete.deletedRows!,
  ],
];
/**
 * Requests in progress when the keys were revoked have ended by then. An organization with data only in identity is
 * not waited for. If it was about to send its first event, the jobs of each subgraph delete that event (decision 35).
 */
const REST_MILLISECONDS = 3_000;
const PASSES_MAX = 10;

export const organizationDelete: Command = {
  name: 'organization delete',
  summary: 'Permanently deletes an organization and all its data. Its keys and sessions end immediately.',
  flags: {
    organization: ORGANIZATION,
    name: { form: text('N'), required: true, about: 'its name, as confirmation; the same again after an interruption' },
  },
  async run(args, gateway) {
    const id = args.text('organization');
    const { organizations } = await gateway.ask(NAMES);
    const organization = organizations.find((candidate) => candidate.id === id);
    if (!organization) throw new Error(`Organization ${id} not found`);
    if (organization.deletedAt === null && organization.name !== args.text('name'))
      throw new Error(
        `--name does not match: the organization is called ${JSON.stringify(organization.name)}. Nothing was deleted`,
      );
    const deleted: Record<string, number> = Object.fromEntries(PARTS.map(([part]) => [part, 0]));
    for (let pass = 1; pass <= PASSES_MAX; pass++) {
      let [rows, ofOthers] = [0, 0];
      for (const [part, step] of PARTS) {
        const ofPart = await deleteAll(gateway, step, id);
        deleted[part] = (deleted[part] ?? 0) + ofPart;
        rows += ofPart;
        if (part !== 'identity') ofOthers += ofPart;
      }
      if (rows === 0 || (pass === 1 && ofOthers === 0))
        return { output: { organization_id: id, deleted_rows: deleted, passes: pass } };
      await pause(REST_MILLISECONDS);
    }
    return {
      output: { organization_id: id, deleted_rows: deleted, passes: PASSES_MAX },
      error: 'New rows of the organization still appear: something is writing them. Run the command again',
    };
  },
};

async function deleteAll(gateway: OperatorGateway, step: Step, id: string): Promise<number> {
  for (let rows = 0; ;) {
    const deleted = await step(gateway, id);
    rows += deleted.rows;
    if (deleted.isFinished) return rows;
  }
}
