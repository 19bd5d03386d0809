/** Lists objects of the payment processor that were set aside and are missing from all figures, with the reasons. */
import type { WithTexts } from '#schema/answer-texts.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { ORGANIZATION } from '../../flags.ts';

const SET_ASIDE = graphql(`query RevenueSetAside($after: String) {
  revenueConnection {
    setAsideObjects(first: 200, after: $after) {
      nodes { kind id cause reason first_seen_at: firstSeenAt last_seen_at: lastSeenAt } pageInfo { hasNextPage endCursor }
    }
  }
}`);

type Page = NonNullable<WithTexts<DataOf<'RevenueSetAside'>>['revenueConnection']>['setAsideObjects'];

export const revenueSetAside: Command = {
  name: 'revenue set-aside',
  summary: 'Lists payment processor objects that could not be used and are excluded from all figures.',
  flags: { organization: ORGANIZATION },
  async run(args, gateway) {
    const organizationId = args.text('organization');
    const pageAfter = async (after: string | null): Promise<Page | undefined> =>
      (await gateway.ask(SET_ASIDE, { after }, organizationId)).revenueConnection?.setAsideObjects;
    const items: object[] = [];
    for (let page = await pageAfter(null); page;) {
      items.push(...page.nodes);
      page = page.pageInfo.hasNextPage ? await pageAfter(page.pageInfo.endCursor) : undefined;
    }
    return { output: { items } };
  },
};
