/**
 * Expected validation errors of documents in plain text, by file. These files have a small schema or a joined subgraph of
 * their own, or test the error itself. Each message must match the file's pattern.
 */
export const EXPECTED_ERRORS: Readonly<Record<string, RegExp>> = {
  'docs/federation.md': /"(?:accountManager|_Any|_entities)"/,
  'test/chaos/joined-subgraph.ts': /"(?:notes|healthScore)"/,
  'test/gateway/direct-documents.test.ts': /"(?:one|One)"/,
  'test/gateway/failing-subgraphs.test.ts': /"(?:notes|healthScore|manager)"/,
  'test/gateway/meter-operation.test.ts': /"\$event" is never used/,
  'test/gateway/place-errors.test.ts': /"(?:one|two)"/,
  'test/gateway/refusals.test.ts': /"nothing"/,
  'test/kernel/json/outline-json.test.ts': /"P"/,
  'test/platform/database/array-literal.test.ts': /"(?:true|false|null)"/,
  'test/platform/http-peer.test.ts': /"x"/,
  'test/platform/parse-once.test.ts': /"ping"/,
  'test/platform/subgraph/mask-error.test.ts': /"(?:count|direction|Direction|list|either|amount|nothing)"/,
  'test/platform/transports/in-process-subgraph.test.ts': /"(?:thing|Thing|things|text|surely|sum|Range|add|fail)"/,
  'test/rest-adapter/openapi/derive-schema.test.ts': /"(?:shelf|names|Box)"/,
  'test/subgraphs/costing/ingestion/ingest-usage-events.test.ts': /"[ab]"/,
  'test/system/federation.test.ts': /"accountManager"/,
  'test/system/no-secrets.test.ts': /"x"/,
  'test/system/supergraph-file.test.ts': /"healthScore"/,
  'test/system/threats.test.ts': /SecondFactorStartInput\.password/,
};
