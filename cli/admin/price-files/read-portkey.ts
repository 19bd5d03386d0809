/** Reads a file of Portkey's `pricing` folder: US cents per token, by model. The file name is the provider. */
import { isObject, type JsonObject, type PublishedPrice, ratesOf, withRates } from './published-price.ts';

const CLASSES: Readonly<Record<string, string>> = {
  request_token: 'input',
  response_token: 'output',
  cache_read_input_token: 'cache_read',
  cache_write_input_token: 'cache_creation',
  request_audio_token: 'input_audio',
  response_audio_token: 'output_audio',
};
const PER_MILLION = 1_000_000 / 100;
/** Models priced by size are listed twice: `gemini-2.5-pro-lte-128k`, `gemini-2.5-pro-gt-128k`. */
const SIZE = /-(lte|gt)-(\d+)k$/;

export function isPortkey(document: JsonObject): boolean {
  return Object.values(document).some((model) => isObject(model) && isObject(model['pricing_config']));
}

export function readPortkey(document: JsonObject, fileName: string): PublishedPrice[] {
  const provider = fileName.replace(/^.*[\\/]/, '').replace(/\.json$/i, '');
  return withRates(
    Object.entries(document).flatMap(([name, value]) => {
      const config = isObject(value) ? value['pricing_config'] : null;
      if (name === 'default' || !isObject(config)) return [];
      const [, comparison, thousands] = SIZE.exec(name) ?? [];
      const model = {
        provider,
        model: name.replace(SIZE, ''),
        aboveInputTokens: comparison === 'gt' ? Number(thousands) * 1_000 : 0,
      };
      return [
        { ...model, context: '', rates: ratesIn(config['pay_as_you_go']) },
        { ...model, context: 'tier=batch', rates: ratesIn(config['batch_config']) },
      ];
    }),
  );
}

function ratesIn(prices: unknown): PublishedPrice['rates'] {
  if (!isObject(prices)) return [];
  const stated = Object.entries(prices).map(([field, value]) => [field, isObject(value) ? value['price'] : null]);
  return ratesOf(Object.fromEntries(stated) as JsonObject, CLASSES, PER_MILLION);
}
