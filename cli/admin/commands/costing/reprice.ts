/** Prices completed events of an organization again and appends the differences. */
import { graphql } from '../../../../schema/graphql.ts';
import type { Command } from '../../command.ts';
import { text, TIME } from '../../../kit/flags.ts';
import { ORGANIZATION } from '../../flags.ts';

const DOCUMENT = graphql(`mutation Reprice($start: Instant!, $end: Instant!, $model: String, $dryRun: Boolean!) {
  reprice(start: $start, end: $end, model: $model, dryRun: $dryRun) {
    repricing_id: repricingId events difference by_model: byModel { model_slug: modelSlug day events difference }
  }
}`);

export const reprice: Command = {
  name: 'reprice',
  summary: 'Prices completed events again by the rates of today and appends the differences.',
  flags: {
    organization: ORGANIZATION,
    start: { form: TIME, required: true, about: 'events from this time on' },
    end: { form: TIME, required: true, about: 'and before this time' },
    model: { form: text('M'), about: 'of this model alone' },
    'dry-run': { about: 'show the differences and change nothing' },
  },
  async run(args, gateway) {
    const request = {
      start: args.text('start'),
      end: args.text('end'),
      model: args.optional('model'),
      dryRun: args.has('dry-run'),
    };
    return { output: (await gateway.ask(DOCUMENT, request, args.text('organization'))).reprice };
  },
};
