/** Token classes by their names in the graph: `cacheRead`, or `cache_read`. */
import { TOKEN_CLASS_NAMES, type TokenClass, wireName } from '#schema/token-classes.ts';

const CLASSES: ReadonlyMap<string, TokenClass> = new Map(
  TOKEN_CLASS_NAMES.flatMap((name) => [
    [name, name],
    [wireName(name), name],
  ]),
);

/** Null for units and fees. */
export function tokenClassOf(name: string): TokenClass | null {
  return CLASSES.get(name) ?? null;
}
