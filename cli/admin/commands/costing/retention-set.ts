/** Sets the retention period of the metadata of an organization's events. */
import { graphql } from '#schema/graphql.ts';
import { COUNT } from '../../../kit/flags.ts';
import type { Command } from '../../command.ts';
import { ORGANIZATION } from '../../flags.ts';
import { registeredDimensions } from '../../registered-dimensions.ts';

const SET = graphql(`mutation SetRetention($months: Int, $keepDimensions: [String!]!) {
  metadataRetentionSet(input: { months: $months, keepDimensions: $keepDimensions }) {
    metadataRetention { months keep_dimensions: keepDimensions } userErrors { message }
  }
}`);

export const retentionSet: Command = {
  name: 'retention set',
  summary:
    'Deletes metadata of events and outcomes after this number of months, except registered dimensions. Costs are kept.',
  flags: {
    organization: ORGANIZATION,
    months: {
      form: COUNT,
      about: 'months after an event or outcome was received; default: metadata is kept indefinitely',
    },
  },
  async run(args, gateway) {
    const organizationId = args.text('organization');
    const keepDimensions = await registeredDimensions(gateway, organizationId);
    const months = args.optionalCount('months') ?? null;
    const { metadataRetentionSet } = await gateway.ask(SET, { months, keepDimensions }, organizationId);
    return { output: metadataRetentionSet.metadataRetention };
  },
};
