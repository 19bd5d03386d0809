/** Revokes an invitation: its link stops working. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { ID } from '../../../kit/flags.ts';
import { ORGANIZATION } from '../../flags.ts';

const DOCUMENT = graphql(
  'mutation InvitationRevoke($id: ID!) { invitationRevoke(input: { id: $id }) { hasChanged userErrors { message } } }',
);

export const invitationRevoke: Command = {
  name: 'invitation revoke',
  summary: 'Revokes an invitation. Its link stops working.',
  flags: { organization: ORGANIZATION, id: { form: ID, required: true, about: 'the id of the invitation' } },
  async run(args, gateway) {
    const id = args.text('id');
    const { invitationRevoke: revoked } = await gateway.ask(DOCUMENT, { id }, args.text('organization'));
    return { output: { invitation_id: id, changed: revoked.hasChanged } };
  },
};
