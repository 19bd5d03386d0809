/** What the operator's commands ask of the service, and how they exit. */
import { describe, expect, it } from 'vitest';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { commands } from '../../../cli/admin/command-list.ts';
import { runAdmin } from '../../../cli/admin/run-admin.ts';
import type { Flag } from '../../../cli/kit/flags.ts';
import { AN_ID, type Answers, answeringService, type Asked } from '../../support/answering-service.ts';
import { projectPath } from '../../support/project-files.ts';
import { supergraphFields } from '../../schema/supergraph-fields.ts';

const ORGANIZATION = '11111111-1111-4111-8111-111111111111';

interface Ran {
  readonly code: number;
  readonly output: any;
  readonly error: string;
  readonly asked: readonly Asked[];
}

/** The books agree unless a test says otherwise. */
const AGREE: Answers = { 'VerificationCheck.differences': [], 'BookDifferenceConnection.nodes': [] };

async function admin(words: readonly string[], answers: Answers = {}): Promise<Ran> {
  const service = await answeringService({ ...AGREE, ...answers });
  const written = { out: '', error: '' };
  const into = (stream: keyof typeof written) => ({ write: (text: string) => (written[stream] += text) });
  try {
    const environment = { ADMIN_URL: service.url, ADMIN_TOKEN: 'op_of_a_stand_in' };
    const terminal = { stdout: into('out'), stderr: into('error') };
    const code = await runAdmin([...words, '--json'], terminal, environment);
    return {
      code,
      output: written.out === '' ? null : JSON.parse(written.out),
      error: written.error,
      asked: service.asked,
    };
  } finally {
    service.stop();
  }
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

  const PRICES = projectPath('test/cli/admin/price-files/litellm.json');
  const valueOf = (flag: string, { form }: Flag): string =>
    flag === 'file'
      ? PRICES
      : [form!.hint.split('|')[0]!, AN_ID, '1', '2026-01-01'].find((text) => form!.read(text) !== null)!;
  const named = commands.filter(({ name, flags }) => 'organization' in flags && !LOCAL.includes(name));
  const calls = named.flatMap(({ name, flags }) => {
    const required = Object.entries(flags).filter(([flag, { required }]) => required && flag !== 'organization');
    const words = [...name.split(' '), ...required.flatMap(([flag, one]) => [`--${flag}`, valueOf(flag, one)])];
    return (MORE[name] ?? [[]]).map((more) => ({ words: [...words, ...more], flag: flags['organization'] as Flag }));
  });
  const answers: Answers = {
    'Organization.id': ORGANIZATION,
    'Organization.name': 'N',
    'EndUserErasure.pseudonym': 'erased-1',
    'CatalogueCheck.differences': [],
  };

  it.each(calls)('$words names it in every request', async ({ words, flag }) => {
    const { code, error, asked } = await admin([...words, '--organization', ORGANIZATION], answers);
    expect([error, code]).toEqual(['', 0]);
    const own = asked.filter(({ fields }) => !fields.some((field) => OF_ALL.includes(field)));
    expect(own.length).toBeGreaterThan(0);
    expect(new Set(own.map(({ organizationId }) => organizationId))).toEqual(new Set([ORGANIZATION]));
    if (flag.required || words[0] === 'verify') return;
    const { asked: ofAll } = await admin(words, answers);
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
    const words = ['organization', 'delete', '--organization', ORGANIZATION, '--name', 'N'];
    const { asked } = await admin(words, { 'Organization.id': ORGANIZATION, 'Organization.name': 'N' });
    const deleted = mutations(/DataDelete$/);
    expect(deleted).toHaveLength(SUBGRAPH_NAMES.filter((name) => name !== 'identity').length);
    expect(
      fieldsOf(asked)
        .filter((field) => field !== 'organizations')
        .toSorted(),
    ).toEqual([...deleted, 'organizationDelete'].toSorted());
  });

  it('organization delete repeats its steps until nothing is left', async () => {
    const left = [2, 1, 0, 0];
    const { code, output } = await admin(['organization', 'delete', '--organization', ORGANIZATION, '--name', 'N'], {
      'Organization.id': ORGANIZATION,
      'Organization.name': 'N',
      'Mutation.alertingDataDelete': () => {
        const rows = left.shift();
        return { deletedRows: { rows, isFinished: rows === 0 } };
      },
    });
    expect([code, output.deleted_rows.alerting, output.passes]).toEqual([0, 3, 2]);
  });

  it('secrets reseal', async () => {
    const { asked } = await admin(['secrets', 'reseal'], { 'SealedValues.isCurrent': true });
    expect(
      fieldsOf(asked)
        .filter((field) => field.endsWith('Reseal'))
        .toSorted(),
    ).toEqual(mutations(/ValuesReseal$/));
  });

  it('end-user erase, costing last', async () => {
    const words = ['end-user', 'erase', '--organization', ORGANIZATION, '--end-user', 'ada'];
    const { asked } = await admin(words, { 'EndUserErasure.pseudonym': 'erased-1' });
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
      'Query.costingOperation': isOfCosting ? undefined : null,
    });
    expect(fieldsOf(asked).filter((one) => /Operation(Cancel|Resume)$/.test(one))).toEqual([field]);
  });

  it('operation list: the newest of both, up to the limit', async () => {
    const nodes =
      (...ids: number[]) =>
      () => ({ nodes: ids.map((id) => ({ id: `op-${id}` })) });
    const { output } = await admin(['operation', 'list', '--limit', '3'], {
      'Query.costingOperations': nodes(9, 4, 1),
      'Query.attributionOperations': nodes(7, 5, 2),
    });
    expect(output.map(({ id }: { id: string }) => id)).toEqual(['op-9', 'op-7', 'op-5']);
  });
});

describe('verify', () => {
  it('checks every organization that is not deleted', async () => {
    const [one, other, deleted] = ['1', '2', '3'].map((digit) => ORGANIZATION.replaceAll('1', digit));
    const { code, asked } = await admin(['verify'], {
      'Query.organizations': [{ id: one }, { id: deleted, deletedAt: '2026-01-01T00:00:00Z' }, { id: other }],
    });
    expect(code).toBe(0);
    const checked = asked.filter(({ fields }) => fields.includes('verifyCosting'));
    expect(checked.map(({ organizationId }) => organizationId).toSorted()).toEqual([one, other]);
  });

  it('checks a large organization some days at a time, without a gap, and once what does not belong to a day', async () => {
    const lasts: Readonly<Record<string, string | null>> = { start: '2026-01-10', '2026-01-10': '2026-01-31' };
    const { asked } = await admin(['verify', '--organization', ORGANIZATION], {
      'Query.verificationDays': ({ afterDay }: { afterDay: string | null }) => ({
        first: '2026-01-01',
        last: lasts[afterDay ?? 'start'] ?? null,
      }),
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
  const verify = ['verify', '--organization', ORGANIZATION];
  const settle = ['settle', '--timeout', '1'];
  const resume = ['operation', 'resume', '--id', AN_ID];
  const reseal = ['secrets', 'reseal'];
  it.each<[string, string[], Answers, string]>([
    ['a check finds differences', verify, { 'VerificationCheck.differences': ['a day'] }, 'The books differ in'],
    [
      'days could not be compared',
      verify,
      { 'Operation.result': [{ name: 'skippedDays', count: 2 }] },
      'differ in 1 places',
    ],
    ['facts are excluded', verify, { 'AttributionLag.setAside': 3 }, 'The books differ in 1 places'],
    ['facts are excluded', ['settle'], { 'AttributionLag.setAside': 3 }, '3 facts could not be attributed'],
    ['events are pending', settle, { 'PricingBacklog.pendingEvents': 1 }, '1 events pending'],
    ['the feed has batches', settle, { 'PricingBacklog.feedLag': 2 }, '2 batches behind'],
    ['attribution has not applied batches', settle, { 'AttributionLag.batches': 2 }, '2 batches behind'],
    ['facts are being compared', settle, { 'AttributionLag.replaying': 4 }, '4 organizations being compared'],
    ['the digests differ', settle, { 'AttributionLag.feedDigest': 'other' }, 'has not caught up with costing'],
    ['the operation was cancelled', resume, { 'Operation.state': 'CANCELLED' }, 'was cancelled'],
    ['the operation has failed', resume, { 'Operation.state': 'FAILED' }, 'was failed'],
    [
      'secrets are left',
      reseal,
      { 'SealedValues.isCurrent': false, 'SealedValues.count': 2 },
      'Still under another key',
    ],
  ])('if %s: %j', async (_, words, answers, message) => {
    const { code, error } = await admin(words, answers);
    expect(error).toContain(message);
    expect(code).toBe(1);
  });

  it('and 0 otherwise', async () => {
    for (const words of [verify, ['settle'], resume, reseal])
      expect(await admin(words)).toMatchObject({ code: 0, error: '' });
  });
});
