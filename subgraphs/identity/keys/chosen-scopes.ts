/** The scopes of a new key: the preset's, or the given ones. */
import { fail } from '#kernel/errors.ts';
import { isScope, PRESETS, SCOPES, type Scope } from '#schema/scopes.ts';

/** Ids of presets as people type them: `read` and `ingest`. */
export const PRESET_IDS = ['read', 'ingest'] as const;

/** Fails with `VALIDATION_ERROR` for an unknown preset. */
export function presetScopes(id: string): readonly Scope[] {
  const preset = PRESETS[PRESET_IDS.indexOf(id as (typeof PRESET_IDS)[number])];
  return preset?.scopes ?? fail('VALIDATION_ERROR', `preset must be one of ${PRESET_IDS.join(', ')}`);
}

/** Exactly one of the two must be given. Returns each scope once, in the contract's order. */
export function chosenScopes(
  preset: string | null | undefined,
  scopes: readonly string[] | null | undefined,
): readonly Scope[] {
  if ((preset == null) === (scopes == null)) fail('VALIDATION_ERROR', 'Give either preset or scopes');
  if (preset != null) return presetScopes(preset);
  const named = scopes ?? [];
  const unknown = named.find((scope) => !isScope(scope));
  if (unknown !== undefined) fail('VALIDATION_ERROR', `scopes: ${unknown} is not one of ${SCOPES.join(', ')}`);
  if (named.length === 0) fail('VALIDATION_ERROR', 'scopes must not be empty');
  return SCOPES.filter((scope) => named.includes(scope));
}
