/** Compares the standard rate cards with third-party price files. It never imports. */
import { amount } from '#kernel/money.ts';
import { graphql } from '#schema/graphql.ts';
import { ID, text } from '../../../kit/flags.ts';
import { readJsonFile } from '../../../kit/read-json-file.ts';
import type { Command } from '../../command.ts';
import type { PublishedPrice } from '../../price-files/published-price.ts';
import { readPriceFile } from '../../price-files/read-price-file.ts';

const DOCUMENT = graphql(`query CatalogCheck($prices: [PublishedPrice!]!) {
  catalogueCheck(prices: $prices) {
    compared notCompared
    differences {
      provider model class context above_input_tokens: aboveInputTokens ours theirs percent
      cost_at_ours: costAtOurs cost_at_theirs: costAtTheirs amount_at_stake: amountAtStake
    }
  }
}`);

/** Maximum number of models in one request. */
const MODELS_MAX = 1_000;

export const catalogCheck: Command = {
  name: 'catalog check',
  summary:
    'Compares rates with price files of models.dev, Portkey, LiteLLM or OpenRouter. Exits with 1 if any differ. Imports nothing.',
  flags: {
    file: {
      form: text('FILE'),
      required: true,
      repeated: true,
      positional: true,
      about: 'a price file; the format is detected from its content',
    },
    organization: { form: ID, about: 'weigh by the usage of this organization in the last 30 days; default: of all' },
  },
  async run(args, gateway) {
    const organizationId = args.optional('organization');
    // All files are read before anything is compared, so a bad file is reported at once.
    const files = args.all('file').map((file) => ({ file, ...readPriceFile(readJsonFile(file), file) }));
    const output = [];
    for (const { file, format, prices } of files) {
      const differences = [];
      let [compared, notCompared] = [0, 0];
      for (const part of byModels(prices)) {
        const { catalogueCheck } = await gateway.ask(DOCUMENT, { prices: part }, organizationId);
        compared += catalogueCheck.compared;
        notCompared += catalogueCheck.notCompared;
        differences.push(...catalogueCheck.differences);
      }
      const sorted = differences.toSorted((one, other) => largestFirst(one.amount_at_stake, other.amount_at_stake));
      output.push({ file, format, compared, not_compared: notCompared, differences: sorted });
    }
    const found = output.reduce((sum, { differences }) => sum + differences.length, 0);
    return found === 0 ? { output } : { output, error: `${found} rates differ by more than 1%` };
  },
};

/** Keeps the prices of a model in one request: each rate is judged in relation to the others. */
function byModels(prices: readonly PublishedPrice[]): PublishedPrice[][] {
  const models = [...Map.groupBy(prices, ({ provider, model }) => JSON.stringify([provider, model])).values()];
  return Array.from({ length: Math.ceil(models.length / MODELS_MAX) }, (_, index) =>
    models.slice(index * MODELS_MAX, (index + 1) * MODELS_MAX).flat(),
  );
}

function largestFirst(one: string, other: string): number {
  const [first, second] = [one, other].map((text) => amount(text.replace('-', '')));
  return first === second ? 0 : first! > second! ? -1 : 1;
}
