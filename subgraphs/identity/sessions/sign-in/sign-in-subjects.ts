/** By what failed sign-ins are counted. No one can lock another out for long: an account's own count spares addresses that it knows. */
import { networkOf } from '../../../../platform/network-of.ts';
import { BACKOFF } from '../../config.ts';

export interface SignInSubject {
  readonly name: string;
  /** Failures before the first wait. */
  readonly free: number;
  /** Another account's failures from here count too. */
  readonly isShared: boolean;
}

/** `email` in its one spelling, whether or not there is such an account. */
export function signInSubjects(email: string, address: string, addressesOfAccount: readonly string[]): SignInSubject[] {
  const network = networkOf(address);
  const pair = { name: `sign-in:${network}:${email}`, free: BACKOFF.freePerAccountAndAddress, isShared: false };
  const wholeAddress = { name: `sign-in-address:${network}`, free: BACKOFF.freePerAddress, isShared: true };
  const wholeAccount = { name: `sign-in-account:${email}`, free: BACKOFF.freePerAccount, isShared: false };
  return addressesOfAccount.some((known) => networkOf(known) === network)
    ? [pair, wholeAddress]
    : [pair, wholeAddress, wholeAccount];
}
