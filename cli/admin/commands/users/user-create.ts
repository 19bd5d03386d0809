/** Adds an account user to an organization. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { text } from '../../../kit/flags.ts';
import { ORGANIZATION, ROLE } from '../../flags.ts';

const DOCUMENT = graphql(`mutation UserCreate($email: String!, $password: String!, $role: String!) {
  accountUserCreate(input: { email: $email, password: $password, role: $role }) { accountUser { user_id: id } userErrors { message } }
}`);

export const userCreate: Command = {
  name: 'user create',
  summary: 'Adds an account user to an organization.',
  flags: {
    organization: ORGANIZATION,
    email: { form: text('E'), required: true, about: 'the e-mail address for signing in' },
    password: { form: text('P'), required: true, secret: true, about: 'the password' },
    role: { form: ROLE, about: 'the role; default: member' },
  },
  async run(args, gateway) {
    const user = {
      email: args.text('email'),
      password: args.text('password'),
      role: args.optional('role') ?? 'member',
    };
    const { accountUserCreate } = await gateway.ask(DOCUMENT, user, args.text('organization'));
    return { output: accountUserCreate.accountUser };
  },
};
