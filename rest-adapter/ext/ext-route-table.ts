/** All endpoints of `/ext/v1`. */
import type { ExtRoute } from './ext-route.ts';
import { alerts } from './routes/alerts.ts';
import { allowances } from './routes/allowances.ts';
import { billDays } from './routes/bill-days.ts';
import { checkAllowance } from './routes/check-allowance.ts';
import { commitments } from './routes/commitments.ts';
import { fixedCosts } from './routes/fixed-costs.ts';
import { forecast } from './routes/forecast.ts';
import { marginAfterFixedCosts } from './routes/margin-after-fixed-costs.ts';
import { reportingMargin } from './routes/reporting-margin.ts';
import { holds } from './routes/holds.ts';
import { providerCredits } from './routes/provider-credits.ts';
import { savings } from './routes/savings.ts';
import { insights } from './routes/insights.ts';
import { outcomeCosts } from './routes/outcome-costs.ts';
import { price } from './routes/price.ts';
import { releaseHold } from './routes/release-hold.ts';
import { simulateCosts } from './routes/simulate-costs.ts';
import { simulatePlan } from './routes/simulate-plan.ts';

export const EXT_ROUTES: readonly ExtRoute[] = [
  price,
  simulateCosts,
  simulatePlan,
  forecast,
  alerts,
  insights,
  billDays,
  outcomeCosts,
  holds,
  releaseHold,
  checkAllowance,
  allowances,
  fixedCosts,
  marginAfterFixedCosts,
  reportingMargin,
  savings,
  providerCredits,
  commitments,
];
