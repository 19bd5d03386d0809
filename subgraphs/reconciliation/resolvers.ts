/** Maps the fields of reconciliation's schema to operations. */
import { deleteOrganizationData } from '#platform/subgraph/delete-organization-rows.ts';
import { ownPasswordGuard } from '#platform/subgraph/own-password.ts';
import { auditedOrganizationOf, readAuditLog } from '#platform/subgraph/read-audit-log.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { takeInput, withUserErrors } from '#platform/subgraph/user-errors.ts';
import { deleteBillConnection } from './connections/delete-bill-connection.operation.ts';
import { listBillConnections } from './connections/list-bill-connections.operation.ts';
import { listSealedValues } from './connections/list-sealed-values.operation.ts';
import { resealValues } from './connections/reseal-values.operation.ts';
import { saveBillConnection } from './connections/save-bill-connection.operation.ts';
import { updateBillConnection } from './connections/update-bill-connection.operation.ts';
import { listBilledCredits } from './days/list-billed-credits.operation.ts';
import { listBillDays } from './days/list-bill-days.operation.ts';
import { listBillDifferences } from './days/list-bill-differences.operation.ts';
import { listBillScopes } from './days/list-bill-scopes.operation.ts';
import { applyBillFix } from './fixes/apply-bill-fix.operation.ts';
import { proposeBillFixes } from './fixes/propose-bill-fixes.operation.ts';
import { revertBillFix } from './fixes/revert-bill-fix.operation.ts';
import { importBill } from './pulls/import-bill.operation.ts';
import { saveBillPart } from './pulls/save-bill-part.operation.ts';
import type { MutationResolvers, Resolvers } from './resolvers.generated.ts';

export function resolvers({ gateway, sealing }: Pick<SubgraphDependencies, 'gateway' | 'sealing'>): Resolvers {
  const withOwnPassword = ownPasswordGuard(gateway);
  return {
    Query: {
      billConnections: (_parent, _args, context) => listBillConnections(context),
      billDays: (_, args, context) => listBillDays(context, gateway, args),
      billDifferences: (_, args, context) => listBillDifferences(context, gateway, args),
      billScopes: (_, args, context) => listBillScopes(context, gateway, args),
      billedCredits: (_, args, context) => listBilledCredits(context, gateway, args),
      billFixPropose: (_, args, context) => proposeBillFixes(context, gateway, args),
      reconciliationSealedValues: (_parent, _args, context) => listSealedValues(context, sealing),
      reconciliationAuditLog: (_, page, context) => readAuditLog(context, auditedOrganizationOf(context), page),
    },
    Mutation: takeInput<MutationResolvers>({
      billImport: withUserErrors('bill', (_, input, context) => importBill(context, input)),
      billPartSave: withUserErrors('isSaved', (_, input, context) => saveBillPart(context, input)),
      billConnectionSave: withUserErrors(
        'billConnection',
        withOwnPassword((_, input, context) => saveBillConnection(context, input, sealing)),
      ),
      billConnectionUpdate: withUserErrors('billConnection', (_, input, context) =>
        updateBillConnection(context, input),
      ),
      billConnectionDelete: withUserErrors(
        'billConnection',
        withOwnPassword((_, input, context) => deleteBillConnection(context, input)),
      ),
      billFixApply: withUserErrors('application', (_, input, context) => applyBillFix(context, gateway, input)),
      billFixRevert: withUserErrors('fix', (_, input, context) => revertBillFix(context, gateway, input)),
      reconciliationValuesReseal: withUserErrors('step', (_, page, context) => resealValues(context, sealing, page)),
      reconciliationDataDelete: withUserErrors('deletedRows', (_, request, context) =>
        deleteOrganizationData(context, request),
      ),
    }),
  };
}
