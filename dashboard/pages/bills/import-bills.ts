/** Imports a file of bills from a form. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { randomUuid } from '#platform/random.ts';
import { fail, type KnownError } from '#kernel/errors.ts';
import { internalGraphql } from '#schema/graphql.ts';
import { isAdmin } from '../../figures/account-user.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { serveUpload } from '../../http/serve-upload.ts';
import type { SignedIn } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';

const SAVE_PART = internalGraphql(`mutation SaveBillPartOfPage($input: BillPartSaveInput!) {
  billPartSave(input: $input) { userErrors { message code } }
}`);
const IMPORT = internalGraphql(`mutation ImportBillOfPage($input: BillImportInput!) {
  billImport(input: $input) { bill { fromDay isNew lines } userErrors { message code } }
}`);

const BYTES_MAX = 64 * 1024 * 1024;
const PART_BYTES = 512 * 1024;

interface BillsPage {
  readonly path: string;
  /** Shows the page again, with an error. */
  readonly render: (signedIn: SignedIn, error: KnownError) => Promise<FastifyReply>;
}

/** The form posts to `import` below the page. */
export function importBills(pages: FastifyInstance, dependencies: Dependencies, { path, render }: BillsPage): void {
  const { gateway } = dependencies;
  serveUpload(pages, dependencies, {
    path: `${path}/import`,
    bytesMax: BYTES_MAX,
    forbidden: 'Only owners and admins can import bills',
    async answer(signedIn, file) {
      const { principal } = signedIn;
      const { value, error } = await outcomeOf(
        (async () => {
          if (file.length === 0) fail('VALIDATION_ERROR', 'Choose a file');
          const uploadId = randomUuid();
          for (let part = 0; part * PART_BYTES < file.length; part++) {
            const data = file.subarray(part * PART_BYTES, (part + 1) * PART_BYTES).toString('base64');
            await askGateway(gateway, SAVE_PART, { input: { uploadId, part, data } }, principal);
          }
          return askGateway(gateway, IMPORT, { input: { uploadId } }, principal);
        })(),
      );
      if (error) return render(signedIn, error);
      const { fromDay, isNew } = value.billImport.bill!;
      return signedIn.reply.redirect(
        `${path}?month=${fromDay.slice(0, 7)}&done=${isNew ? 'bill-imported' : 'bill-known'}`,
        303,
      );
    },
  });
}

export function importForm({ csrf, principal }: SignedIn, path: string): Html | false {
  if (!isAdmin(principal)) return false;
  return html`<form class="panel stack wide-form" method="post" action="${path}/import" enctype="multipart/form-data">${csrfField(csrf)}
  <p>Download the cost file of a month from your provider and import it unchanged: Anthropic, OpenAI or xAI costs and usage, AWS CUR 2.0, Google billing export, OpenRouter activity, Fireworks usage costs and billing metrics, or FOCUS. At most 64 MiB.</p>
  <label>File <input type="file" name="file" required></label>
  <button>Import</button></form>`;
}
