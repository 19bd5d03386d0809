/** What the groups of endpoints are about. */
import type { JsonSchema } from '../json-schema.ts';

const ABOUT: Readonly<Record<string, string>> = {
  Ingestion: 'Usage events in: signed, deduplicated, safe to send again.',
  OAuth: 'Keys for programs that people let in: the authorization code grant with PKCE, and the device grant.',
  'API keys': 'What people at a browser do to keys.',
  Ping: 'What a key is and may do.',
  'Cost data': 'What the calls cost, by time, provider and model.',
  'End-user costs': 'What one of your end users cost.',
  Attribution: 'Costs by what they were for: agents and other attribution keys.',
  Dimensions: 'Costs by the metadata keys that the organization registered.',
  Usage: 'The events themselves and how many there are.',
  Margin: 'Revenue against cost, for each end user and for the organization.',
  'Rate cards': 'The rates that apply, for estimates ahead of a call.',
};

/** In the order of first mention. Throws on a tag that nobody has described. */
export function describeTags(names: readonly string[]): JsonSchema[] {
  return [...new Set(names)].map((name) => {
    const description = ABOUT[name];
    if (description === undefined) throw new Error(`The tag ${name} is not described`);
    return { name, description };
  });
}
