import { Migration } from '@mikro-orm/migrations';

/** Charges that were booked before have no agreement: the ledger named it in texts only. */
export class Migration20261128021810_charges_by_agreement extends Migration {

  override name = 'Migration20261128021810_charges_by_agreement';

  override up(): void | Promise<void> {
    this.addSql(`alter table "charge_day" drop constraint "charge_day_pkey";`);
    this.addSql(`alter table "charge_day" add "agreement" text not null default '';`);
    this.addSql(`alter table "charge_day" alter column "agreement" drop default;`);
    this.addSql(`alter table "charge_day" add primary key ("organization_id", "bucket", "provider", "model", "context", "charge_class", "unit", "agreement");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`with moved as (delete from charge_day where agreement <> '' returning *)
      insert into charge_day
      select organization_id, bucket, provider, model, context, charge_class, unit, sum(quantity), sum(list_amount), sum(amount),
        sum(corrections), sum(event_count), '' from moved group by 1, 2, 3, 4, 5, 6, 7
      on conflict (organization_id, bucket, provider, model, context, charge_class, unit, agreement) do update set
        quantity = charge_day.quantity + excluded.quantity, list_amount = charge_day.list_amount + excluded.list_amount,
        amount = charge_day.amount + excluded.amount, corrections = charge_day.corrections + excluded.corrections,
        event_count = charge_day.event_count + excluded.event_count;`);
    this.addSql(`alter table "charge_day" drop constraint "charge_day_pkey";`);
    this.addSql(`alter table "charge_day" drop column "agreement";`);
    this.addSql(`alter table "charge_day" add primary key ("organization_id", "bucket", "provider", "model", "context", "charge_class", "unit");`);
  }

}
