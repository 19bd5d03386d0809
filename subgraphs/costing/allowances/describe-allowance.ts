/** Describes allowances in the audit log. An end user is not named, so that nothing has to be erased there. */
import type { AllowanceKey } from './allowance.table.ts';
import type { AllowanceDraft } from './parse-allowance.ts';

/** `5 USD per day for the agent support, then deny` */
export function describeAllowance({ policy, amount, ...key }: AllowanceDraft): string {
  return `${amount === null ? '' : `${amount} USD `}${describeSubject(key)}, then ${policy}`;
}

/** `per day for the agent support` */
export function describeSubject({ subject, subjectId, period }: AllowanceKey): string {
  const length = period === 'prepaid' ? 'prepaid' : `per ${period}`;
  if (subject === 'organization') return `${length} for the organization`;
  return subject === 'agent' ? `${length} for the agent ${subjectId}` : `${length} for an end user`;
}
