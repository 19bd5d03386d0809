/** Retries events whose processing was given up. */
import { graphql } from '#schema/graphql.ts';
import { ID } from '../../../kit/flags.ts';
import type { Command } from '../../command.ts';

const DOCUMENT = graphql('mutation RetryFailed { retried: retryFailedEvents }');

export const retryFailed: Command = {
  name: 'retry-failed',
  summary: 'Gives events that could not be priced another try.',
  flags: { organization: { form: ID, about: 'default: of all' } },
  run: async (args, gateway) => ({ output: await gateway.ask(DOCUMENT, {}, args.optional('organization')) }),
};
