/** Detects the format of a price file from its content and reads it. */
import { isObject, type PublishedPrice } from './published-price.ts';
import { isLitellm, readLitellm } from './read-litellm.ts';
import { isModelsDev, readModelsDev } from './read-models-dev.ts';
import { isOpenrouter, readOpenrouter } from './read-openrouter.ts';
import { isPortkey, readPortkey } from './read-portkey.ts';

export interface PriceFile {
  readonly format: string;
  readonly prices: readonly PublishedPrice[];
}

const FORMATS = [
  { format: 'OpenRouter', isFormat: isOpenrouter, read: readOpenrouter },
  { format: 'Portkey', isFormat: isPortkey, read: readPortkey },
  { format: 'models.dev', isFormat: isModelsDev, read: readModelsDev },
  { format: 'LiteLLM', isFormat: isLitellm, read: readLitellm },
];

/** Throws if the content matches no format. */
export function readPriceFile(document: unknown, fileName: string): PriceFile {
  const found = isObject(document) ? FORMATS.find(({ isFormat }) => isFormat(document)) : undefined;
  if (!isObject(document) || found === undefined)
    throw new Error(`${fileName} is not a price file of models.dev, Portkey, LiteLLM or OpenRouter`);
  return { format: found.format, prices: found.read(document, fileName) };
}
