/** Retries events whose processing was given up. */
import { graphql } from '#schema/graphql.ts';
import { ID } from '../../../kit/flags.ts';
import type { Command } from '../../command.ts';

const DOCUMENT = graphql('mutation RetryFailed { retried: retryFailedEvents }');

export const retryFailed: Command = {
  name: 'retry-failed',
  summary: 'Retries events that could not be priced.',
  flags: { organization: { form: ID, about: 'default: all organizations' } },
  run: async (args, gateway) => ({ output: await gateway.ask(DOCUMENT, {}, args.optional('organization')) }),
};
