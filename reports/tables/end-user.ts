import { graphql } from '#schema/graphql.ts';
import { readPages } from '../read-pages.ts';
import { defineReport } from '../report-table.ts';

const END_USERS = graphql(`query ReportedEndUsers($seenBefore: Instant!, $first: Int!, $after: String) {
  endUsers(seenBefore: $seenBefore, first: $first, after: $after) {
    nodes { externalId endUserId name firstSeenAt }
    pageInfo { hasNextPage endCursor }
  }
}`);

const PAGE = 5_000;

/** The end users: `endUsers`. */
export const endUser = defineReport({
  name: 'end_user',
  title: 'End users',
  version: 1,
  scope: 'costs:read',
  about: 'End users named in events before the end of the period.',
  grains: ['customer'],
  key: ['end_user'],
  columns: {
    end_user: { type: 'text', about: 'The `user_id` of usage events, as sent.' },
    end_user_id: { type: 'text', about: "The end user's UUID in this service." },
    name: {
      type: 'text',
      about: "The customer's name in the payment processor, or the external id if no name is set.",
    },
    first_seen_at: { type: 'instant', isNullable: true, about: 'Time of the first event.' },
  },
  example: {
    end_user: 'customer-7',
    end_user_id: '5a5e2c4d-0f0e-5c59-9f0b-3d1f6f2a8c11',
    name: 'Acme Inc.',
    first_seen_at: '2026-01-15T10:00:00.000Z',
  },
  async *rows({ ask, period }) {
    const pages = readPages(
      async (after) => (await ask(END_USERS, { seenBefore: period.end, first: PAGE, after })).endUsers,
    );
    for await (const nodes of pages)
      yield nodes.map(({ externalId, endUserId, name, firstSeenAt }) => ({
        end_user: externalId,
        end_user_id: endUserId,
        name,
        first_seen_at: firstSeenAt,
      }));
  },
});
