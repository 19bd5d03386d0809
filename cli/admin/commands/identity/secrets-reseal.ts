/** Re-encrypts all secrets with the current key, step by step; values already done are skipped. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { listSealedValues } from '../../sealed-values.ts';

const STEP = 'kind resealed unreadable discarded after';
const DOCUMENTS = [
  graphql(`mutation ResealIdentityValues($after: String, $discard: Boolean!) {
    outcome: identityValuesReseal(input: { after: $after, discardUnreadable: $discard }) { step { ${STEP} } userErrors { message code } }
  }`),
  graphql(`mutation ResealRevenueValues($after: String, $discard: Boolean!) {
    outcome: revenueValuesReseal(input: { after: $after, discardUnreadable: $discard }) { step { ${STEP} } userErrors { message code } }
  }`),
  graphql(`mutation ResealAlertingValues($after: String, $discard: Boolean!) {
    outcome: alertingValuesReseal(input: { after: $after, discardUnreadable: $discard }) { step { ${STEP} } userErrors { message code } }
  }`),
  graphql(`mutation ResealReconciliationValues($after: String, $discard: Boolean!) {
    outcome: reconciliationValuesReseal(input: { after: $after, discardUnreadable: $discard }) { step { ${STEP} } userErrors { message code } }
  }`),
];

interface Counts {
  readonly resealed: number;
  readonly unreadable: number;
  readonly discarded: number;
}

interface Step extends Counts {
  readonly kind: string;
  readonly after: string | null;
}

const NONE: Counts = { resealed: 0, unreadable: 0, discarded: 0 };

export const secretsReseal: Command = {
  name: 'secrets reseal',
  summary:
    'Re-encrypts stored secrets with the current key; can be interrupted. Exits with 1 if any remain under other keys.',
  flags: {
    'discard-unreadable': {
      about:
        'discard what no key can decrypt: test keys are never shown again; second factors, payment connections, alert channels and bill connections stop working',
    },
  },
  async run(args, gateway) {
    const counts = new Map<string, Counts>();
    for (const document of DOCUMENTS) {
      for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
        const { outcome } = await gateway.ask(document, { after, discard: args.has('discard-unreadable') });
        const step: Step = outcome.step!;
        const { resealed, unreadable, discarded } = counts.get(step.kind) ?? NONE;
        counts.set(step.kind, {
          resealed: resealed + step.resealed,
          unreadable: unreadable + step.unreadable,
          discarded: discarded + step.discarded,
        });
        after = step.after;
      }
    }
    const values = await listSealedValues(gateway);
    const left = values.filter(({ is_current }) => !is_current);
    const kinds = [...counts].map(([kind, count]) => ({ kind, ...count }));
    const output = {
      key_id: values.find(({ is_current }) => is_current)?.key_id ?? null,
      resealed: kinds.reduce((sum, { resealed }) => sum + resealed, 0),
      left: left.reduce((sum, { count }) => sum + count, 0),
      kinds,
    };
    if (left.length === 0) return { output };
    const named = left.map(({ count, kind, key_id }) => `${count} ${kind} (${key_id ?? 'no key id'})`);
    return { output, error: `Still under another key: ${named.join(', ')}` };
  },
};
