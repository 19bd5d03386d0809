/** Gives an account user another role. */
import { graphql } from '../../../../schema/graphql.ts';
import type { Command } from '../../command.ts';
import { oneOf } from '../../../kit/flags.ts';
import { USER_FLAGS, userIdOf } from '../../flags.ts';

const DOCUMENT = graphql(
  'mutation UserSetRole($id: ID!, $role: String!) { accountUserSetRole(id: $id, role: $role) { hasChanged userErrors { message } } }',
);

export const userSetRole: Command = {
  name: 'user set-role',
  summary: 'Gives an account user another role; the last owner stays one.',
  flags: {
    ...USER_FLAGS,
    role: { form: oneOf('owner', 'admin', 'member'), required: true, about: 'what it may do' },
  },
  async run(args, gateway) {
    const [id, role] = [await userIdOf(args, gateway), args.text('role')];
    return { output: { id, role, changed: (await gateway.ask(DOCUMENT, { id, role })).accountUserSetRole.hasChanged } };
  },
};
