/**
 * What Anthropic's `usage.iterations` report besides the sums of the usage: work of another model (`advisor_message`), and what was
 * spent on compacting the conversation, which the sums leave out. One response has several cost lines then (decision 39).
 */
import { valueAt } from './value-at.ts';

export interface Iteration {
  /** As reported; null: the event's own. */
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
/** Those of the event's own model that its sums leave out. */
const APART: ReadonlySet<string> = new Set(['compaction']);

/** Empty for almost every event. */
export function iterationsBesides({ model, providerUsage, metadata }: Reported): readonly Iteration[] {
  const reported = iterationsIn(providerUsage) ?? iterationsIn(metadata);
  if (!Array.isArray(reported)) return NONE;
  return reported.flatMap((fields: unknown): Iteration[] => {
    if (typeof fields !== 'object' || fields === null) return [];
    const [named, kind] = [valueAt(fields, ['model']), valueAt(fields, ['type'])];
    const type = typeof kind === 'string' ? kind : 'iteration';
    const other = typeof named === 'string' && named !== model ? named : null;
    return other !== null || APART.has(type) ? [{ model: other, type, fields: fields as Iteration['fields'] }] : [];
  });
}

/** Models besides its own whose cards the event needs; undefined for almost every event. */
export function otherModelsOf(event: Reported): readonly string[] | undefined {
  const iterations = iterationsBesides(event);
  return iterations.length === 0 ? undefined : [...new Set(iterations.flatMap(({ model }) => model ?? []))];
}

function iterationsIn(holder: Readonly<Record<string, unknown>> | null | undefined): unknown {
  if (!holder) return undefined;
  return holder['iterations'] ?? (holder['usage'] === undefined ? undefined : valueAt(holder, ['usage', 'iterations']));
}
