/** Makes an organization and its owner. */
import type { Command } from '../command.ts';
import { text } from '../flag-forms.ts';

const DOCUMENT = `mutation ($name: String!, $ownerEmail: String!, $ownerPassword: String!) {
  createOrganization(name: $name, ownerEmail: $ownerEmail, ownerPassword: $ownerPassword) {
    organization { organization_id: id name }
    owner_user_id: ownerUserId
  }
}`;

interface Answer {
  readonly createOrganization: { readonly organization: object; readonly owner_user_id: string };
}

export const organizationCreate: Command = {
  name: 'organization create',
  summary: 'Makes an organization and its owner.',
  flags: {
    name: { form: text('N'), required: true, about: 'its name' },
    'owner-email': { form: text('E'), required: true, about: 'the e-mail address the owner signs in with' },
    'owner-password': { form: text('P'), required: true, secret: true, about: "the owner's password" },
  },
  async run(given, gateway) {
    const wish = { name: given.text('name'), ownerEmail: given.text('owner-email'), ownerPassword: given.text('owner-password') };
    const { organization, owner_user_id } = (await gateway.ask<Answer>(DOCUMENT, wish)).createOrganization;
    return { output: { ...organization, owner_user_id } };
  },
};
