/** Routes the fields of attribution's schema to operations. */
import type { Resolvers } from './resolvers.generated.ts';

export function resolvers(): Resolvers {
  return {};
}
