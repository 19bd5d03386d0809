/** Lists an organization's sources of bills, or sets when days of one are final. */
import { graphql } from '#schema/graphql.ts';
import { COUNT, ID } from '../../../kit/flags.ts';
import { UsageError } from '../../../kit/usage-error.ts';
import type { Command } from '../../command.ts';
import { ORGANIZATION } from '../../flags.ts';

const LIST = graphql(`query BillSources {
  billConnections { id source name state last_day: lastDay settle_hours: settleHours last_error: lastError }
}`);
const SET = graphql(`mutation SetBillSourceHours($id: ID!, $settleHours: Int!) {
  billConnectionUpdate(input: { id: $id, settleHours: $settleHours }) {
    billConnection { id source name settle_hours: settleHours } userErrors { message }
  }
}`);

export const billSource: Command = {
  name: 'bill source',
  summary:
    'Sets how many hours after the end of a day its bill is final. Without --connection, lists the sources of bills.',
  flags: {
    organization: ORGANIZATION,
    connection: { form: ID, about: 'the source' },
    'settle-hours': { form: COUNT, about: 'hours, 0 to 2160' },
  },
  async run(args, gateway) {
    const organizationId = args.text('organization');
    const [id, settleHours] = [args.optional('connection'), args.optionalCount('settle-hours')];
    if ((id === undefined) !== (settleHours === undefined))
      throw new UsageError('--connection and --settle-hours must be given together');
    if (id === undefined || settleHours === undefined)
      return { output: (await gateway.ask(LIST, {}, organizationId)).billConnections };
    const { billConnectionUpdate } = await gateway.ask(SET, { id, settleHours }, organizationId);
    return { output: billConnectionUpdate.billConnection };
  },
};
