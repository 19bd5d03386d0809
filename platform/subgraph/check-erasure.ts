/** Checks the arguments of the mutations that erase an end user. */
import { hasTextLength, TEXT_CHARACTERS_MAX, textError } from '#kernel/bounded-text.ts';
import { fail } from '#kernel/errors.ts';

/** Pattern of the pseudonym that replaces the id of an erased end user. */
export const PSEUDONYM = /^erased-[0-9a-f]{32}$/;

/** Fails with `VALIDATION_ERROR`. */
export function checkErasure({
  externalId,
  pseudonym,
}: {
  readonly externalId: string;
  readonly pseudonym: string;
}): void {
  if (!PSEUDONYM.test(pseudonym)) fail('VALIDATION_ERROR', 'pseudonym must be the one that endUserErase returned');
  if (!hasTextLength(externalId)) fail('VALIDATION_ERROR', `externalId must be 1 to ${TEXT_CHARACTERS_MAX} characters`);
  const error = textError(externalId);
  if (error !== null) fail('VALIDATION_ERROR', `externalId must not contain ${error}`);
}
