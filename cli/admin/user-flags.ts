/** The flags of every command that acts on one account user, and the way from an e-mail address to its id. */
import type { OperatorGateway } from '../kit/operator-gateway.ts';
import { graphql } from '../../schema/graphql.ts';
import type { Flag } from './command.ts';
import { ID, text } from './flag-forms.ts';
import type { Given } from './given.ts';
import { UsageError } from './usage-error.ts';

const FIND = graphql('query UserOfEmail($email: String!) { accountUser(email: $email) { id } }');

export const USER_FLAGS = {
  id: { form: ID, about: 'the id of the account user' },
  email: { form: text('E'), about: 'or the e-mail address it signs in with' },
} as const satisfies Readonly<Record<string, Flag>>;

/** Addresses are unique in the whole service, so no organization needs to be named. */
export async function userIdOf(given: Given, gateway: OperatorGateway): Promise<string> {
  const [id, email] = [given.optional('id'), given.optional('email')];
  if ((id === undefined) === (email === undefined)) throw new UsageError('Give either --id or --email');
  if (id !== undefined) return id;
  const { accountUser } = await gateway.ask(FIND, { email });
  if (!accountUser) throw new Error(`There is no account user ${email}`);
  return accountUser.id;
}
