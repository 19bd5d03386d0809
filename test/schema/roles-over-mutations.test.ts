/** What each limited role may change: only its own sign-in, and for finance the closing of months, notes and saved views. */
import { expect, it } from 'vitest';
import { supergraphFields } from './supergraph-fields.ts';

/** The password, the second factor and the sessions of the caller. */
const OWN_ACCOUNT = [
  'confirmOwnPassword',
  'currentSessionEnd',
  'otherSessionsEnd',
  'passkeyConfirm',
  'passkeyRemove',
  'passkeyRename',
  'passkeyStart',
  'passwordChange',
  'recoveryCodesReplace',
  'secondFactorConfirm',
  'secondFactorStart',
  'secondFactorTurnOff',
  'sessionEnd',
];
/** Grants of every session, in addition to its role. */
const READING = ['costs:read', 'revenue:read', 'usage:read', 'dimensions:read'];

function mutationsOf(role: string): string[] {
  return [...supergraphFields()]
    .filter(([field]) => field.startsWith('Mutation.'))
    .filter(([, needs]) => needs.length === 0 || [role, ...READING].some((grant) => needs.includes(grant)))
    .map(([field]) => field.replace('Mutation.', ''))
    .toSorted();
}

it('a viewer changes nothing but its own sign-in', () => {
  expect(mutationsOf('viewer')).toEqual(OWN_ACCOUNT);
});

it('finance also closes months, writes notes and saves views', () => {
  expect(mutationsOf('finance')).toEqual(
    [
      ...OWN_ACCOUNT,
      ...['costsClose', 'noteAdd', 'noteDelete', 'revenueClose', 'savedViewAdd', 'savedViewDelete'],
    ].toSorted(),
  );
});
