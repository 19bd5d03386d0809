/** Rules of an organization. The built-in ones exist from the start. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { addRule, type AlertRuleRow, listRules } from './alert-rule.table.ts';
import { KIND_FORMS, scopeOf } from './rule-parameters.ts';
import type { AlertKind } from '../resolvers.generated.ts';

/** Returns the rules in use. Creates missing built-in rules; deleted ones stay deleted. */
export async function ownRules(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  at: Date,
): Promise<AlertRuleRow[]> {
  const rules = await listRules(tx, organizationId);
  const builtIn = builtInRules(organizationId, at);
  if (builtIn.every(({ id }) => rules.some((rule) => rule.id === id))) return rules;
  for (const rule of builtIn) await addRule(tx, rule);
  return listRules(tx, organizationId);
}

/** The ids are the same in every organization, so that two processes creating them create only one of each. */
const BUILT_IN: readonly { readonly id: string; readonly kind: AlertKind; readonly name: string }[] = [
  { id: '0a1e0000-0000-4000-8000-000000000001', kind: 'UNPRICED', name: 'Events without a price' },
  { id: '0a1e0000-0000-4000-8000-000000000002', kind: 'CUSTOMER_UNPROFITABLE', name: 'Customer turned unprofitable' },
  { id: '0a1e0000-0000-4000-8000-000000000003', kind: 'ANOMALY', name: 'Unusual cost' },
];

/**
 * Initial state of the built-in rules. They are muted: the overview shows their episodes, and nothing is delivered
 * until they are unmuted.
 */
function builtInRules(organizationId: OrganizationId, at: Date): AlertRuleRow[] {
  return BUILT_IN.map(({ id, kind, name }) => {
    const parameters = KIND_FORMS[kind].defaults;
    return {
      organizationId,
      id,
      kind,
      name,
      parameters,
      scope: scopeOf(kind, parameters),
      channelIds: [],
      isBuiltIn: true,
      muted: true,
      mutedUntil: null,
      createdAt: at,
      updatedAt: at,
      createdBy: null,
      deletedAt: null,
    };
  });
}
