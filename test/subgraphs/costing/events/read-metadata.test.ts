import { describe, expect, it } from 'vitest';
import { printExactJson } from '#kernel/json/exact-json.ts';
import { readMetadata, type StoredAttribution } from '../../../../subgraphs/costing/events/read-metadata.ts';
import { NO_ATTRIBUTION } from '../../../support/stored-attribution.ts';

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
    expect(printExactJson(readMetadata({ ...NO_ATTRIBUTION, ...stored }))).toBe(expected);
  });
});
