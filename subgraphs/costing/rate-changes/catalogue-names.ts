/** Derives indexable names of the catalogue's models from its match rules. */
import type { MatchLogic, ModelInfo } from '@pydantic/genai-prices';

/**
 * Returns, for each model of one provider, in order, the literal names of its match rule in lower case. These are the
 * names that the rule compares for equality, and the stems with which a name may start or end, or which it may contain.
 * A stem is used as a name of its own; longer names match it after a version is dropped. Regular expressions and stems
 * ending in a separator give no name. If several models claim a name, the one that equals it gets it, else the first:
 * the catalogue decides in the same order.
 */
export function catalogueNames(models: readonly ModelInfo[]): string[][] {
  const ids = models.map(({ id }) => id.trim().toLowerCase());
  const claims = models.map((model) => [...literals(model.match), ...regionlessNames(model.id)]);
  return claims.map((own, index) => {
    const names = own.filter(({ name, exact }) => {
      const other = ids.indexOf(name);
      if (other !== -1) return other === index;
      const equal = claims.findIndex((claim) => claim.some((each) => each.exact && each.name === name));
      if (equal !== -1) return exact && equal === index;
      return claims.findIndex((claim) => claim.some((each) => each.name === name)) === index;
    });
    return [...new Set(names.map(({ name }) => name))];
  });
}

type Literal = { readonly name: string; readonly exact: boolean };

const SEPARATOR_AT_END = /[-_.:@/\s]$/;

/**
 * In the catalogue, `regional.` before an id means "any region but global". The rest is the vendor's name, including
 * the version that callers may omit. The match rule may contain only part of it.
 */
function regionlessNames(id: string): Literal[] {
  const name = /^regional\.(.+)$/.exec(id.trim().toLowerCase())?.[1];
  return name ? [name, name.replace(/-v\d+:\d+$/, '')].flatMap((each) => literal(each, true)) : [];
}

function literals(match: MatchLogic): Literal[] {
  if ('or' in match) return match.or.flatMap(literals);
  if ('and' in match) return match.and.flatMap(literals);
  if ('equals' in match) return literal(match.equals, true);
  if ('starts_with' in match) return literal(match.starts_with, false);
  if ('ends_with' in match) return literal(match.ends_with, false);
  return 'contains' in match ? literal(match.contains, false) : [];
}

function literal(text: string, exact: boolean): Literal[] {
  const name = text.trim().toLowerCase();
  return name === '' || SEPARATOR_AT_END.test(name) ? [] : [{ name, exact }];
}
