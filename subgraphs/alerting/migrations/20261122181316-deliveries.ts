import { Migration } from '@mikro-orm/migrations';

export class Migration20261122181316_deliveries extends Migration {

  override name = 'Migration20261122181316_deliveries';

  override up(): void | Promise<void> {
    this.addSql(`create index alert_delivery_lease_index on alert_delivery (organization_id, channel_id) where lease_until is not null;`);
    this.addSql(`create index "alert_delivery_created_index" on "alert_delivery" ("organization_id", "created_at", "id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "alert_delivery_lease_index";`);
    this.addSql(`drop index "alert_delivery_created_index";`);
  }

}
