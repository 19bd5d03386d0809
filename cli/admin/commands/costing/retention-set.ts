/** Sets the retention period of the metadata of an organization's events. */
import { graphql } from '#schema/graphql.ts';
import { COUNT } from '../../../kit/flags.ts';
import type { Command } from '../../command.ts';
import { ORGANIZATION } from '../../flags.ts';
import { registeredDimensions } from '../../registered-dimensions.ts';

const SET = graphql(`mutation SetRetention($months: Int, $keepDimensions: [String!]!) {
  metadataRetentionSet(months: $months, keepDimensions: $keepDimensions) {
    metadataRetention { months keep_dimensions: keepDimensions } userErrors { message }
  }
}`);

export const retentionSet: Command = {
  name: 'retention set',
  summary: 'Drops the metadata of events after so many months, but for the registered dimensions; costs stay.',
  flags: {
    organization: ORGANIZATION,
    months: { form: COUNT, about: 'months after an event was received; without it metadata is kept for ever' },
  },
  async run(args, gateway) {
    const organizationId = args.text('organization');
    const keepDimensions = await registeredDimensions(gateway, organizationId);
    const months = args.optionalCount('months') ?? null;
    const { metadataRetentionSet } = await gateway.ask(SET, { months, keepDimensions }, organizationId);
    return { output: metadataRetentionSet.metadataRetention };
  },
};
