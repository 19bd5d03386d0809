/** Derives the names of the catalogue's models from its match rules, so that they can be looked up by an index. */
import type { MatchLogic, ModelInfo } from '@pydantic/genai-prices';

/**
 * For each model of one provider, in order, the literal names of its rule in lower case: what it equals, and the stems
 * that it starts with, ends with or contains (as names of their own; longer names match after dropping a version).
 * Regular expressions give no name. A stem that ends in a separator is no name either. A name that several models
 * claim belongs to the one that equals it, else to the first: the order in which the catalogue itself decides.
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
 * `regional.` before an id is the catalogue's own word for "any region but global". What follows is the name that the
 * vendor uses, with the version that callers may leave out; its match rule may only name a piece of it.
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
