/** Every endpoint of `/ext/v1`. */
import type { ExtRoute } from './ext-route.ts';
import { price } from './routes/price.ts';

export const EXT_ROUTES: readonly ExtRoute[] = [price];
