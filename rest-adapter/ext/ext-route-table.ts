/** Every endpoint of `/ext/v1`. */
import type { ExtRoute } from './ext-route.ts';
import { forecast } from './routes/forecast.ts';
import { price } from './routes/price.ts';
import { simulateCosts } from './routes/simulate-costs.ts';
import { simulatePlan } from './routes/simulate-plan.ts';

export const EXT_ROUTES: readonly ExtRoute[] = [price, simulateCosts, simulatePlan, forecast];
