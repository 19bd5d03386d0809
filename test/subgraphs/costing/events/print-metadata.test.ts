import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printExactJson } from '../../../../kernel/exact-json.ts';
import { ListPrinter } from '../../../../kernel/printed-list.ts';
import { metadataPrinter } from '../../../../subgraphs/costing/events/print-metadata.ts';
import { readMetadata, type StoredAttribution } from '../../../../subgraphs/costing/events/read-metadata.ts';
import { byteRow } from '../../../support/byte-row.ts';
import { NO_ATTRIBUTION } from '../../../support/stored-attribution.ts';

const print = metadataPrinter({ metadataJson: 0, provider: 1, feature: 2, agentId: 3, workflowId: 4, units: 5 });

function printMetadata({ metadataJson, provider, feature, agentId, workflowId, units }: StoredAttribution): string {
  const list = new ListPrinter();
  list.begin();
  print(byteRow([metadataJson, provider, feature, agentId, workflowId, units]), list);
  return Buffer.concat(list.end().parts).toString().slice(1, -1);
}

describe('the metadata of an event, printed from its bytes', () => {
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

  it('is what its value is printed as', () => {
    fc.assert(
      fc.property(stored, (event) => {
        expect(printMetadata(event)).toBe(printExactJson(readMetadata(event)));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    '{ "a" : 1 }',
    '{"a":\t1}',
    '{\n"a":1}',
    '{"a":1.5e3}',
    '{"a":-0.10}',
    '{"feature":"f","feature":"f"}',
    '{"a":[-0]}',
    '{"a":"-0"}',
    '{"a": 1, "b": 2}',
    '{"a":1.0}',
    '{"a":1E2}',
    '{"a":-0}',
    '{}',
  ])('is printed alike where %s was stored by another printer', (metadataJson) => {
    const event = { ...NO_ATTRIBUTION, metadataJson, feature: 'f' };
    expect(printMetadata(event)).toBe(printExactJson(readMetadata(event)));
  });
});
