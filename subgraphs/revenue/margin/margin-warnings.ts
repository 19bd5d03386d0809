/** What to know before reading a margin (contract.md, "Warning item"). */
import { plain } from '../../../kernel/money.ts';
import type { MarginComparison } from './compare-margin.ts';

export interface MarginWarning {
  readonly count: number;
  readonly message: string;
  readonly type: 'unattributed_revenue' | 'unattributed_cost' | 'revenue_not_connected';
}

export function marginWarnings(margin: MarginComparison, isConnected: boolean): MarginWarning[] {
  const { unattributedRevenueRecords: records, unattributedCostRecords: events } = margin;
  const warnings: MarginWarning[] = [];
  if (records > 0) {
    warnings.push({
      type: 'unattributed_revenue',
      count: records,
      message: `${records} revenue ${records === 1 ? 'record belongs' : 'records belong'} to no end user. Link the customers, or give them the metadata key of the connection; an end user exists once an event has named it.`,
    });
  }
  if (events > 0) {
    warnings.push({
      type: 'unattributed_cost',
      count: events,
      message: `${events} ${events === 1 ? 'event names' : 'events name'} no end user: ${plain(margin.unattributedCost)} USD are in the total cost and in no line. Send user_id with every event.`,
    });
  }
  if (!isConnected) {
    warnings.push({
      type: 'revenue_not_connected',
      count: 1,
      message:
        'No payment-processor account is connected: revenue is what an earlier connection has synced, and 0 when there was none.',
    });
  }
  return warnings;
}
