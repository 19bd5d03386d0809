/** `admin sql-access create`: opens the databases itself, so it runs on the service's machine or with its `DATABASE_URL`. */
import { graphql } from '#schema/graphql.ts';
import { runPart } from '../../kit/run-part.ts';
import type { Command } from '../command.ts';
import { ORGANIZATION } from '../flags.ts';

const NAMES = graphql('query OrganizationsWithSqlAccess { organizations { id deletedAt } }');

export const sqlAccessCreate: Command = {
  name: 'sql-access create',
  summary:
    "Creates a PostgreSQL role that reads an organization's report views, for BI tools. An existing role gets a new password.",
  flags: {
    organization: ORGANIZATION,
    'print-sql': { about: 'print SQL for an administrator of PostgreSQL, and change nothing' },
  },
  async run(args, gateway) {
    const id = args.text('organization');
    const { organizations } = await gateway.ask(NAMES);
    if (!organizations.some((each) => each.id === id && each.deletedAt === null))
      throw new Error(`Organization ${id} not found`);
    if (args.has('print-sql')) return { output: await runPart('sql-access', ['print', id]) };
    return { output: JSON.parse(await runPart('sql-access', ['create', id])) as unknown };
  },
};
