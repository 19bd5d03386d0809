/** The rules of an organization, built-in ones among them from its first moment. */
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { addRule, type AlertRuleRow, listRules } from './alert-rule.table.ts';
import { KIND_FORMS, scopeOf } from './rule-parameters.ts';
import type { AlertKind } from '../resolvers.generated.ts';

/** Rules that are in use. Makes the built-in ones where they were never made; those that were deleted stay so. */
export async function ownRules(em: EntityManager, organizationId: string, at: Date): Promise<AlertRuleRow[]> {
  const rules = await listRules(em, organizationId);
  const builtIn = builtInRules(organizationId, at);
  if (builtIn.every(({ id }) => rules.some((rule) => rule.id === id))) return rules;
  for (const rule of builtIn) await addRule(em, rule);
  return listRules(em, organizationId);
}

/** The ids are the same in every organization, so that two processes that make them make one. */
const BUILT_IN: readonly { readonly id: string; readonly kind: AlertKind; readonly name: string }[] = [
  { id: '0a1e0000-0000-4000-8000-000000000001', kind: 'UNPRICED', name: 'Events without a price' },
  { id: '0a1e0000-0000-4000-8000-000000000002', kind: 'CUSTOMER_UNPROFITABLE', name: 'Customer turned unprofitable' },
  { id: '0a1e0000-0000-4000-8000-000000000003', kind: 'ANOMALY', name: 'Unusual cost' },
];

/** Before anyone has changed them. Muted: they are seen on the overview, and delivered once someone wants it. */
function builtInRules(organizationId: string, at: Date): AlertRuleRow[] {
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
