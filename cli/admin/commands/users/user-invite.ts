/** Invites a person to an organization. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { oneOf, text } from '../../../kit/flags.ts';
import { ORGANIZATION } from '../../flags.ts';

const DOCUMENT = graphql(`mutation UserInvite($email: String!, $role: String!) {
  accountUserInvite(email: $email, role: $role) {
    createdInvitation { url invitation { invitation_id: id email role expires_at: expiresAt } } userErrors { message }
  }
}`);

export const userInvite: Command = {
  name: 'user invite',
  summary: 'Makes a link with which somebody joins an organization and chooses a password: good once, for a week.',
  flags: {
    organization: ORGANIZATION,
    email: { form: text('E'), required: true, about: 'the e-mail address that the account will have' },
    role: { form: oneOf('owner', 'admin', 'member'), about: 'what it may do; default: member' },
  },
  async run(args, gateway) {
    const params = { email: args.text('email'), role: args.optional('role') ?? 'member' };
    const { accountUserInvite } = await gateway.ask(DOCUMENT, params, args.text('organization'));
    const { url, invitation } = accountUserInvite.createdInvitation!;
    return { output: { ...invitation, url } };
  },
};
