/** The flag of every command that acts on one organization. */
import type { Flag } from './command.ts';
import { ID } from './flag-forms.ts';

export const ORGANIZATION = { form: ID, required: true, about: 'the organization' } as const satisfies Flag;
