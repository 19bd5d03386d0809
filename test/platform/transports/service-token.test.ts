import { describe, expect, it } from 'vitest';
import { keyRing } from '#platform/key-ring.ts';
import { serviceOfToken, serviceToken } from '#platform/transports/service-token.ts';

const OLD = keyRing('signing', ['the secret that processes had in common before']);
const BOTH = keyRing('signing', [
  'the secret that processes have in common now',
  'the secret that processes had in common before',
]);
const NEW = keyRing('signing', ['the secret that processes have in common now']);

describe('the token of a subgraph', () => {
  it('identifies it as long as the gateway has its secret', () => {
    expect(serviceOfToken(serviceToken('alerting', OLD), BOTH)).toBe('alerting');
    expect(serviceOfToken(serviceToken('alerting', NEW), BOTH)).toBe('alerting');
    expect(serviceOfToken(serviceToken('alerting', OLD), NEW)).toBeNull();
  });

  it('belongs to no other subgraph', () => {
    const token = serviceToken('alerting', NEW);
    expect(serviceOfToken(token.replace('alerting', 'costing'), NEW)).toBeNull();
    for (const wrong of ['', 'svc_', 'svc_alerting_', `${token}x`, token.slice(0, -1), token.toUpperCase()])
      expect(serviceOfToken(wrong, NEW)).toBeNull();
  });
});
