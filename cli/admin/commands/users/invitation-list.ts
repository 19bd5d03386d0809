/** Lists the open invitations of an organization, newest first. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { ORGANIZATION } from '../../flags.ts';

const DOCUMENT = graphql(`query InvitationList {
  invitations { invitation_id: id email role invited_by: invitedBy created_at: createdAt expires_at: expiresAt }
}`);

export const invitationList: Command = {
  name: 'invitation list',
  summary: 'Lists the open invitations of an organization.',
  flags: { organization: ORGANIZATION },
  async run(args, gateway) {
    return { output: (await gateway.ask(DOCUMENT, {}, args.text('organization'))).invitations };
  },
};
