/** Rates of classes that the catalogue leaves out, per model: read by hand, to be reviewed by a person (`stated-rates.ts` has the rules). */
import type { TokenClass } from '../../../schema/token-classes.ts';
import { GEMINI } from './stated-contexts.ts';

interface StatedClass {
  readonly provider: string;
  readonly models: readonly string[];
  readonly rates: Readonly<Partial<Record<TokenClass, { readonly rate: string } | { readonly like: TokenClass }>>>;
  readonly source: string;
  readonly date: string;
}

export const STATED_CLASSES: readonly StatedClass[] = [
  {
    provider: 'openai',
    models: ['gpt-4o-audio-preview'],
    rates: { inputAudio: { rate: '40' }, outputAudio: { rate: '80' } },
    source: 'developers.openai.com/api/docs/models/gpt-4o-audio-preview',
    date: '2026-11-22',
  },
  {
    provider: 'openai',
    models: ['gpt-4o-mini-audio-preview'],
    rates: { inputAudio: { rate: '10' }, outputAudio: { rate: '20' } },
    source: 'huggingface.co/spaces/noumanjavaid/pricing, read next to the page of gpt-4o-audio-preview',
    date: '2026-11-22',
  },
  {
    provider: 'openai',
    models: ['gpt-image-1', 'gpt-image-1-mini', 'gpt-image-2'],
    rates: { outputImage: { like: 'output' } },
    source: 'the catalogue: the output of these models is pictures alone',
    date: '2026-11-22',
  },
  {
    provider: 'google',
    models: [
      ...GEMINI,
      'gemini-1.5-pro',
      'gemini-1.5-flash',
      'gemini-3.6-flash',
      'gemini-3.7-flash',
      'gemini-3.8-flash',
    ],
    rates: { inputAudio: { like: 'input' } },
    source: 'ai.google.dev/gemini-api/docs/pricing: one input price where audio is not listed apart',
    date: '2026-11-22',
  },
];
