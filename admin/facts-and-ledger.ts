/** The one audit that no database can do alone: what attribution counts against what costing's ledger holds. */
import { setTimeout as pause } from 'node:timers/promises';
import type { OperatorGateway } from '../platform/operator-gateway.ts';
import { graphql } from '../schema/graphql.ts';

/** Every instant an event can have that is likely to be meant; the contract's range of a hundred years. */
const TOTALS = graphql(`query LedgerAndFacts { window(start: "2000-01-01", end: "2100-01-01") { ledgerCost costsByModel { totalCost } } }`);
const BACKLOG = graphql('query Backlog { pricingBacklog { pendingEvents feedLag } attributionLag { batches } }');

const TRIES_MAX = 40;
const REST_MILLISECONDS = 250;

/** Facts trail the ledger by moments: a difference counts once nothing is on its way. */
export async function compareFactsAndLedger(gateway: OperatorGateway, organizationId: string): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    const { pricingBacklog, attributionLag } = await gateway.ask(BACKLOG);
    const { window } = await gateway.ask(TOTALS, {}, organizationId);
    const [ledger, facts] = [window.ledgerCost, window.costsByModel.totalCost];
    if (ledger === facts) return [];
    const underWay = pricingBacklog.pendingEvents + pricingBacklog.feedLag + attributionLag.batches > 0;
    if (!underWay || attempt >= TRIES_MAX) return [`organization ${organizationId}: the ledger holds ${ledger}, the facts ${facts}`];
    await pause(REST_MILLISECONDS);
  }
}
