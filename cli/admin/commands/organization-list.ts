/** Lists every organization. */
import type { Command } from '../command.ts';

const DOCUMENT = '{ organizations { organization_id: id name created_at: createdAt } }';

export const organizationList: Command = {
  name: 'organization list',
  summary: 'Lists every organization.',
  flags: {},
  async run(_given, gateway) {
    return { output: (await gateway.ask<{ organizations: object[] }>(DOCUMENT)).organizations };
  },
};
