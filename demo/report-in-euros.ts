/** Has the organization report its margin in euros. Imports made-up rates if the installation has none. */
import { graphql } from '#schema/graphql.ts';
import type { OperatorGateway } from '../cli/kit/operator-gateway.ts';
import { ACCOUNT_CURRENCY, dollarsPerEuro } from '../sample/exchange-rates.ts';

const STATE = graphql(
  `query DemoCurrency { fxRates(first: 1, currency: "USD") { nodes { day } } reportingCurrency { choices { currency } } }`,
);
const IMPORT = graphql(
  'mutation DemoRates($file: String!) { fxRatesImport(input: { file: $file }) { userErrors { message code } } }',
);
const CHOOSE = graphql(
  'mutation DemoCurrencyChoice($currency: String!) { organizationCurrencySet(input: { currency: $currency }) { userErrors { message code } } }',
);

/** `days`: UTC days, `YYYY-MM-DD`. Returns whether rates were made up. A choice of an earlier run is kept. */
export async function reportInEuros(
  gateway: OperatorGateway,
  organizationId: string,
  days: readonly string[],
): Promise<boolean> {
  const { fxRates, reportingCurrency } = await gateway.ask(STATE, {}, organizationId);
  const hasRates = fxRates.nodes.length > 0;
  if (!hasRates) {
    const lines = days.map((day) => `${day},${dollarsPerEuro(day)},\n`);
    await gateway.ask(IMPORT, { file: `Date,USD,\n${lines.join('')}` });
  }
  if (reportingCurrency.choices.length === 0) await gateway.ask(CHOOSE, { currency: ACCOUNT_CURRENCY }, organizationId);
  return !hasRates;
}
