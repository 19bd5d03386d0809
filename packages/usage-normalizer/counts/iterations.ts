/**
 * Calls in Anthropic's `usage.iterations` that the sums of the usage leave out. The sums contain every message of the
 * event's own model. Conversation compaction, an advisor, and a message of another model that produced output are
 * separate calls (decision 39).
 */
import { candidateNames } from '../names/candidate-names.ts';
import { countOrNull, valueAt } from './value-at.ts';

export interface Iteration {
  /** As reported; null: the event's own model. */
  readonly model: string | null;
  /** `advisor_message`, `compaction`, … */
  readonly type: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface Reported {
  readonly model: string;
  readonly providerUsage?: Readonly<Record<string, unknown>> | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

const NONE: readonly Iteration[] = [];
/** Types of calls that the sums leave out, for any model. */
export const SEPARATE_CALLS: ReadonlySet<string> = new Set(['compaction', 'advisor_message']);

/** Empty for almost every event. */
export function iterationsBesides({ model, providerUsage, metadata }: Reported): readonly Iteration[] {
  const reported = iterationsIn(providerUsage) ?? iterationsIn(metadata);
  if (!Array.isArray(reported)) return NONE;
  return reported.flatMap((fields: unknown): Iteration[] => {
    if (typeof fields !== 'object' || fields === null) return [];
    const [named, kind] = [valueAt(fields, ['model']), valueAt(fields, ['type'])];
    const type = typeof kind === 'string' ? kind : 'iteration';
    const other = typeof named === 'string' && !isSameModel(named, model) ? named : null;
    // A model that declined before producing output is not billed.
    const isAnswered = other !== null && (countOrNull(valueAt(fields, ['output_tokens'])) ?? 0) > 0;
    return isAnswered || SEPARATE_CALLS.has(type)
      ? [{ model: other, type, fields: fields as Iteration['fields'] }]
      : [];
  });
}

/** Additional models whose cards the event needs; undefined for almost every event. */
export function otherModelsOf(event: Reported): readonly string[] | undefined {
  const iterations = iterationsBesides(event);
  return iterations.length === 0 ? undefined : [...new Set(iterations.flatMap(({ model }) => model ?? []))];
}

/** Ignores differences in spelling: vendor, region, date, version, and dots instead of dashes. */
function isSameModel(one: string, other: string): boolean {
  return one === other || plainName(one) === plainName(other);
}

function plainName(model: string): string {
  const shortest = candidateNames(model).reduce(
    (short, { name }) => (name.length < short.length ? name : short),
    model,
  );
  return shortest
    .toLowerCase()
    .replace(/^.*[/]/, '')
    .replace(/^(?:[a-z-]+\.)?anthropic\./, '')
    .replaceAll('.', '-');
}

function iterationsIn(holder: Readonly<Record<string, unknown>> | null | undefined): unknown {
  if (!holder) return undefined;
  return holder['iterations'] ?? (holder['usage'] === undefined ? undefined : valueAt(holder, ['usage', 'iterations']));
}
