/** The one audit that no database can do alone: what attribution counts against what costing's ledger holds. */
import { setTimeout as pause } from 'node:timers/promises';
import type { OperatorGateway } from '../kit/operator-gateway.ts';

/** Every instant an event can have that is likely to be meant; the contract's range of a hundred years. */
const TOTALS = `{ window(start: "2000-01-01", end: "2100-01-01") { ledgerCost costsByModel { totalCost } } }`;
const BACKLOG = '{ pricingBacklog { pendingEvents feedLag } attributionLag { batches } }';

const TRIES_MAX = 40;
const REST_MILLISECONDS = 250;

interface Totals {
  readonly window: { readonly ledgerCost: string; readonly costsByModel: { readonly totalCost: string } };
}

interface Backlog {
  readonly pricingBacklog: { readonly pendingEvents: number; readonly feedLag: number };
  readonly attributionLag: { readonly batches: number };
}

/** Facts trail the ledger by moments: a difference counts once nothing is on its way. */
export async function compareFactsAndLedger(gateway: OperatorGateway, organizationId: string): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    const { pricingBacklog, attributionLag } = await gateway.ask<Backlog>(BACKLOG);
    const { window } = await gateway.ask<Totals>(TOTALS, {}, organizationId);
    const [ledger, facts] = [window.ledgerCost, window.costsByModel.totalCost];
    if (ledger === facts) return [];
    const underWay = pricingBacklog.pendingEvents + pricingBacklog.feedLag + attributionLag.batches > 0;
    if (!underWay || attempt >= TRIES_MAX) return [`organization ${organizationId}: the ledger holds ${ledger}, the facts ${facts}`];
    await pause(REST_MILLISECONDS);
  }
}
