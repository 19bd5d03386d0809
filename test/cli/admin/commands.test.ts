/** The requests that operator commands send, and their exit codes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { commands } from '../../../cli/admin/command-list.ts';
import { runAdmin } from '../../../cli/admin/run-admin.ts';
import type { Flag } from '../../../cli/kit/flags.ts';
import { projectPath } from '../../support/project-files.ts';
import { runningService, type RunningService } from '../../support/running-service.ts';
import { type Asked, type Changes, watchGraphql } from '../../support/watched-graphql.ts';
import { supergraphFields } from '../../schema/supergraph-fields.ts';

const AN_ID = '00000000-0000-4000-8000-00000000000a';
let service: RunningService;
beforeAll(async () => {
  service = await runningService();
});
afterAll(() => service.stop());

interface Ran {
  readonly code: number;
  readonly output: any;
  readonly error: string;
  readonly asked: readonly Asked[];
}

/** Runs a command against the service, with some of its answers changed. */
async function admin(words: readonly string[], changes: Changes = {}): Promise<Ran> {
  const watched = await watchGraphql(service, changes);
  const written = { out: '', error: '' };
  const into = (stream: keyof typeof written) => ({ write: (text: string) => (written[stream] += text) });
  try {
    const environment = { ADMIN_URL: watched.url, ADMIN_TOKEN: service.firstRun.operator_token };
    const terminal = { stdout: into('out'), stderr: into('error') };
    const code = await runAdmin([...words, '--json'], terminal, environment);
    return {
      code,
      output: written.out === '' ? null : JSON.parse(written.out),
      error: written.error,
      asked: watched.asked,
    };
  } finally {
    watched.stop();
  }
}

let organizations = 0;

const NAME = 'N';

/** Creates an organization with this name and returns its id. */
async function newOrganization(): Promise<string> {
  organizations++;
  const owner = [
    '--owner-email',
    `owner-${organizations}@example.com`,
    '--owner-password',
    'correct horse battery staple',
  ];
  const { output } = await admin(['organization', 'create', '--name', NAME, ...owner]);
  return output.organization_id;
}

const fieldsOf = (asked: readonly Asked[]) => asked.flatMap(({ fields }) => fields);

describe('a command for one organization', () => {
  /** These commands open the databases themselves. */
  const LOCAL = ['sql-access create', 'sql-access revoke'];
  /** Flags of which a command needs one, or none. */
  const MORE: Readonly<Record<string, readonly (readonly string[])[]>> = {
    'key create': [['--preset', 'read']],
    'rate set': [['--input', '1', '--output', '1']],
    'rate alias': [[], ['--name', 'chat', '--provider', 'azure', '--model', 'gpt-4o']],
    'rate policy': [[], ['--unknown-context', 'base']],
    'bill source': [[], ['--connection', AN_ID, '--settle-hours', '1']],
    reprice: [[], ['--dry-run']],
    'user sessions': [['--id', AN_ID]],
  };
  /** Fields that are read without an organization. */
  const OF_ALL = ['organizations', 'accountUser'];

  const VALUES: Readonly<Record<string, string>> = {
    file: projectPath('test/cli/admin/price-files/litellm.json'),
    email: 'person@example.com',
    end: '2026-01-02',
    from: '2026-01',
    through: '2026-01',
  };
  const valueOf = (flag: string, { form }: Flag): string =>
    VALUES[flag] ?? [form!.hint.split('|')[0]!, AN_ID, '1', '2026-01-01'].find((text) => form!.read(text) !== null)!;
  const named = commands.filter(({ name, flags }) => 'organization' in flags && !LOCAL.includes(name));
  const calls = named.flatMap(({ name, flags }) => {
    const required = Object.entries(flags).filter(([flag, { required }]) => required && flag !== 'organization');
    const words = [...name.split(' '), ...required.flatMap(([flag, one]) => [`--${flag}`, valueOf(flag, one)])];
    return (MORE[name] ?? [[]]).map((more) => ({ words: [...words, ...more], flag: flags['organization'] as Flag }));
  });

  it.each(calls)('$words names it in every request', async ({ words, flag }) => {
    const id = await newOrganization();
    const { asked } = await admin([...words, '--organization', id]);
    const own = asked.filter(({ fields }) => !fields.some((field) => OF_ALL.includes(field)));
    expect(own.length).toBeGreaterThan(0);
    expect(new Set(own.map(({ organizationId }) => organizationId))).toEqual(new Set([id]));
    if (flag.required || words[0] === 'verify') return;
    const { asked: ofAll } = await admin(words);
    expect(new Set(ofAll.map(({ organizationId }) => organizationId))).toEqual(new Set([undefined]));
  });
});

describe('a command reaches every subgraph that it concerns', () => {
  const mutations = (pattern: RegExp) =>
    [...supergraphFields().keys()]
      .flatMap((field) => (field.startsWith('Mutation.') ? [field.slice('Mutation.'.length)] : []))
      .filter((field) => pattern.test(field))
      .toSorted();

  it('organization delete', async () => {
    const id = await newOrganization();
    const { asked } = await admin(['organization', 'delete', '--organization', id, '--name', NAME]);
    const deleted = mutations(/DataDelete$/);
    expect(deleted).toHaveLength(SUBGRAPH_NAMES.filter((name) => name !== 'identity').length);
    const fields = new Set(fieldsOf(asked).filter((field) => field !== 'organizations'));
    expect(fields).toEqual(new Set([...deleted, 'organizationDelete']));
  });

  it('organization delete repeats its steps until nothing is left', async () => {
    const left = [2, 1, 0, 0];
    const id = await newOrganization();
    const { code, output } = await admin(['organization', 'delete', '--organization', id, '--name', NAME], {
      alertingDataDelete: (payload) => {
        const rows = left.shift();
        return { ...payload, deletedRows: { rows, isFinished: rows === 0 } };
      },
    });
    expect([code, output.deleted_rows.alerting, output.passes]).toEqual([0, 3, 2]);
  });

  it('secrets reseal', async () => {
    const { asked } = await admin(['secrets', 'reseal']);
    const fields = new Set(fieldsOf(asked).filter((field) => field.endsWith('Reseal')));
    expect(fields).toEqual(new Set(mutations(/ValuesReseal$/)));
  });

  it('end-user erase, costing last', async () => {
    const id = await newOrganization();
    const { asked } = await admin(['end-user', 'erase', '--organization', id, '--end-user', 'ada']);
    const fields = fieldsOf(asked);
    expect(fields.filter((field) => /EndUserErase$/i.test(field)).toSorted()).toEqual(mutations(/EndUserErase$/i));
    expect(fields.indexOf('endUserErasureStart')).toBeGreaterThan(fields.indexOf('attributionEndUserErase'));
  });

  it.each([
    ['cancel', true, 'costingOperationCancel'],
    ['cancel', false, 'attributionOperationCancel'],
    ['resume', true, 'costingOperationResume'],
    ['resume', false, 'attributionOperationResume'],
  ])('operation %s: costing knows the operation: %s', async (verb, isOfCosting, field) => {
    const { asked } = await admin(['operation', verb, '--id', AN_ID], {
      costingOperation: () => (isOfCosting ? { id: AN_ID } : null),
    });
    expect(fieldsOf(asked).filter((one) => /Operation(Cancel|Resume)$/.test(one))).toEqual([field]);
  });

  it('operation list: the newest of both, up to the limit', async () => {
    const nodes =
      (...ids: number[]) =>
      () => ({ nodes: ids.map((id) => ({ id: `op-${id}` })) });
    const { output } = await admin(['operation', 'list', '--limit', '3'], {
      costing: nodes(9, 4, 1),
      attribution: nodes(7, 5, 2),
    });
    expect(output.map(({ id }: { id: string }) => id)).toEqual(['op-9', 'op-7', 'op-5']);
  });
});

describe('a command sends what was typed', () => {
  const PERIOD = ['--start', '2026-01-01', '--end', '2026-02-01'];
  const TIMES = { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' };
  const FILE = projectPath('test/cli/admin/price-files/litellm.json');

  it.each<[string[], string, object]>([
    [['rate', 'policy', '--unknown-context', 'base'], 'contextPolicySet', { choice: 'BASE' }],
    [['rate', 'policy', '--unknown-context', 'wait'], 'contextPolicySet', { choice: 'WAIT' }],
    [['plan', 'set', '--allotment', '1000', '--soft-limit', '900'], 'planSet', { allotment: 1000, softLimit: 900 }],
    [['reprice', ...PERIOD, '--dry-run', '--model', 'gpt-4o'], 'repricingRun', { ...TIMES, model: 'gpt-4o' }],
    [['retention', 'set', '--months', '6'], 'metadataRetentionSet', { months: 6, keepDimensions: [] }],
    [['retention', 'set'], 'metadataRetentionSet', { months: null, keepDimensions: [] }],
    [['revenue', 'sync', '--full'], 'revenueSync', { full: true }],
    [['revenue', 'sync'], 'revenueSync', { full: false }],
  ])('%j', async (words, field, variables) => {
    const { asked } = await admin([...words, '--organization', await newOrganization()]);
    expect(asked.find(({ fields }) => fields.includes(field))?.variables).toEqual(variables);
  });

  it.each([
    [[], 'ECB'],
    [['--own'], 'OWN'],
  ])('fx import with %j', async (more, source) => {
    const { asked } = await admin(['fx', 'import', FILE, ...more]);
    expect(asked.find(({ fields }) => fields.includes('fxRatesImport'))?.variables).toMatchObject({ source });
  });

  it.each([
    [[], { limit: 50 }],
    [['--state', 'failed', '--limit', '7'], { limit: 7, state: 'FAILED' }],
  ])('operation list with %j', async (more, variables) => {
    const { asked } = await admin(['operation', 'list', ...more]);
    expect(asked.find(({ fields }) => fields.includes('costingOperations'))?.variables).toEqual(variables);
  });

  it('revenue set-aside reads every page', async () => {
    const page =
      (of: Record<string, string>) =>
      (_: unknown, { after }: { after: string | null }) => ({
        setAsideObjects: {
          nodes: [{ kind: 'INVOICE', id: after ?? 'first' }],
          pageInfo: { hasNextPage: (after ?? 'start') in of, endCursor: of[after ?? 'start'] ?? null },
        },
      });
    const { output } = await admin(['revenue', 'set-aside', '--organization', await newOrganization()], {
      revenueConnection: page({ start: 'second', second: 'third' }),
    });
    expect(output.items.map(({ id }: { id: string }) => id)).toEqual(['first', 'second', 'third']);
  });
});

describe('verify', () => {
  it('checks every organization that is not deleted', async () => {
    const id = await newOrganization();
    await newOrganization();
    await admin(['organization', 'delete', '--organization', id, '--name', NAME]);
    const { output: all } = await admin(['organization', 'list']);
    const { code, asked } = await admin(['verify']);
    expect(code).toBe(0);
    const checked = asked.filter(({ fields }) => fields.includes('verifyCosting'));
    const left = all.filter(({ deleted_at: deletedAt }: { deleted_at: string | null }) => deletedAt === null);
    expect(checked.map(({ organizationId }) => organizationId).toSorted()).toEqual(
      left.map(({ organization_id: one }: { organization_id: string }) => one).toSorted(),
    );
    expect(left.length).toBeLessThan(all.length);
  });

  it('checks a large organization some days at a time, without a gap, and checks once what does not belong to a day', async () => {
    const id = await newOrganization();
    const lasts: Readonly<Record<string, string | null>> = { start: '2026-01-10', '2026-01-10': '2026-01-31' };
    const { asked } = await admin(['verify', '--organization', id], {
      verificationDays: (_, { afterDay }) => ({ first: '2026-01-01', last: lasts[afterDay ?? 'start'] ?? null }),
    });
    const checks = asked.filter(({ fields }) => fields.includes('verifyCosting'));
    expect(checks.map(({ variables }) => variables)).toEqual([
      { from: null, until: '2026-01-11' },
      { from: '2026-01-11', until: '2026-02-01' },
      { from: '2026-02-01', until: null },
      {},
    ]);
    expect(fieldsOf(asked).filter((field) => field === 'verifyRevenue')).toHaveLength(1);
  });
});

describe('the exit code is 1', () => {
  const settle = ['settle', '--timeout', '1'];
  const resume = ['operation', 'resume', '--id', AN_ID];
  const reseal = ['secrets', 'reseal'];
  const also = (values: object) => (value: object) => ({ ...value, ...values });
  const first = (values: object) => (list: readonly object[]) =>
    list.map((one, at) => (at === 0 ? { ...one, ...values } : one));
  const payload = { operation: { id: AN_ID, kind: 'repricing' }, userErrors: [] };
  const resumed = (state: string): Changes => ({
    costingOperation: () => ({ id: AN_ID }),
    outcome: () => payload,
    costing: () => ({ state, done: 1, total: 1, lastError: null, updatedAt: '2026-01-01T00:00:00Z' }),
  });
  const ofAll = ['verify'];

  it.each<[string, string[], Changes, string]>([
    ['a check finds differences', ofAll, { revenue: first({ differences: ['a day'] }) }, 'The books differ in'],
    [
      'days could not be compared',
      ofAll,
      { round: also({ result: [{ name: 'skippedDays', count: 2 }] }) },
      'The books differ in 1 places',
    ],
    ['facts are excluded', ofAll, { attributionLag: also({ setAside: 3 }) }, 'The books differ in 1 places'],
    ['facts are excluded', ['settle'], { attributionLag: also({ setAside: 3 }) }, '3 facts could not be attributed'],
    ['events are pending', settle, { pricingBacklog: also({ pendingEvents: 1 }) }, '1 events pending'],
    ['the feed has batches', settle, { pricingBacklog: also({ feedLag: 2 }) }, '2 batches behind'],
    ['attribution has not applied batches', settle, { attributionLag: also({ batches: 2 }) }, '2 batches behind'],
    ['facts are being compared', settle, { attributionLag: also({ replaying: 4 }) }, '4 organizations being compared'],
    ['the digests differ', settle, { attributionLag: also({ feedDigest: 'other' }) }, 'has not caught up with costing'],
    ['the operation was cancelled', resume, resumed('CANCELLED'), 'was cancelled'],
    ['the operation has failed', resume, resumed('FAILED'), 'was failed'],
    [
      'secrets are left',
      reseal,
      { identity: () => [{ kind: 'k', key_id: 'old', count: 2, is_current: false, is_readable: true }] },
      'Still under another key',
    ],
  ])('if %s: %j', async (_, words, changes, message) => {
    const { code, error } = await admin(words, changes);
    expect(error).toContain(message);
    expect(code).toBe(1);
  });

  it('and 0 otherwise', async () => {
    for (const words of [ofAll, ['settle'], reseal]) expect(await admin(words)).toMatchObject({ code: 0, error: '' });
    expect(await admin(resume, resumed('FINISHED'))).toMatchObject({ code: 0, error: '' });
  });
});
