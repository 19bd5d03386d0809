/** `books alerts`: open alerts. Exits with status 2 while there are any, for scripts. */
import { printExactJson } from '#kernel/json/exact-json.ts';
import { anyText } from '../../kit/flags.ts';
import { UsageError } from '../../kit/usage-error.ts';
import type { Command } from '../command.ts';
import { formatCsv, formatSheet } from '../format-sheet.ts';
import { currentLogin, postApi } from '../read-api.ts';

interface Alerts {
  readonly total_count: number;
  readonly items: readonly {
    readonly state: 'OPEN' | 'CLOSED';
    readonly rule: { readonly name: string; readonly is_muted: boolean } | null;
    readonly kind: string;
    readonly group_name: string | null;
    readonly severity: string;
    readonly opened_at: string;
    readonly closed_at: string | null;
    readonly sentence: string;
    readonly path: string;
  }[];
}

const STATES = ['open', 'closed', 'all'];
const FIRING = 2;

export const alerts: Command = {
  name: 'alerts',
  summary: 'Open alerts, newest first; exits with 2 if there are any',
  flags: {
    state: { form: anyText(STATES.join('|')), about: 'Default: open' },
    json: { about: 'Print the API response unchanged' },
    csv: { about: 'Print the table as CSV' },
    api: { form: anyText('URL'), about: 'Address of the service' },
  },
  async run(args, dependencies) {
    if (args.has('json') && args.has('csv')) throw new UsageError('Give either --json or --csv, not both');
    const state = args.optional('state') ?? 'open';
    if (!STATES.includes(state)) throw new UsageError(`--state must be one of ${STATES.join(', ')}`);
    const reply = await postApi<Alerts>(
      '/alerts',
      printExactJson({ state, first: 200 }),
      currentLogin(args, dependencies),
    );
    dependencies.print(args.has('json') ? reply.text : present(reply.body, args.has('csv')));
    return reply.body.items.some((item) => item.state === 'OPEN') ? FIRING : 0;
  },
};

function present({ items, total_count: total }: Alerts, isCsv: boolean): string {
  const sheet = {
    facts: [['Alerts', String(total)] as const],
    columns: [
      { name: 'rule', title: 'Alert', kind: 'text' as const },
      { name: 'severity', title: 'Severity', kind: 'text' as const },
      { name: 'opened_at', title: 'Since', kind: 'text' as const },
      { name: 'closed_at', title: 'Until', kind: 'text' as const },
      { name: 'sentence', title: 'Message', kind: 'text' as const },
    ],
    rows: items.map(({ rule, kind, group_name: group, ...item }) => ({
      ...item,
      rule: `${rule?.name ?? kind}${group === null ? '' : `: ${group}`}${rule?.is_muted === true ? ' (muted)' : ''}`,
      severity: item.severity.toLowerCase(),
    })),
    remarks: total > items.length ? [`Only the newest ${items.length} are shown.`] : [],
  };
  return isCsv ? formatCsv(sheet) : formatSheet(sheet);
}
