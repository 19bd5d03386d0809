/**
 * Counters for failed sign-ins. An account's own counter skips its known addresses, so that nobody can lock out
 * someone else for long.
 */
import { networkOf } from '#platform/network-of.ts';
import { BACKOFF } from '../../config.ts';

export interface SignInSubject {
  readonly name: string;
  /** Failures allowed before the first wait. */
  readonly free: number;
  /** Failures of other accounts from the same address count too. */
  readonly isShared: boolean;
}

/** `email` is normalized; the account may not exist. */
export function signInSubjects(email: string, address: string, addressesOfAccount: readonly string[]): SignInSubject[] {
  const network = networkOf(address);
  const pair = { name: `sign-in:${network}:${email}`, free: BACKOFF.freePerAccountAndAddress, isShared: false };
  const wholeAddress = { name: `sign-in-address:${network}`, free: BACKOFF.freePerAddress, isShared: true };
  const wholeAccount = { name: `sign-in-account:${email}`, free: BACKOFF.freePerAccount, isShared: false };
  return addressesOfAccount.some((known) => networkOf(known) === network)
    ? [pair, wholeAddress]
    : [pair, wholeAddress, wholeAccount];
}
