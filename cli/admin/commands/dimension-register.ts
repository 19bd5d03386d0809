/** Registers a metadata key as a dimension of an organization. Idempotent. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../command.ts';
import { text } from '../../kit/flags.ts';
import { ORGANIZATION } from '../flags.ts';

const DOCUMENT = graphql(`mutation DimensionRegister($key: String!, $label: String) {
  dimensionRegister(input: { key: $key, label: $label }) { dimension { key label state } userErrors { message } }
}`);

export const dimensionRegister: Command = {
  name: 'dimension register',
  summary: 'Registers a metadata key as a dimension, including for past events.',
  flags: {
    organization: ORGANIZATION,
    key: { form: text('K'), required: true, about: 'the key in the metadata of events, case-sensitive' },
    label: { form: text('L'), about: 'display name; default: the key' },
  },
  async run(args, gateway) {
    const dimension = { key: args.text('key'), label: args.optional('label') };
    const changed = await gateway.ask(DOCUMENT, dimension, args.text('organization'));
    return { output: changed.dimensionRegister.dimension };
  },
};
