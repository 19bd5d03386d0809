/**
 * Audit log: records who changed alert rules and channels, acknowledged episodes, scheduled statements and exports, and
 * wrote or deleted notes.
 */
import { auditTable, type AuditEvent, insertAuditRecord } from '#platform/subgraph/audit-record.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';

export const AuditRecordTable = auditTable('alerting');

type AuditAction =
  | 'end_user.erased'
  | 'alert_episode.acknowledged'
  | 'alert_rule.created'
  | 'alert_rule.changed'
  | 'alert_rule.deleted'
  | 'alert_rule.muted'
  | 'alert_rule.unmuted'
  | 'alert_channel.created'
  | 'alert_channel.changed'
  | 'alert_channel.deleted'
  | 'alert_channel.secret_rotated'
  | 'alert_channel.disabled'
  | 'alert_channel.confirmed'
  | 'alert_delivery.redelivered'
  | 'statement_schedule.set'
  | 'statement_schedule.ended'
  | 'export_schedule.created'
  | 'export_schedule.changed'
  | 'export_schedule.stopped'
  | 'export_schedule.deleted'
  | 'export_delivery.repeated'
  | 'note.added'
  | 'note.deleted'
  | 'view.saved'
  | 'view.deleted';

/** Call it in the transaction of the action: both happen or neither. */
export const recordAudit: (tx: WriteTransaction, event: AuditEvent<AuditAction>) => Promise<void> = insertAuditRecord;
