/** Form fields for a model's prices, and their mapping to graph input. */
import { TOKEN_CLASS_NAMES, type TokenClass } from '#schema/token-classes.ts';
import type { VariablesOf } from '#schema/graphql.ts';
import { dateField } from '../../figures/window-choice.ts';
import { field } from '../../http/form.ts';
import { html, type Html } from '../../shell/html.ts';

const LABELS: Readonly<Record<TokenClass, string>> = {
  input: 'Input',
  output: 'Output',
  cacheRead: 'Cache read',
  cacheCreation: 'Cache write',
  cacheCreation1h: 'Cache write, one hour',
  reasoning: 'Reasoning',
  inputAudio: 'Audio input',
  outputAudio: 'Audio output',
  cacheReadAudio: 'Cached audio',
  inputImage: 'Image input',
  outputImage: 'Image output',
  cacheReadImage: 'Cached images',
  inputVideo: 'Video input',
  outputVideo: 'Video output',
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
    <label>Model name or prefix <input name="model" value="${field(values, 'model')}" maxlength="255" autocomplete="off" required></label>
    <label>Provider <span class="muted">(leave empty for any)</span> <input name="provider" value="${field(values, 'provider')}" maxlength="255" autocomplete="off"></label>
  </div>
  <fieldset><legend>USD per million tokens</legend>
    <div class="fields">${USUAL.map(rate)}</div>
    <details${hasOthers && html` open`}><summary>1-hour cache, audio, image, video</summary><div class="fields">${others.map(rate)}</div></details>
  </fieldset>
  <fieldset><legend>Or USD per unit, for models not billed by token</legend>
    <div class="fields"><label>Per unit <input name="unitPrice" value="${field(values, 'unitPrice')}" inputmode="decimal" pattern="[0-9]{1,9}([.][0-9]{1,9})?" title="A number such as 0.04" autocomplete="off"></label></div>
  </fieldset>
  ${dateField('effectiveFrom', html`Effective from <span class="muted">(UTC; empty: all past events for a new model, otherwise now)</span>`, field(values, 'effectiveFrom'))}`;
}
