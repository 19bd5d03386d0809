/** Rebuilds attribution from costing's ledger, in one organization or in all: facts and all their sums. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../command.ts';
import { ID } from '../../kit/flags.ts';

const DOCUMENT = graphql(
  'mutation RebuildAttribution { rebuildStart(input: {}) { organizations userErrors { message code } } }',
);

export const rebuildAttribution: Command = {
  name: 'rebuild attribution',
  summary:
    "Compares all facts with costing's ledger, repairs differences and recomputes all totals. To wait for it, run `settle`.",
  flags: { organization: { form: ID, about: 'default: all organizations' } },
  async run(args, gateway) {
    const { rebuildStart } = await gateway.ask(DOCUMENT, {}, args.optional('organization'));
    return { output: { organizations: rebuildStart.organizations } };
  },
};
