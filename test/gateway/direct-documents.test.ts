/** A document that one subgraph can answer unchanged is sent to it directly, with no visible difference. */
import { randomUUID } from 'node:crypto';
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { directSubgraph } from '../../gateway/direct-documents.ts';
import { ROUTE_CALLS, exampleEvent } from '../support/route-calls.ts';
import { type ServiceWithEvents, serviceWithEvents } from '../support/service-with-events.ts';

const FETCH = { kind: 'Fetch', serviceName: 'costing' };

describe('the plan of a document', () => {
  const ofPlan = (document: string, operation: string, node: object = FETCH) =>
    directSubgraph(parse(document), { node: { ...FETCH, ...node, operation } });

  it.each([
    ['query Costs($a: Int!) { one(a: $a) { b c: d } }', 'query Costs__costing__0($a:Int!){one(a:$a){b c:d}}'],
    ['mutation { one { b } }', 'mutation{one{b}}'],
  ])('%j is answered by one subgraph', (document, operation) => {
    expect(ofPlan(document, operation)).toBe('costing');
  });

  it.each([
    ['other fields', '{ one { b } }', '{one{b __typename}}'],
    ['another order', '{ one { b c } }', '{one{c b}}'],
    ['names of types', '{ one { __typename } }', '{one{__typename}}'],
    ['fragments', '{ one { ...F } } fragment F on One { b }', '{one{b}}'],
    ['several operations', 'query A { one } query B { one }', '{one}'],
    ['another kind of operation', 'query { one }', 'mutation{one}'],
  ])('does not allow a direct request for %s', (_, document, operation) => {
    expect(ofPlan(document, operation)).toBeNull();
  });

  it('does not allow a direct request if it has more than one fetch, or none', () => {
    expect(ofPlan('{ one }', '{one}', { kind: 'Sequence' })).toBeNull();
    expect(directSubgraph(parse('{ one }'), {})).toBeNull();
  });
});

describe('documented reads', () => {
  let service: ServiceWithEvents;
  beforeAll(async () => {
    const mutation = 'dimensionRegister(input: { key: "team" }) { dimension { key } }';
    service = await serviceWithEvents([exampleEvent(), exampleEvent({ model: 'unheard-of' })], [mutation]);
  });
  afterAll(() => service.stop());

  // The first request is planned; later ones use the cached plan.
  it.each(ROUTE_CALLS.map(({ path }) => path))('%s has the same response each time', async (path) => {
    const answers = [await service.read(path), await service.read(path), await service.read(path)];
    expect(answers[0]!.status).toBe(200);
    for (const { status, text } of answers) expect({ status, text }).toEqual({ status: 200, text: answers[0]!.text });
  });

  it('fail the same way each time', async () => {
    const path = `/end-user-costs/${randomUUID()}/by-model?start_date=2026-01-01&end_date=2026-02-01`;
    const answers = [await service.read(path), await service.read(path)].map(({ status, body }) => ({
      status,
      error: { ...body.error, correlationId: null, referenceCode: null },
    }));
    expect(answers[0]).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
    expect(answers[1]).toEqual(answers[0]);
  });
});
