/** Facts about each source: its name, when it settles a day, and how long it may revise one. */
import { DAY_MS, HOUR_MS } from '#kernel/time/duration.ts';
import type { BillSource, ReadBill } from '../lines/bill-line.ts';

interface SourceFacts {
  readonly name: string;
  /** Hours after the end of a day until the provider's figures for it are final. */
  readonly settleHours: number;
  /** Days for which the provider may revise a day. Within them, a day is not settled if its last two pulls differ. */
  readonly revisedDays: number;
  /** Absent for sources that state amounts before credits, or that do not state what credits paid. */
  readonly statesCredits?: true;
}

const FACTS: Readonly<Record<BillSource, SourceFacts>> = {
  'anthropic.analytics': { name: 'Anthropic', settleHours: 24, revisedDays: 30 },
  'anthropic.cost_report': { name: 'Anthropic cost report', settleHours: 24, revisedDays: 30 },
  'openai.costs': { name: 'OpenAI', settleHours: 12, revisedDays: 3 },
  'aws.cur2': { name: 'AWS Cost and Usage Report', settleHours: 48, revisedDays: 35, statesCredits: true },
  'aws.focus': { name: 'AWS FOCUS', settleHours: 48, revisedDays: 35, statesCredits: true },
  'gcp.billing': { name: 'Google Cloud', settleHours: 48, revisedDays: 35, statesCredits: true },
  'azure.focus': { name: 'Azure FOCUS', settleHours: 48, revisedDays: 35, statesCredits: true },
  'openrouter.activity': { name: 'OpenRouter', settleHours: 24, revisedDays: 2 },
  'xai.usage': { name: 'xAI', settleHours: 24, revisedDays: 2 },
  'fireworks.usage': { name: 'Fireworks', settleHours: 24, revisedDays: 3 },
  'vercel.focus': { name: 'Vercel', settleHours: 24, revisedDays: 3, statesCredits: true },
  'focus.file': { name: 'FOCUS', settleHours: 24, revisedDays: 3, statesCredits: true },
};

/** Sources that can be read with one key from one host. */
const PULLED = ['anthropic.cost_report', 'openai.costs', 'openrouter.activity'] as const;

export type PulledSource = (typeof PULLED)[number];

export function isPulledSource(text: string): text is PulledSource {
  return (PULLED as readonly string[]).includes(text);
}

export const PULLED_SOURCES: string = PULLED.join(', ');

export function titleOfSource(source: BillSource): string {
  return FACTS[source].name;
}

export function settleHoursOf(source: BillSource): number {
  return FACTS[source].settleHours;
}

/** True if the source's bills state what was paid with credits. */
export function statesCredits(source: BillSource): boolean {
  return FACTS[source].statesCredits === true;
}

/** FOCUS files from different providers belong to different connections. */
export function nameOfSource({ source, lines }: ReadBill): string {
  const providers = [...new Set(lines.map(({ provider }) => provider))].filter((name) => name !== 'other').sort();
  const { name } = FACTS[source];
  return source === 'focus.file' && providers.length > 0 ? `${name} ${providers.join(', ').slice(0, 80)}` : name;
}

/** Why a day is not settled; null if it is. */
export function whyUnsettled(
  { source, settleHours }: { readonly source: BillSource; readonly settleHours: number },
  day: string,
  hasChanged: boolean,
  at: Date,
): { readonly state: 'OPEN' | 'SETTLING'; readonly reason: string } | null {
  const age = at.getTime() - (Date.parse(`${day}T00:00:00Z`) + DAY_MS);
  if (age < 0) return { state: 'OPEN', reason: 'the day is not over' };
  if (age < settleHours * HOUR_MS)
    return { state: 'SETTLING', reason: `the provider settles a day ${settleHours} hours after it ends` };
  if (hasChanged && age < FACTS[source].revisedDays * DAY_MS)
    return { state: 'SETTLING', reason: 'the last two pulls differ' };
  return null;
}
