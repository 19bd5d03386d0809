/** `/alerts/rules/new` and `/alerts/rules/{id}`: the watched figure and the recipients; saving, muting and deleting. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { fail } from '#kernel/errors.ts';
import { graphql } from '#schema/graphql.ts';
import { isAdmin } from '../../figures/account-user.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field, queryOf } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { alertsHeading } from './alerts-heading.ts';
import { previewPanel } from './preview.ts';
import { newlyTyped, numberError, type RuleChoices, ruleFields, ruleInput, typedIn, typedOf } from './rule-form.ts';
import { type AlertKind, type AlertRule, describeRule, isKind, KINDS, RULES } from './rule-words.ts';

const CHOICES = graphql('query AlertRuleChoices { dimensions { key label } alertChannels { id name } }');
const SAVE = graphql(`mutation SaveAlertRule($input: AlertRuleSaveInput!) {
  outcome: alertRuleSave(input: $input) { alertRule { id } userErrors { message } }
}`);
const MUTE = graphql(`mutation MuteAlertRule($id: ID!, $muted: Boolean, $until: Instant) {
  outcome: alertRuleMute(input: { id: $id, muted: $muted, until: $until }) { userErrors { message } }
}`);
const DELETE = graphql(`mutation DeleteAlertRule($id: ID!) {
  outcome: alertRuleDelete(input: { id: $id }) { userErrors { message } }
}`);

/** Data of a rule's page, for an existing or a new rule. */
interface Draft {
  readonly kind: AlertKind;
  readonly rule: AlertRule | null;
  readonly typed: Readonly<Record<string, string>>;
}

export function alertRulePages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const findRule = async ({ request, principal }: SignedIn): Promise<AlertRule> => {
    const { id } = request.params as { id: string };
    const { alertRules } = await askGateway(gateway, RULES, {}, principal);
    return alertRules.find((rule) => rule.id === id) ?? fail('NOT_FOUND', 'This alert rule does not exist.');
  };
  const render = async (
    signedIn: SignedIn,
    draft: Draft,
    { error, preview }: { readonly error?: string; readonly preview?: Html } = {},
  ): Promise<FastifyReply> => {
    const mayManage = isAdmin(signedIn.principal);
    const choices = mayManage ? await askGateway(gateway, CHOICES, {}, signedIn.principal) : null;
    const title = draft.rule?.name ?? `New alert: ${KINDS[draft.kind].label.toLowerCase()}`;
    const body = html`${alertsHeading(signedIn.principal, title, null)}${rulePage(signedIn, draft, choices, preview)}`;
    return sendFramed(signedIn, { title, body, error });
  };
  const save = async (signedIn: SignedIn, draft: Draft): Promise<FastifyReply> => {
    const input = ruleInput(draft.kind, draft.rule?.id ?? null, draft.typed);
    const mistyped = numberError(input);
    if (mistyped !== null) return render(signedIn, draft, { error: mistyped });
    if (field(signedIn.form, 'action') === 'preview')
      return render(signedIn, draft, { preview: await previewPanel(gateway, signedIn.principal, input) });
    const { value, error } = await outcomeOf(askGateway(gateway, SAVE, { input }, signedIn.principal));
    const wrong = error?.message ?? value?.outcome.userErrors[0]?.message;
    return wrong === undefined
      ? signedIn.reply.redirect('/alerts?done=alert-saved#rules', 303)
      : render(signedIn, draft, { error: wrong });
  };

  pages.get(
    '/alerts/rules/new',
    withSession(dependencies, async (signedIn) => {
      const kind = queryOf(signedIn.request).get('kind') ?? '';
      if (isKind(kind)) return render(signedIn, { kind, rule: null, typed: newlyTyped(kind) });
      return sendFramed(signedIn, {
        title: 'New alert',
        body: html`${alertsHeading(signedIn.principal, 'New alert', null)}${kindList()}`,
      });
    }),
  );
  pages.post(
    '/alerts/rules/new',
    withSession(dependencies, async (signedIn) => {
      const kind = field(signedIn.form, 'kind');
      if (!isKind(kind)) return fail('VALIDATION_ERROR', 'Unknown kind of alert.');
      return save(signedIn, { kind, rule: null, typed: typedIn(signedIn.form) });
    }),
  );
  pages.get(
    '/alerts/rules/:id',
    withSession(dependencies, async (signedIn) => {
      const rule = await findRule(signedIn);
      return render(signedIn, { kind: rule.kind, rule, typed: typedOf(rule) });
    }),
  );
  pages.post(
    '/alerts/rules/:id',
    withSession(dependencies, async (signedIn) => {
      const rule = await findRule(signedIn);
      return save(signedIn, { kind: rule.kind, rule, typed: typedIn(signedIn.form) });
    }),
  );
  const act = (path: string, send: (signedIn: SignedIn, id: string) => Promise<string>) =>
    pages.post(
      `/alerts/rules/:id/${path}`,
      withSession(dependencies, async (signedIn) => {
        const { id } = signedIn.request.params as { id: string };
        return signedIn.reply.redirect(`/alerts?done=${await send(signedIn, id)}#rules`, 303);
      }),
    );
  const done = ({ outcome }: { outcome: { userErrors: readonly { message: string }[] } }): void => {
    const [wrong] = outcome.userErrors;
    if (wrong) fail('NOT_FOUND', wrong.message);
  };
  act('mute', async ({ form, principal }, id) => {
    const isMuted = field(form, 'muted') === 'yes';
    done(await askGateway(gateway, MUTE, { id, muted: isMuted, until: null }, principal));
    return isMuted ? 'alert-muted' : 'alert-unmuted';
  });
  act('delete', async ({ principal }, id) => {
    done(await askGateway(gateway, DELETE, { id }, principal));
    return 'alert-deleted';
  });
}

function kindList(): Html {
  return html`
<p class="lead">Choose what to watch. Only live usage counts. Each day is checked once it is complete, and each incident is reported once.</p>
<ul class="tiles">${Object.entries(KINDS).map(
    ([kind, { label, about }]) => html`
  <li class="panel"><h2><a href="/alerts/rules/new?kind=${kind}">${label}</a></h2><p class="muted">${about}</p></li>`,
  )}</ul>`;
}

/** `choices`: null for a person who may not change the rule. */
function rulePage(
  { csrf }: SignedIn,
  { kind, rule, typed }: Draft,
  choices: RuleChoices | null,
  preview: Html | undefined,
): Html {
  const about = html`<p class="lead">${rule === null ? KINDS[kind].about : describeRule(rule)}</p>`;
  if (choices === null) return html`${about}<p class="panel">Only owners and admins can change alert rules.</p>`;
  const path = rule === null ? '/alerts/rules/new' : `/alerts/rules/${rule.id}`;
  return html`${about}
<form class="panel stack" method="post" action="${path}">${csrfField(csrf)}<input type="hidden" name="kind" value="${kind}">
  ${ruleFields(kind, typed, choices)}
  <div class="actions"><button name="action" value="save">Save</button>${isPreviewed(kind) && html`<button class="secondary" name="action" value="preview" formaction="${path}#preview">Preview: when would it have fired?</button>`}</div>
</form>
${preview}
${
  rule !== null &&
  html`<form class="panel stack wide-form" method="post" action="${path}/delete">${csrfField(csrf)}
  <h2>Delete the rule</h2><p>The rule stops and its open alerts close. Past alerts are kept.</p>
  <button class="danger">Delete ${rule.name}</button></form>`
}`;
}

/** True for kinds that evaluate past figures; the others evaluate the current state and cannot be previewed. */
function isPreviewed(kind: AlertKind): boolean {
  return ![
    'UNPRICED',
    'SYNC_FAILED',
    'CREDITS_LOW',
    'CATALOGUE_OLD',
    'BILL_DIFFERENCE',
    'BILL_NOT_PULLED',
    'AGREEMENT_ENDING',
    'CREDIT_EXPIRING',
    'COMMITMENT_AT_RISK',
  ].includes(kind);
}
