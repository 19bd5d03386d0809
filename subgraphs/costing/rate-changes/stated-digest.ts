/**
 * A digest of all rates that are stated by hand. It is part of the name of the built-in catalogue, so an installation imports the catalogue again
 * whenever such a rate changes.
 */
import { createHash } from 'node:crypto';
import { DATED_ALIASES } from '../rates/corrections/dated-aliases.ts';
import { PRICE_CORRECTIONS } from '../rates/corrections/price-corrections.ts';
import { STATED_CLASSES } from '../rates/stated-classes.ts';
import { STATED_CONTEXTS } from '../rates/stated-contexts.ts';
import { STATED_BATCHES } from '../rates/stated-batches.ts';
import { STATED_REGIONS } from '../rates/stated/stated-regions.ts';
import { STATED_FEES } from './stated-fees.ts';
import { STATED_MODELS } from './stated-models.ts';
import { STATED_NAMES } from './stated-names.ts';

const DIGEST_CHARACTERS = 12;

/** Every table that an import adds to the catalogue. */
export const STATED_TABLES: Readonly<Record<string, unknown>> = {
  DATED_ALIASES,
  PRICE_CORRECTIONS,
  STATED_BATCHES,
  STATED_CLASSES,
  STATED_CONTEXTS,
  STATED_FEES,
  STATED_MODELS,
  STATED_NAMES,
  STATED_REGIONS,
};

/** The beginning of a SHA-256, in hex. */
export function digestOf(tables: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(tables, (_key, value: unknown) =>
    value instanceof RegExp || typeof value === 'function' ? String(value) : value,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARACTERS);
}
