/** GraphQL view of an agreement. */
import type { Agreement as View } from '../resolvers.generated.ts';
import type { Agreement } from '../rates/discounts/agreement.table.ts';
import type { DiscountTerm } from '../rates/discounts/agreement-term.table.ts';

export function toAgreementView(agreement: Agreement, terms: readonly DiscountTerm[], at: Date): View {
  const { id, providerSlug, name, reference, fromDay, untilDay, changedAt } = agreement;
  const today = at.toISOString().slice(0, 10);
  return {
    id,
    provider: providerSlug,
    name,
    reference,
    from: fromDay,
    until: untilDay,
    isInForce: fromDay <= today && (untilDay === null || today < untilDay),
    discounts: terms.map((term) => ({
      models: term.models && [...term.models],
      classes: term.classes && [...term.classes],
      percent: term.percent,
      from: term.fromDay,
      until: term.untilDay,
    })),
    changedAt: new Date(changedAt),
  };
}
