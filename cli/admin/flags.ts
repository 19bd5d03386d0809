/** Flags shared by many commands, and the lookup of an account user's id by e-mail address. */
import type { OperatorGateway } from '../kit/operator-gateway.ts';
import { graphql } from '#schema/graphql.ts';
import { type Flag, ID, oneOf, text } from '../kit/flags.ts';
import type { Args } from '../kit/parse-args.ts';
import { UsageError } from '../kit/usage-error.ts';

const FIND = graphql('query UserOfEmail($email: String!) { accountUser(email: $email) { id } }');

/** Flag of every command for one organization. */
export const ORGANIZATION = { form: ID, required: true, about: 'the id of the organization' } as const satisfies Flag;

/** Roles of account users. */
export const ROLE = oneOf('owner', 'admin', 'member', 'finance', 'viewer');

/** Flags of every command for one account user. */
export const USER_FLAGS = {
  id: { form: ID, about: 'the id of the account user' },
  email: { form: text('E'), about: 'or its e-mail address' },
} as const satisfies Readonly<Record<string, Flag>>;

/**
 * Flag of commands that take away an account user's right to issue keys in other people's names. Links that the user
 * created are always revoked.
 */
export const KEEP_ISSUED_KEYS = {
  'keep-issued-keys': { about: 'keep the API keys that it created for other people' },
} as const satisfies Readonly<Record<string, Flag>>;

/** Variable of the mutations that take `KEEP_ISSUED_KEYS`: keys are revoked unless the switch is given. */
export function issuedKeysOf(args: Args): { readonly revokeIssuedKeys: boolean } {
  return { revokeIssuedKeys: !args.has('keep-issued-keys') };
}

/** E-mail addresses are unique across the service, so no organization is needed. */
export async function userIdOf(args: Args, gateway: OperatorGateway): Promise<string> {
  const [id, email] = [args.optional('id'), args.optional('email')];
  if ((id === undefined) === (email === undefined)) throw new UsageError('Give either --id or --email');
  if (id !== undefined) return id;
  const { accountUser } = await gateway.ask(FIND, { email });
  if (!accountUser) throw new Error(`No account user has the e-mail address ${email}`);
  return accountUser.id;
}
