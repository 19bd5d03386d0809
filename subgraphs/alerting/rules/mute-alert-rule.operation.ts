/** Mutes or unmutes the delivery of a rule's episodes. The rule is evaluated either way. */
import { DAY_MS } from '#kernel/time/duration.ts';
import { requireInstant } from '#kernel/time/instant.ts';
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { MUTED_DAYS_MAX } from '../config.ts';
import type { AlertRule, AlertRuleMuteInput } from '../resolvers.generated.ts';
import { type AlertRuleRow, saveRule } from './alert-rule.table.ts';
import { isMuted, toAlertRuleView } from './alert-rule-view.ts';
import { ownRules } from './own-rules.step.ts';

/**
 * Fails with `NOT_FOUND`. Fails with `VALIDATION_ERROR` for both arguments, for neither, and for a time in the past or
 * too far ahead.
 */
export async function muteAlertRule(
  context: SubgraphContext,
  { id, muted, until }: AlertRuleMuteInput,
): Promise<AlertRule> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const rule = (await ownRules(tx, organizationId, at)).find((one) => one.id === id);
    if (!rule) return fail('NOT_FOUND', 'id: alert rule not found');
    const changed: AlertRuleRow = { ...rule, ...muting(muted ?? null, until ?? null, at), updatedAt: at };
    await saveRule(tx, changed);
    await recordAudit(tx, {
      organizationId,
      at,
      action: isMuted(changed, at) ? 'alert_rule.muted' : 'alert_rule.unmuted',
      ...actorOf(context.principal),
      subjectId: id,
      detail: rule.name,
    });
    return toAlertRuleView(changed, at);
  });
}

function muting(muted: boolean | null, until: string | null, at: Date): Pick<AlertRuleRow, 'muted' | 'mutedUntil'> {
  if ((muted === null) === (until === null))
    return fail('VALIDATION_ERROR', 'muted or until is required, but not both');
  if (until === null) return { muted: muted === true, mutedUntil: null };
  const end = new Date(requireInstant('until', until).epochMs);
  const days = (end.getTime() - at.getTime()) / DAY_MS;
  if (days <= 0 || days > MUTED_DAYS_MAX)
    fail('VALIDATION_ERROR', `until must be within the next ${MUTED_DAYS_MAX} days`);
  return { muted: false, mutedUntil: end };
}
