/** Every command, in the order of the usage text. */
import type { Command } from './command.ts';
import { agents } from './commands/agents.ts';
import { costs } from './commands/costs.ts';
import { login } from './commands/login.ts';
import { logout } from './commands/logout.ts';
import { margin } from './commands/margin.ts';
import { usage } from './commands/usage.ts';
import { whoami } from './commands/whoami.ts';

export const commands: readonly Command[] = [login, whoami, costs, margin, agents, usage, logout];
