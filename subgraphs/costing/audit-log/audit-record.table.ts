/**
 * The audit log of actions on rates, the ledger and credits. Actions on standard rate cards belong to the nil
 * organization.
 */
import { auditTable, type AuditEvent, insertAuditRecord } from '#platform/subgraph/audit-record.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';

export const AuditRecordTable = auditTable('costing');

type AuditAction =
  | 'catalogue.imported'
  | 'end_user.erased'
  | 'event_pack.added'
  | 'failed_events.retried'
  | 'operation.cancelled'
  | 'operation.resumed'
  | 'metadata_retention.set'
  | 'month.closed'
  | 'month.reopened'
  | 'plan.set'
  | 'model_alias.removed'
  | 'model_alias.set'
  | 'cached_tokens.removed'
  | 'cached_tokens.set'
  | 'agreement.created'
  | 'agreement.changed'
  | 'agreement.removed'
  | 'cost_adjustment.booked'
  | 'cost_adjustment.reverted'
  | 'allowance.created'
  | 'allowance.changed'
  | 'allowance.removed'
  | 'allowance.topped_up'
  | 'context_policy.set'
  | 'commitment.changed'
  | 'commitment.created'
  | 'commitment.removed'
  | 'fixed_cost.changed'
  | 'fixed_cost.created'
  | 'fixed_cost.ended'
  | 'provider_credit.changed'
  | 'provider_credit.created'
  | 'provider_credit.removed'
  | 'rate_card.changed'
  | 'rate_card.ended'
  | 'rate_card.created'
  | 'repricing.begun'
  | 'sample_data.filled'
  | 'repricing.continued'
  | 'repricing.revert_begun'
  | 'repricing.revert_continued'
  | 'telemetry_mapping.set';

/** Call it in the transaction of the action: both happen or neither. */
export const recordAudit: (tx: WriteTransaction, event: AuditEvent<AuditAction>) => Promise<void> = insertAuditRecord;
