/** Gives an account user another role. */
import { graphql } from '../../../schema/graphql.ts';
import type { Command } from '../command.ts';
import { oneOf } from '../flag-forms.ts';
import { USER_FLAGS, userIdOf } from '../user-flags.ts';

const DOCUMENT = graphql('mutation UserSetRole($id: ID!, $role: String!) { setAccountUserRole(id: $id, role: $role) }');

export const userSetRole: Command = {
  name: 'user set-role',
  summary: 'Gives an account user another role; the last owner stays one.',
  flags: {
    ...USER_FLAGS,
    role: { form: oneOf('owner', 'admin', 'member'), required: true, about: 'what it may do' },
  },
  async run(given, gateway) {
    const [id, role] = [await userIdOf(given, gateway), given.text('role')];
    return { output: { id, role, changed: (await gateway.ask(DOCUMENT, { id, role })).setAccountUserRole } };
  },
};
