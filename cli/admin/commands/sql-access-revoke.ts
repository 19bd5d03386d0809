/** `admin sql-access revoke`: opens the databases itself, so it runs on the service's machine or with its `DATABASE_URL`. */
import { runPart } from '../../kit/run-part.ts';
import type { Command } from '../command.ts';
import { ORGANIZATION } from '../flags.ts';

export const sqlAccessRevoke: Command = {
  name: 'sql-access revoke',
  summary: "Disconnects an organization's BI tools and removes their PostgreSQL role.",
  flags: { organization: ORGANIZATION },
  run: async (args) => ({ output: await runPart('sql-access', ['revoke', args.text('organization')]) }),
};
