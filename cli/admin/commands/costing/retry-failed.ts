/** Retries events whose processing was given up. */
import { graphql } from '#schema/graphql.ts';
import { ID } from '../../../kit/flags.ts';
import type { Command } from '../../command.ts';

const DOCUMENT = graphql('mutation RetryFailed { failedEventsRetry { retried: events userErrors { message code } } }');

export const retryFailed: Command = {
  name: 'retry-failed',
  summary: 'Retries events that could not be priced.',
  flags: { organization: { form: ID, about: 'default: all organizations' } },
  async run(args, gateway) {
    const { failedEventsRetry } = await gateway.ask(DOCUMENT, {}, args.optional('organization'));
    return { output: { retried: failedEventsRetry.retried } };
  },
};
