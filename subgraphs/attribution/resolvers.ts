/** Routes the fields of attribution's schema to operations. */
import { now } from '../../platform/clock.ts';
import { breakDownByModel } from './operations/break-down-by-model.ts';
import { breakDownByProvider } from './operations/break-down-by-provider.ts';
import type { Resolvers } from './resolvers.generated.ts';
import { openWindow } from './rules/open-window.ts';

export function resolvers(): Resolvers {
  return {
    Query: {
      window: (_, { start, end }) => openWindow(start, end, now()),
    },
    Window: {
      __resolveReference: ({ start, end }) => openWindow(start as string, end as string, now()),
      costsByModel: (window, _, context) => breakDownByModel(context, window),
      costsByProvider: (window, _, context) => breakDownByProvider(context, window),
    },
  };
}
