/** Computes every converted amount again from the rate of its invoice, and every rate from the imported ones. */
import { RATE_DIGITS } from '../currencies/rate-of-day.ts';
import { checksOf } from '../records/verify-records.query.ts';
import { convertedEntriesSql } from './converted-entry.table.ts';

/** SQL: a quotient rounded half up to twelve significant digits. The division itself is exact to 40 decimals. */
const CROSS_RATE = `round(div(target.rate * 1e40, ours.rate) * 1e-40, ${RATE_DIGITS - 1} - floor(log(target.rate / ours.rate))::int)`;

export const verifyConversion = checksOf([
  {
    check: 'every converted amount is its amount times the rate of its invoice',
    rows: `select stored.line_id, stored.sequence, stored.currency, stored.amount, expected.amount as expected
      from converted_entry as stored
      left join (${convertedEntriesSql(':organizationId', 'true')}) as expected using (line_id, sequence, currency)
      where stored.organization_id = :organizationId`,
    wrong: 'amount is distinct from expected',
    says: "line_id || ' entry ' || sequence || ': ' || trim_scale(amount) || ' ' || currency || ' is not ' || coalesce(trim_scale(expected)::text, 'to be converted')",
  },
  {
    check: 'every rate of an invoice follows from the imported rates of its day',
    rows: `select fixed.invoice_id as line_id, fixed.rate, fixed.rate_day, exists (
        select from (
          select rate from fx_rate where quote = fixed.from_currency and day = fixed.rate_day union all select 1 where fixed.from_currency = 'EUR') as ours,
        (select rate from fx_rate where quote = fixed.to_currency and day = fixed.rate_day union all select 1 where fixed.to_currency = 'EUR') as target
        where fixed.rate = ${CROSS_RATE}) as follows
      from invoice_rate as fixed where fixed.organization_id = :organizationId and fixed.source <> 'settlement'`,
    wrong: 'not follows',
    says: "line_id || ': ' || trim_scale(rate) || ' on ' || rate_day",
  },
]);
