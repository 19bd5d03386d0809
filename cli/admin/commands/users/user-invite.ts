/** Invites a person to an organization. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { text } from '../../../kit/flags.ts';
import { ORGANIZATION, ROLE } from '../../flags.ts';

const DOCUMENT = graphql(`mutation UserInvite($email: String!, $role: String!) {
  accountUserInvite(input: { email: $email, role: $role }) {
    createdInvitation { url invitation { invitation_id: id email role expires_at: expiresAt } } userErrors { message }
  }
}`);

export const userInvite: Command = {
  name: 'user invite',
  summary: 'Creates a link for joining an organization and choosing a password. It works once, for one week.',
  flags: {
    organization: ORGANIZATION,
    email: { form: text('E'), required: true, about: 'the e-mail address of the new account' },
    role: { form: ROLE, about: 'the role; default: member' },
  },
  async run(args, gateway) {
    const params = { email: args.text('email'), role: args.optional('role') ?? 'member' };
    const { accountUserInvite } = await gateway.ask(DOCUMENT, params, args.text('organization'));
    const { url, invitation } = accountUserInvite.createdInvitation!;
    return { output: { ...invitation, url } };
  },
};
