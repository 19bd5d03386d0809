/** Parses a model alias that a person sets. */
import { fail } from '#kernel/errors.ts';
import { canonicalProvider } from '#usage/names/canonical-provider.ts';

export interface ModelAliasInput {
  readonly name: string;
  /** Null: any provider. */
  readonly provider?: string | null | undefined;
  /** Null: remove the alias. */
  readonly model?: string | null | undefined;
}

interface ParsedModelAlias {
  readonly name: string;
  /** Empty: any provider. */
  readonly providerSlug: string;
  readonly model: string | null;
}

const CHARACTERS_MAX = 255;

/** Fails with `VALIDATION_ERROR`. */
export function parseModelAlias(input: ModelAliasInput): ParsedModelAlias {
  const name = checked(input.name, 'name');
  const model = input.model === null || input.model === undefined ? null : checked(input.model, 'model');
  if (model === name) fail('VALIDATION_ERROR', 'model and name must differ');
  return { name, providerSlug: providerOf(input.provider), model };
}

function checked(text: string, what: string): string {
  const name = text.trim().toLowerCase();
  if (name === '' || name.length > CHARACTERS_MAX || name.includes('\0') || !name.isWellFormed())
    fail('VALIDATION_ERROR', `${what} must have 1 to ${CHARACTERS_MAX} characters`);
  return name;
}

/** The catalogue's slug if it has the provider. */
function providerOf(provider: string | null | undefined): string {
  if (provider === null || provider === undefined) return '';
  const name = checked(provider, 'provider');
  const slug = canonicalProvider(name);
  return slug === null || slug === 'unknown' ? name : slug;
}
