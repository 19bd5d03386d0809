import { Migration } from '@mikro-orm/migrations';

export class Migration20261122181528_episodes extends Migration {

  override name = 'Migration20261122181528_episodes';

  override up(): void | Promise<void> {
    this.addSql(`alter table "alert_episode" drop constraint "alert_episode_closed_reason_check";`);
    this.addSql(`alter table "alert_episode" add constraint "alert_episode_closed_reason_check" check ("closed_reason" in ('RECOVERED', 'ACCEPTED', 'NOT_APPLICABLE', 'PERIOD_ENDED', 'RULE_CHANGED', 'RULE_DELETED'));`);

    this.addSql(`alter table "organization_place" drop column "judged_until";`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "alert_episode" drop constraint "alert_episode_closed_reason_check";`);
    this.addSql(`alter table "alert_episode" add constraint "alert_episode_closed_reason_check" check ("closed_reason" in ('RECOVERED', 'RULE_CHANGED', 'RULE_DELETED', 'PERIOD_ENDED'));`);

    this.addSql(`alter table "organization_place" add "judged_until" timestamptz(3) null;`);
  }

}
