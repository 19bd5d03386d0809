import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFirstRun, type FirstRun } from '../../../../subgraphs/identity/operators/create-first-run.operation.ts';
import { createOperatorToken } from '../../../../subgraphs/identity/operators/create-operator-token.operation.ts';
import { identifyCaller } from '../../../../subgraphs/identity/callers/identify-caller.operation.ts';
import { listOperatorTokens } from '../../../../subgraphs/identity/operators/list-operator-tokens.operation.ts';
import { revokeOperatorToken } from '../../../../subgraphs/identity/operators/revoke-operator-token.operation.ts';
import { rotateOperatorToken } from '../../../../subgraphs/identity/operators/rotate-operator-token.operation.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { atOnce, type Identity, SEALING, startIdentity } from '../identity-builder.ts';

let world: Identity;
let firstToken: string;
let first: SubgraphContext;

beforeAll(async () => {
  world = await startIdentity();
  const written: FirstRun[] = [];
  // The fixture's organization already exists; a first start has none.
  await world.rows('delete from organization');
  await createFirstRun(world.database, SEALING, (firstRun) => written.push(firstRun));
  firstToken = written[0]!.operator_token;
  first = await contextOf(firstToken);
});
afterAll(() => world.close());

async function contextOf(token: string): Promise<SubgraphContext> {
  const principal = await identifyCaller(world.service, 'bearer', token, null);
  if (!principal) throw new Error('The token opens nothing');
  return world.contextOf({ ...principal, correlationId: 'test' });
}

async function names(): Promise<[string, boolean][]> {
  return (await listOperatorTokens(first)).map(({ name, revokedAt }) => [name, revokedAt === null]);
}

describe('operator tokens', () => {
  it('begin with the one of the first start, which cannot be revoked while it is the last one', async () => {
    expect(await names()).toEqual([['first-run', true]]);
    expect(first.principal).toMatchObject({ kind: 'operator', credentialName: 'first-run' });
    await expect(revokeOperatorToken(first, 'first-run')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('last operator token'),
    });
  });

  it('are created with a unique name, stored as a hash, and listed without the token', async () => {
    const { token, operatorToken } = await createOperatorToken(first, ' Ada ');
    expect(token).toMatch(/^op_[\w-]{43}$/);
    expect(operatorToken).toMatchObject({ name: 'Ada', createdBy: first.principal.credentialId, revokedAt: null });
    expect((await contextOf(token)).principal).toMatchObject({
      kind: 'operator',
      credentialName: 'Ada',
      credentialId: operatorToken.id,
    });
    await expect
      .poll(async () => (await listOperatorTokens(first)).find(({ name }) => name === 'Ada')?.lastUsedAt)
      .toBeInstanceOf(Date);
    expect(JSON.stringify([await listOperatorTokens(first), await world.rows('select * from operator')])).not.toContain(
      token.slice(3),
    );
    await expect(createOperatorToken(first, 'Ada')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(createOperatorToken(first, '  ')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('are rotated: the new one works, the old one ends at once', async () => {
    const { token: old } = await createOperatorToken(first, 'Bob');
    const { token } = await rotateOperatorToken(first, 'Bob');
    await expect(contextOf(old)).rejects.toThrow('opens nothing');
    expect((await contextOf(token)).principal.credentialName).toBe('Bob');
    expect((await names()).filter(([name]) => name === 'Bob')).toEqual([
      ['Bob', true],
      ['Bob', false],
    ]);
    await expect(rotateOperatorToken(first, 'Nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are revoked, never twice and never the last one, even concurrently', async () => {
    const { token } = await createOperatorToken(first, 'Eve');
    expect(await revokeOperatorToken(first, 'Eve')).toMatchObject({ name: 'Eve', revokedAt: expect.any(Date) });
    await expect(contextOf(token)).rejects.toThrow('opens nothing');
    await expect(revokeOperatorToken(first, 'Eve')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const active = (await names()).filter(([, isActive]) => isActive).map(([name]) => name);
    let next = 0;
    const { values, errors } = await atOnce(active.length, () => revokeOperatorToken(first, active[next++]!));
    expect([values.length, errors.length]).toEqual([active.length - 1, 1]);
    expect((await names()).filter(([, isActive]) => isActive)).toHaveLength(1);
  });

  it('operator tokens of one name are created once, even concurrently', async () => {
    const { values, errors } = await atOnce(8, () => createOperatorToken(first, 'Race'));
    expect([values.length, errors.length]).toEqual([1, 7]);
  });

  it('leave an audit record of every action, which an operator without an organization reads', async () => {
    const { data } = (await world.graphql(
      '{ auditLog(first: 200) { nodes { action actor credentialId detail } } }',
      {},
      first,
    )) as unknown as { data: { auditLog: { nodes: { action: string; detail: string; credentialId: string }[] } } };
    expect(data.auditLog.nodes).toEqual(
      expect.arrayContaining([
        {
          action: 'operator_token.created',
          actor: 'OPERATOR',
          credentialId: first.principal.credentialId,
          detail: 'Ada',
        },
        {
          action: 'operator_token.rotated',
          actor: 'OPERATOR',
          credentialId: first.principal.credentialId,
          detail: 'Bob',
        },
        {
          action: 'operator_token.revoked',
          actor: 'OPERATOR',
          credentialId: first.principal.credentialId,
          detail: 'Eve',
        },
      ]),
    );
  });

  it.each([
    '{ operatorTokens { id } }',
    'mutation { operatorTokenCreate(input: { name: "n" }) { newOperatorToken { token } userErrors { message code } } }',
    'mutation { operatorTokenRotate(input: { name: "Race" }) { newOperatorToken { token } userErrors { message code } } }',
    'mutation { operatorTokenRevoke(input: { name: "Race" }) { operatorToken { id } userErrors { message code } } }',
    '{ identitySealedValues { count } }',
    'mutation { identityValuesReseal(input: {}) { step { resealed } userErrors { message code } } }',
  ])('are only for operators: %s', async (document) => {
    const owner = world.contextOf({ ...first.principal, kind: 'session', grants: ['owner', 'admin', 'member'] });
    expect(await world.graphql(document, {}, owner)).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
  });
});
