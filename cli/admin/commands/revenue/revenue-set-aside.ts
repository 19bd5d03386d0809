/** Lists the objects of the payment processor that did not fit and are in no figure, with the reasons. */
import { graphql } from '../../../../schema/graphql.ts';
import type { Command } from '../../command.ts';
import { ORGANIZATION } from '../../flags.ts';

const SET_ASIDE = graphql(`query RevenueSetAside($offset: Int!) {
  revenueConnection {
    setAside(limit: 100, offset: $offset) {
      kind id cause reason first_seen_at: firstSeenAt last_seen_at: lastSeenAt
    }
  }
}`);
const PAGE = 100;

export const revenueSetAside: Command = {
  name: 'revenue set-aside',
  summary: 'Lists objects of the payment processor that did not fit and are in no figure.',
  flags: { organization: ORGANIZATION },
  async run(args, gateway) {
    const organizationId = args.text('organization');
    const items: object[] = [];
    for (let more = true; more;) {
      const { revenueConnection } = await gateway.ask(SET_ASIDE, { offset: items.length }, organizationId);
      const page = revenueConnection?.setAside ?? [];
      items.push(...page);
      more = page.length === PAGE;
    }
    return { output: { items } };
  },
};
