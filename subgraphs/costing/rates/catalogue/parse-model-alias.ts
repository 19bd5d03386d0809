/** Reads what a person says a name means. */
import { fail } from '../../../../schema/errors.ts';
import { canonicalProvider } from '../matching/canonical-provider.ts';

export interface ModelAliasInput {
  readonly name: string;
  /** Null: whatever the provider. */
  readonly provider?: string | null | undefined;
  /** Null: the name means nothing any more. */
  readonly model?: string | null | undefined;
}

interface ParsedModelAlias {
  readonly name: string;
  /** Empty: at all of them. */
  readonly providerSlug: string;
  readonly model: string | null;
}

const CHARACTERS_MAX = 255;

/** Fails with `VALIDATION_ERROR`. */
export function parseModelAlias(input: ModelAliasInput): ParsedModelAlias {
  const name = checked(input.name, 'name');
  const model = input.model === null || input.model === undefined ? null : checked(input.model, 'model');
  if (model === name) fail('VALIDATION_ERROR', 'model must be another than name');
  return { name, providerSlug: providerOf(input.provider), model };
}

function checked(text: string, what: string): string {
  const name = text.trim().toLowerCase();
  if (name === '' || name.length > CHARACTERS_MAX || name.includes('\0') || !name.isWellFormed())
    fail('VALIDATION_ERROR', `${what} must have 1 to ${CHARACTERS_MAX} characters`);
  return name;
}

/** The catalogue's slug where it knows the provider. */
function providerOf(provider: string | null | undefined): string {
  if (provider === null || provider === undefined) return '';
  const name = checked(provider, 'provider');
  const slug = canonicalProvider(name);
  return slug === null || slug === 'unknown' ? name : slug;
}
