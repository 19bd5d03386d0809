import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import { makeSubgraph } from '#platform/subgraph/subgraph.ts';
import { revenue } from '../../../../subgraphs/revenue/main.ts';
import { type RevenueService, startRevenue } from '../revenue-builder.ts';
import { EASTER } from './ecb-rates.ts';

let service: RevenueService;
beforeAll(async () => {
  service = await startRevenue();
});
afterAll(() => service.close());

async function ask(document: string, variables: object = {}, grants: readonly string[] = ['operator']) {
  const subgraph = inProcessSubgraph(makeSubgraph(revenue, service.dependencies));
  const principal = { ...service.context.principal, grants };
  const { data, errors } = await subgraph.execute(document, { ...variables }, principal);
  return JSON.parse(JSON.stringify({ ...(data as object), codes: errors?.map((one) => one.extensions?.['code']) }));
}

const IMPORT = `mutation ($file: String!) { fxRatesImport(input: { file: $file }) {
  imported { firstDay lastDay added corrected unchanged } userErrors { field message code }
} }`;
const LIST = `query ($currency: String, $from: String, $until: String, $first: Int! = 100, $after: String) {
  fxRates(currency: $currency, from: $from, until: $until, first: $first, after: $after) {
    nodes { day base quote rate source } pageInfo { hasNextPage hasPreviousPage endCursor }
  }
}`;
const usd = async () =>
  (await ask(LIST, { currency: 'usd' }, ['revenue:read'])).fxRates.nodes.map(
    ({ day, rate }: Record<string, string>) => `${day} ${rate}`,
  );

describe('exchange rates', () => {
  it('are imported once, corrected by newer rows, and listed for every organization', async () => {
    const days = { firstDay: '2025-04-17', lastDay: '2025-04-25' };
    expect((await ask(IMPORT, { file: EASTER })).fxRatesImport).toEqual({
      imported: { ...days, added: 150, corrected: 0, unchanged: 0 },
      userErrors: [],
    });
    expect((await ask(IMPORT, { file: EASTER })).fxRatesImport.imported).toEqual({
      ...days,
      added: 0,
      corrected: 0,
      unchanged: 150,
    });
    const corrected = EASTER.replace('2025-04-22,1.1476', '2025-04-22,1.15');
    expect((await ask(IMPORT, { file: corrected })).fxRatesImport.imported).toMatchObject({
      added: 0,
      corrected: 1,
      unchanged: 149,
    });
    expect(await usd()).toEqual([
      '2025-04-25 1.1357',
      '2025-04-24 1.1376',
      '2025-04-23 1.1415',
      '2025-04-22 1.15',
      '2025-04-17 1.136',
    ]);
    expect(await service.rows("select rate from fx_rate where quote = 'USD' and day = '2025-04-22'")).toHaveLength(2);
  });

  it('are listed in pages, by currency and by day', async () => {
    const window = { from: '2025-04-22', until: '2025-04-24' };
    const { nodes, pageInfo } = (await ask(LIST, { ...window, first: 31 })).fxRates;
    expect(nodes[0]).toEqual({ day: '2025-04-23', base: 'EUR', quote: 'AUD', rate: '1.7814', source: 'ecb' });
    expect(nodes[30]).toMatchObject({ day: '2025-04-22', quote: 'AUD' });
    const rest = (await ask(LIST, { ...window, first: 31, after: pageInfo.endCursor })).fxRates;
    expect(rest.nodes).toHaveLength(29);
    expect(rest.nodes[0]).toMatchObject({ day: '2025-04-22', quote: 'BGN' });
    expect([pageInfo.hasNextPage, pageInfo.hasPreviousPage]).toEqual([true, false]);
    expect([rest.pageInfo.hasNextPage, rest.pageInfo.hasPreviousPage]).toEqual([false, true]);
  });

  it('reject an invalid file as a whole, and callers without permission', async () => {
    const broken = EASTER.replace('2025-04-17,1.136', '2025-04-16,zero');
    expect((await ask(IMPORT, { file: broken })).fxRatesImport).toEqual({
      imported: null,
      userErrors: [
        {
          field: ['input', 'file'],
          message: 'file: line 6 has a rate of USD that is not a positive number',
          code: 'VALIDATION_ERROR',
        },
      ],
    });
    expect(await usd()).toHaveLength(5);
    expect((await ask(IMPORT, { file: EASTER }, ['owner'])).codes).toEqual(['FORBIDDEN']);
    expect((await ask(LIST, {}, ['usage:read'])).codes).toEqual(['FORBIDDEN']);
    for (const variables of [{ currency: 'euro' }, { from: '2025-4-1' }, { first: 1001 }, { after: 'x' }])
      expect((await ask(LIST, variables)).codes, JSON.stringify(variables)).toEqual(['VALIDATION_ERROR']);
  });

  it('refuse a rate of the euro, including among the operator’s rates', async () => {
    const own = IMPORT.replace('file: $file', 'file: $file, source: OWN');
    for (const document of [IMPORT, own])
      expect((await ask(document, { file: 'Date,EUR\n2025-04-17,1.5\n' })).fxRatesImport).toMatchObject({
        imported: null,
        userErrors: [{ message: 'file must not have a column EUR: its rates are units of each currency for one euro' }],
      });
    expect((await ask(LIST, { currency: 'EUR' })).fxRates.nodes).toEqual([]);
  });

  it('leave an entry in the audit log of the installation', async () => {
    const entries = await service.rows<{ detail: string }>(
      "select detail from audit_record where act = 'fx_rates.imported' and organization_id = '00000000-0000-0000-0000-000000000000' order by id",
    );
    expect(entries.map(({ detail }) => detail)).toEqual([
      '2025-04-17 to 2025-04-25: 150 new, 0 corrected',
      '2025-04-17 to 2025-04-25: 0 new, 0 corrected',
      '2025-04-17 to 2025-04-25: 0 new, 1 corrected',
    ]);
  });
});
