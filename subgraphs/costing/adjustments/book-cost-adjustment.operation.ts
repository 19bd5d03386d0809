/** Books a cost that does not belong to an event or an end user. */
import { isUuid } from '#kernel/uuid.ts';
import { money, plain } from '#kernel/money.ts';
import { dayOf, requireDay } from '#kernel/time/utc-day.ts';
import { now } from '#platform/clock.ts';
import { randomUuid } from '#platform/random.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { CostAdjustment, CostAdjustmentBookInput } from '../resolvers.generated.ts';
import { bookAdjustment } from './book-adjustment.step.ts';
import { findAdjustments } from './cost-adjustment.table.ts';

const AMOUNT_MAX = money('1000000000');
const DIGITS_MAX = 15;
const NAME_MAX = 255;
const NOTE_MAX = 500;

/** Booking the same id again has no effect. Fails with `VALIDATION_ERROR`. */
export async function bookCostAdjustment(
  context: SubgraphContext,
  input: CostAdjustmentBookInput,
): Promise<CostAdjustment> {
  const organizationId = organizationOf(context);
  const at = now();
  const id = input.id ?? randomUuid();
  if (!isUuid(id)) fail('VALIDATION_ERROR', 'id must be a UUID');
  const adjustment = {
    id,
    day: checkDay(input.day, at),
    provider: checkText('provider', input.provider, NAME_MAX),
    model: input.model == null ? null : checkText('model', input.model, NAME_MAX),
    amount: checkAmount(input.amount),
    note: checkText('note', input.note, NOTE_MAX),
    reversesId: null,
    recordedBy: context.principal.accountUserId,
  };
  return context.database.write(organizationId, async (tx) => {
    if (await bookAdjustment(tx, organizationId, adjustment))
      await recordAudit(tx, {
        organizationId,
        at,
        action: 'cost_adjustment.booked',
        ...actorOf(context.principal),
        subjectId: id,
        detail: `${adjustment.amount} USD for ${adjustment.provider} on ${adjustment.day}: ${adjustment.note}`,
      });
    return (await findAdjustments(tx, organizationId, [id]))[0] ?? fail('NOT_FOUND', 'id: adjustment not found');
  });
}

function checkDay(text: string, at: Date): string {
  const day = requireDay('day', text);
  if (day > dayOf(at.getTime())) fail('VALIDATION_ERROR', 'day must not be in the future');
  return day;
}

function checkText(name: string, text: string, lengthMax: number): string {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > lengthMax)
    fail('VALIDATION_ERROR', `${name} must have 1 to ${lengthMax} characters`);
  return trimmed;
}

function checkAmount(text: string): string {
  const amount = money(text);
  if (amount.isZero() || amount.abs().gt(AMOUNT_MAX) || amount.decimalPlaces() > DIGITS_MAX)
    fail(
      'VALIDATION_ERROR',
      `amount must not be 0, and can have at most ${plain(AMOUNT_MAX)} USD and ${DIGITS_MAX} fraction digits`,
    );
  return plain(amount);
}
