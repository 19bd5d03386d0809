/** Adds an account user to an organization. */
import { graphql } from '../../schema/graphql.ts';
import type { Command } from '../command.ts';
import { oneOf, text } from '../flag-forms.ts';
import { ORGANIZATION } from '../organization-flag.ts';

const DOCUMENT = graphql(`mutation UserCreate($email: String!, $password: String!, $role: String!) {
  createAccountUser(email: $email, password: $password, role: $role) { user_id: userId }
}`);

export const userCreate: Command = {
  name: 'user create',
  summary: 'Adds an account user to an organization.',
  flags: {
    organization: ORGANIZATION,
    email: { form: text('E'), required: true, about: 'the e-mail address it signs in with' },
    password: { form: text('P'), required: true, secret: true, about: 'its password' },
    role: { form: oneOf('owner', 'admin', 'member'), about: 'what it may do; default: member' },
  },
  async run(given, gateway) {
    const user = { email: given.text('email'), password: given.text('password'), role: given.optional('role') ?? 'member' };
    const { createAccountUser } = await gateway.ask(DOCUMENT, user, given.text('organization'));
    return { output: createAccountUser };
  },
};
