/** Parses the input for an allowance. */
import { hasTextLength, textError } from '#kernel/bounded-text.ts';
import { enumText } from '#kernel/enum-value.ts';
import { parseAmount } from '#kernel/parse-amount.ts';
import { parseIso8601 } from '#kernel/time/instant.ts';
import { fail } from '#kernel/errors.ts';
import type { AllowanceSaveInput } from '../resolvers.generated.ts';
import type { AllowanceKey, AllowancePolicy } from './allowance.table.ts';

export interface AllowanceDraft extends AllowanceKey {
  readonly policy: AllowancePolicy;
  /** USD as plain text; null if prepaid. */
  readonly amount: string | null;
  /** ISO 8601; null: the default. */
  readonly countsFrom: string | null;
}

/** Fails with `VALIDATION_ERROR`. */
export function parseAllowance(input: AllowanceSaveInput): AllowanceDraft {
  const subject = enumText(input.subject);
  const period = enumText(input.period);
  if (period === 'prepaid' && input.amount != null)
    fail('VALIDATION_ERROR', 'amount of a prepaid allowance is the sum of its top-ups: leave it out');
  if (period !== 'prepaid' && input.amount == null)
    fail('VALIDATION_ERROR', 'amount is required for an allowance per day or month');
  const instant =
    input.countsFrom == null
      ? null
      : (parseIso8601(String(input.countsFrom)) ??
        fail('VALIDATION_ERROR', 'countsFrom must be an ISO 8601 date or date-time'));
  return {
    subject,
    subjectId: parseSubjectId(subject, input.subjectId),
    period,
    policy: enumText(input.policy ?? 'DENY'),
    amount: input.amount == null ? null : parseUsd('amount', input.amount),
    countsFrom: instant?.iso ?? null,
  };
}

function parseSubjectId(subject: AllowanceKey['subject'], id: string | null | undefined): string {
  if (subject === 'organization') {
    if (id != null) fail('VALIDATION_ERROR', 'subjectId must be left out for the organization');
    return '';
  }
  return requiredText('subjectId', id ?? '');
}

/** USD, 0 or more, as plain text. */
export function parseUsd(name: string, value: unknown): string {
  return (
    parseAmount(String(value)) ??
    fail(
      'VALIDATION_ERROR',
      `${name} must be a decimal of USD, 0 or more, with at most 12 digits before and 15 after the point`,
    )
  );
}

/** Returns the text. Fails with `VALIDATION_ERROR` unless it has 1 to 255 storable characters. */
export function requiredText(name: string, value: string): string {
  if (!hasTextLength(value)) fail('VALIDATION_ERROR', `${name} must have 1 to 255 characters`);
  const error = textError(value);
  return error === null ? value : fail('VALIDATION_ERROR', `${name} contains ${error}`);
}
