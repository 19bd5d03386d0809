import { Migration } from '@mikro-orm/migrations';

export class Migration20261128201134_exchange_differences_of_disputes_and_credit_notes extends Migration {

  override name = 'Migration20261128201134_exchange_differences_of_disputes_and_credit_notes';

  override up(): void | Promise<void> {
    this.addSql(`alter table "reduction" add "gross_minor" bigint null;`);
    this.addSql(`create index "reduction_linked_index" on "reduction" ("organization_id") where kind = 'credit_note' and linked_refunds <> '[]';`);

    this.addSql(`drop index "revenue_record_refund_index";`);
    this.addSql(`create index "revenue_record_reduction_index" on "revenue_record" ("organization_id", "source_id") where kind <> 'invoice_line';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "reduction_linked_index";`);
    this.addSql(`alter table "reduction" drop column "gross_minor";`);

    this.addSql(`drop index "revenue_record_reduction_index";`);
    this.addSql(`create index "revenue_record_refund_index" on "revenue_record" ("organization_id", "source_id") where kind = 'refund';`);
  }

}
