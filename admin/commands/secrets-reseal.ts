/** Encrypts everything again under the current key, step by step; what is done already is left alone. */
import type { OperatorGateway } from '../../platform/operator-gateway.ts';
import type { Command } from '../command.ts';
import { listSealedValues } from '../sealed-values.ts';

const FIELDS = ['resealIdentityValues', 'resealRevenueValues'] as const;

interface Step {
  readonly kind: string;
  readonly resealed: number;
  readonly unreadable: number;
  readonly after: string | null;
}

export const secretsReseal: Command = {
  name: 'secrets reseal',
  summary:
    'Encrypts what is stored again under the current secret; may be interrupted. Exit 1 when some is left under another.',
  flags: {},
  async run(_given, gateway) {
    const counts = new Map<string, { kind: string; resealed: number; unreadable: number }>();
    for (const field of FIELDS) {
      for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
        const step: Step = await takeStep(gateway, field, after);
        const { resealed, unreadable } = counts.get(step.kind) ?? { resealed: 0, unreadable: 0 };
        counts.set(step.kind, {
          kind: step.kind,
          resealed: resealed + step.resealed,
          unreadable: unreadable + step.unreadable,
        });
        after = step.after;
      }
    }
    const values = await listSealedValues(gateway);
    const left = values.filter(({ is_current }) => !is_current);
    const kinds = [...counts.values()];
    const output = {
      key_id: values.find(({ is_current }) => is_current)?.key_id ?? null,
      resealed: kinds.reduce((sum, { resealed }) => sum + resealed, 0),
      left: left.reduce((sum, { count }) => sum + count, 0),
      kinds,
    };
    if (left.length === 0) return { output };
    const named = left.map(({ count, kind, key_id }) => `${count} ${kind} (${key_id ?? 'no key id'})`);
    return { output, fault: `Still under another key: ${named.join(', ')}` };
  },
};

async function takeStep(gateway: OperatorGateway, field: (typeof FIELDS)[number], after: string | null): Promise<Step> {
  const document = `mutation ($after: String) { step: ${field}(after: $after) { kind resealed unreadable after } }`;
  return (await gateway.ask<{ step: Step }>(document, { after })).step;
}
