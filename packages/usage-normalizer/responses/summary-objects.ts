/** Recognizes objects of providers' APIs that are not calls, or sum up calls, which would be counted twice. */
import { type Fields, objectOf } from '#kernel/json/json-object.ts';

const BATCH = 'A batch sums up its calls, which would be counted twice. Send the lines of its output file instead';
const JOB = 'A fine-tuning job is not a call of a model. Record the cost of training as a fixed cost';
const STEP = 'A run contains the usage of its steps, which would be counted twice. Send the run instead of its steps';
const REPORT = 'A usage report sums up many calls. Send the response of each call instead';
const LIST = 'A list of responses is not a call. Send its items instead';
const BEGUN = 'The response is not complete and has no usage yet. Send it once it is complete';

/** Reasons by the field `object`, in which OpenAI, Mistral and others name the kind. */
const OBJECTS: readonly (readonly [RegExp, string])[] = [
  [/^batch$/, BATCH],
  [/^(?:fine_tuning\.|fine-tune|ft-)/, JOB],
  [/^thread\.run\.step/, STEP],
  [/^(?:organization\.|bucket$|eval\.)/, REPORT],
];
const UNFINISHED: ReadonlySet<unknown> = new Set(['queued', 'in_progress']);

/** The reason to reject the object; null if it may be a call. `usage`: its usage object. */
export function reasonAgainstSummary(response: Fields, around: Fields | null, usage: Fields | null): string | null {
  const { object, type, status } = response;
  const listed = typeof object === 'string' ? OBJECTS.find(([pattern]) => pattern.test(object)) : undefined;
  if (listed !== undefined) return listed[1];
  if (type === 'message_batch' || isBatchOfGemini(response) || isBatchOfGemini(around ?? {})) return BATCH;
  if (object === 'job' && 'trained_tokens' in response) return JOB;
  if (usage !== null) return null;
  if (object === 'list' || object === 'page') return LIST;
  return object === 'response' && UNFINISHED.has(status) ? BEGUN : null;
}

/** A long-running operation, whose metadata names its type, or the batch as client libraries return it. */
function isBatchOfGemini({ metadata, name }: Fields): boolean {
  const type = objectOf(metadata)['@type'];
  return (
    (typeof type === 'string' && type.endsWith('Batch')) || (typeof name === 'string' && /^batches\/[^/]+$/.test(name))
  );
}
