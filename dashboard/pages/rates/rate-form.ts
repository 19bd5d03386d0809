/** Form fields for a model's prices, and their mapping to graph input. */
import { TOKEN_CLASS_NAMES, type TokenClass } from '#schema/token-classes.ts';
import type { VariablesOf } from '#schema/graphql.ts';
import { dateField } from '../../figures/window-choice.ts';
import { field } from '../../http/form.ts';
import { html, type Html } from '../../shell/html.ts';

const LABELS: Readonly<Record<TokenClass, string>> = {
  input: 'Input',
  output: 'Output',
  cacheRead: 'Read from a cache',
  cacheCreation: 'Written to a cache',
  cacheCreation1h: 'Written to a one-hour cache',
  reasoning: 'Reasoning',
  inputAudio: 'Audio sent',
  outputAudio: 'Audio made',
  cacheReadAudio: 'Audio read from a cache',
  inputImage: 'Pictures sent',
  outputImage: 'Pictures made',
  cacheReadImage: 'Pictures read from a cache',
  inputVideo: 'Films sent',
  outputVideo: 'Films made',
};

/** Classes that most models charge for; the others are collapsed. */
const USUAL: readonly TokenClass[] = ['input', 'output', 'cacheRead', 'cacheCreation', 'reasoning'];

type RateVariables = VariablesOf<'ProposeRate'>['input'];

/** All fields of the form, resubmitted as typed. */
export const RATE_FIELDS: readonly string[] = ['model', 'provider', ...TOKEN_CLASS_NAMES, 'unitPrice', 'effectiveFrom'];

/** Empty fields are omitted: the card has no price for them. */
export function rateInputOf(form: URLSearchParams): RateVariables {
  const stated = RATE_FIELDS.flatMap((name) => (field(form, name) === '' ? [] : [[name, field(form, name)]]));
  const { effectiveFrom, ...input } = Object.fromEntries(stated) as Record<string, string>;
  const from = effectiveFrom === undefined ? {} : { effectiveFrom: `${effectiveFrom}T00:00:00Z` };
  return { model: '', ...input, ...from };
}

/** `values`: typed or initial values. */
export function rateFields(values: URLSearchParams): Html {
  const rate = (name: TokenClass) => html`
    <label>${LABELS[name]} <input name="${name}" value="${field(values, name)}" inputmode="decimal" pattern="[0-9]{1,9}([.][0-9]{1,9})?" title="A number such as 2.50" autocomplete="off"></label>`;
  const others = TOKEN_CLASS_NAMES.filter((name) => !USUAL.includes(name));
  const hasOthers = others.some((name) => field(values, name) !== '');
  return html`
  <div class="fields">
    <label>Model, or what its names begin with <input name="model" value="${field(values, 'model')}" maxlength="255" autocomplete="off" required></label>
    <label>Provider <span class="muted">(none: whichever)</span> <input name="provider" value="${field(values, 'provider')}" maxlength="255" autocomplete="off"></label>
  </div>
  <fieldset><legend>USD per million tokens</legend>
    <div class="fields">${USUAL.map(rate)}</div>
    <details${hasOthers && html` open`}><summary>Longer caches, audio, pictures, films</summary><div class="fields">${others.map(rate)}</div></details>
  </fieldset>
  <fieldset><legend>Or USD per unit, for models that are no matter of tokens</legend>
    <div class="fields"><label>Per unit <input name="unitPrice" value="${field(values, 'unitPrice')}" inputmode="decimal" pattern="[0-9]{1,9}([.][0-9]{1,9})?" title="A number such as 0.04" autocomplete="off"></label></div>
  </fieldset>
  ${dateField('effectiveFrom', html`From <span class="muted">(UTC; none: for ever if the model has no rate of yours yet, else from now on)</span>`, field(values, 'effectiveFrom'))}`;
}
