/** Which API keys are revoked along with the person who issued them. */
import { expect, it } from 'vitest';
import { isRevokingKeys } from '../../../dashboard/figures/people/issued-access.ts';

it.each([
  ['keys_listed=yes&revoke_keys=yes', true],
  ['keys_listed=yes', false],
  // The page listed no key, so every key was created after it was opened.
  ['', true],
])('a form with "%s" revokes keys: %s', (form, isRevoking) => {
  expect(isRevokingKeys(new URLSearchParams(form))).toBe(isRevoking);
});
