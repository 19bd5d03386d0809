/** Ends the sessions of an account user. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { ID } from '../../../kit/flags.ts';
import { USER_FLAGS, userIdOf } from '../../flags.ts';

const DOCUMENT = graphql(
  'mutation UserEndSessions($id: ID!, $session: ID) { accountUserEndSessions(input: { id: $id, sessionId: $session }) { endedAccess { sessions } userErrors { message } } }',
);

export const userEndSessions: Command = {
  name: 'user end-sessions',
  summary: 'Signs an account user out of all sessions or of one. API keys keep working.',
  flags: { ...USER_FLAGS, session: { form: ID, about: 'the id of one session; default: all' } },
  async run(args, gateway) {
    const id = await userIdOf(args, gateway);
    const session = args.optional('session') ?? null;
    const { accountUserEndSessions } = await gateway.ask(DOCUMENT, { id, session });
    return { output: { id, sessions_ended: accountUserEndSessions.endedAccess?.sessions } };
  },
};
