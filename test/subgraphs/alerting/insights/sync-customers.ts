/** Customers at the payment processor, linked by name, each with one invoice over 110 days. */
import { addCustomer } from '../../../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../../../packages/stripe-stand-in/invoices.ts';
import type { StripeStandIn } from '../../../../packages/stripe-stand-in/server.ts';
import type { ServiceWithEvents } from '../../../support/service-with-events.ts';

/** Connects the processor and waits for the first sync. Each customer pays 2 USD a day from `from` to `to`. */
export async function syncCustomers(
  service: ServiceWithEvents,
  processor: StripeStandIn,
  names: readonly string[],
  period: { readonly from: string; readonly to: string },
): Promise<void> {
  const [start, end] = [period.from, period.to].map((iso) => Math.floor(Date.parse(iso) / 1000));
  for (const name of names) {
    const customer = addCustomer(processor.account, { name, metadata: { user_id: name } });
    addInvoice(processor.account, { customer, lines: [{ amount: 22_000, start: start!, end: end! }] });
  }
  await service.operate(`mutation {
    revenueConnect(input: { apiKey: "rk_live_stand_in", apiBase: "${processor.url}" }) { connection { state } userErrors { message } }
    revenueSync(input: { waitSeconds: 20 }) { run { state } userErrors { message } }
  }`);
}
