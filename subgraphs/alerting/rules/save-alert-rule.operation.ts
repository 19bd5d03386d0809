/** Creates or changes an alert rule or a budget. */
import type { OrganizationId } from '#kernel/ids.ts';
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { randomUuid } from '#platform/random.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { requireChannels } from '../channels/require-channel.step.ts';
import { RULES_MAX } from '../config.ts';
import type { AlertRule, AlertRuleSaveInput } from '../resolvers.generated.ts';
import { type AlertRuleRow, countRules, saveRule } from './alert-rule.table.ts';
import { toAlertRuleView } from './alert-rule-view.ts';
import { checkRuleName, checkRuleParameters } from './check-rule.ts';
import { ownRules } from './own-rules.step.ts';
import { scopeOf } from './rule-parameters.ts';

/**
 * Fails with `VALIDATION_ERROR` for parameters that the kind does not accept, and with `NOT_FOUND` for an unknown rule
 * or channel.
 */
export async function saveAlertRule(context: SubgraphContext, input: AlertRuleSaveInput): Promise<AlertRule> {
  const organizationId = organizationOf(context);
  const { principal } = context;
  const parameters = checkRuleParameters(input.kind, input);
  const name = checkRuleName(input.name);
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const count = await countRules(tx, organizationId);
    const known = await findKnown(tx, organizationId, input, at);
    if (known === null && count >= RULES_MAX)
      fail('VALIDATION_ERROR', `An organization can have at most ${RULES_MAX} rules: delete one first`);
    const channelIds = [...new Set(input.channelIds ?? known?.channelIds ?? [])];
    await requireChannels(tx, organizationId, channelIds);
    const rule: AlertRuleRow = {
      organizationId,
      id: known?.id ?? randomUuid(),
      kind: input.kind,
      name,
      parameters,
      scope: scopeOf(input.kind, parameters),
      channelIds,
      isBuiltIn: known?.isBuiltIn ?? false,
      muted: input.muted ?? known?.muted ?? false,
      mutedUntil: known?.mutedUntil ?? null,
      createdAt: known?.createdAt ?? at,
      updatedAt: at,
      createdBy: known ? known.createdBy : principal.accountUserId,
      deletedAt: null,
    };
    await saveRule(tx, rule);
    await recordAudit(tx, {
      organizationId,
      at,
      action: known ? 'alert_rule.changed' : 'alert_rule.created',
      ...actorOf(principal),
      subjectId: rule.id,
      detail: rule.name,
    });
    return toAlertRuleView(rule, at);
  });
}

async function findKnown(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { id, kind }: AlertRuleSaveInput,
  at: Date,
): Promise<AlertRuleRow | null> {
  if (id === undefined || id === null) return null;
  const rule = (await ownRules(tx, organizationId, at)).find((one) => one.id === id);
  if (!rule) return fail('NOT_FOUND', 'id: alert rule not found');
  if (rule.kind !== kind) fail('VALIDATION_ERROR', `kind cannot be changed: this rule is ${rule.kind}`);
  return rule;
}
