import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printExactJson } from '../../../../kernel/exact-json.ts';
import {
  printMetadata,
  readMetadata,
  type StoredAttribution,
} from '../../../../subgraphs/costing/events/read-metadata.ts';

const NOTHING: StoredAttribution = {
  metadataJson: null,
  provider: null,
  feature: null,
  agentId: null,
  workflowId: null,
  units: null,
};

describe('the metadata of a stored event', () => {
  it.each<[string, Partial<StoredAttribution>, string]>([
    ['is empty where nothing was sent', {}, '{}'],
    [
      'is what was sent, to the digit',
      { metadataJson: '{"b":0.1000000000000000055,"a":[1e400]}' },
      '{"b":0.1000000000000000055,"a":[1e400]}',
    ],
    [
      'shows the attribution keys',
      { provider: 'openai', feature: 'f', agentId: 'a', workflowId: 'w', units: '2.5' },
      '{"provider":"openai","feature":"f","agent_id":"a","workflow_id":"w","units":2.5}',
    ],
    ['shows units exactly', { units: '123456789012.000000000000001' }, '{"units":123456789012.000000000000001}'],
    [
      'keeps the form of a key that was sent inside it',
      { metadataJson: '{"feature":12,"units":"2.50"}', feature: '12', units: '2.5' },
      '{"feature":12,"units":"2.50"}',
    ],
    [
      'lets the top level win',
      {
        metadataJson: '{"feature":"inside","units":1,"provider":"other"}',
        feature: 'top',
        units: '2',
        provider: 'openai',
      },
      '{"feature":"top","units":2,"provider":"openai"}',
    ],
  ])('%s', (_, stored, expected) => {
    expect(printExactJson(readMetadata({ ...NOTHING, ...stored }))).toBe(expected);
    expect(printMetadata({ ...NOTHING, ...stored })).toBe(expected);
  });

  // Names and texts that look like those of the other attribution keys, and like parts of the text.
  const word = fc.oneof(
    fc.constantFrom(
      'feature',
      'provider',
      'agent_id',
      'workflow_id',
      'units',
      'a"b',
      '"feature":',
      '{',
      ', "',
      '1.50',
      '',
    ),
    fc.string(),
  );
  const value = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 2 },
      word,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(word, tie('json'), { maxKeys: 3 }),
    ),
  })).json;
  const attribution = fc.option(word);
  const stored = fc.record({
    metadataJson: fc.option(fc.dictionary(word, value, { maxKeys: 5 }).map((metadata) => printExactJson(metadata))),
    provider: attribution,
    feature: attribution,
    agentId: attribution,
    workflowId: attribution,
    units: fc.option(fc.constantFrom('0', '2.5', '0.0000001', '123456789012.000000000000001')),
  });

  it('is printed alike from the text and from the value', () => {
    fc.assert(
      fc.property(stored, (event) => {
        expect(printMetadata(event)).toBe(printExactJson(readMetadata(event)));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['{ "a" : 1 }', '{"a": 1, "b": 2}', '{"a":1.0}', '{"a":1E2}', '{"a":-0}', '{}'])(
    'is printed alike where %s was stored by another printer',
    (metadataJson) => {
      const event = { ...NOTHING, metadataJson, feature: 'f' };
      expect(printMetadata(event)).toBe(printExactJson(readMetadata(event)));
    },
  );
});
