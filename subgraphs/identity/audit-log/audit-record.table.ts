/**
 * The audit log: actions on keys, sessions, second factors and OAuth clients. Operators' actions on the service itself
 * belong to the nil organization.
 */
import { auditTable, type AuditEvent, insertAuditRecord } from '#platform/subgraph/audit-record.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';

export const AuditRecordTable = auditTable('identity');

export type AuditAction =
  | 'account_user.created'
  | 'account_user.disabled'
  | 'account_user.enabled'
  | 'account_user.password_changed'
  | 'account_user.password_reset'
  | 'account_user.password_reset_revoked'
  | 'account_user.password_reset_started'
  | 'account_user.removed'
  | 'account_user.role_changed'
  | 'account_user.sessions_ended'
  | 'invitation.accepted'
  | 'invitation.created'
  | 'invitation.revoked'
  | 'second_factor.reset'
  | 'api_key.created'
  | 'api_key.revealed'
  | 'api_key.revoked'
  | 'api_key.rotated'
  | 'api_key.unsigned_allowed'
  | 'api_key.unsigned_forbidden'
  | 'authorization.approved'
  | 'authorization.denied'
  | 'authorization_code.reused'
  | 'device_login.approved'
  | 'device_login.denied'
  | 'passkey.added'
  | 'passkey.removed'
  | 'passkey.renamed'
  | 'operator_token.created'
  | 'operator_token.revoked'
  | 'operator_token.rotated'
  | 'organization.created'
  | 'organization.deleted'
  | 'organization.second_factor_optional'
  | 'organization.fiscal_year_set'
  | 'organization.renamed'
  | 'organization.second_factor_required'
  | 'recovery_code.used'
  | 'recovery_codes.replaced'
  | 'sample_data.created'
  | 'sample_data.removed'
  | 'second_factor.discarded'
  | 'second_factor.turned_off'
  | 'second_factor.turned_on'
  | 'session.ended'
  | 'session.new_device'
  | 'session.others_ended'
  | 'session.started'
  | 'sign_in.failed'
  | 'sign_in.throttled'
  | 'sign_in_attempt.voided';

/** Written in the transaction of the action, so that both happen or neither. */
export const recordAudit: (tx: WriteTransaction, event: AuditEvent<AuditAction>) => Promise<void> = insertAuditRecord;
