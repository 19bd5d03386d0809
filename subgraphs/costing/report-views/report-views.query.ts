/** View for SQL tools: the prices of the organization's own rates and of the catalogue. */
import { exactNumber, ORGANIZATION_OF_ROLE, type ReportView } from '#platform/database/sql-access/report-view.ts';
import { TOKEN_CLASS_NAMES, wireName } from '#schema/token-classes.ts';

const tokenPrices = (of: string) =>
  `(values ${TOKEN_CLASS_NAMES.map(wireName)
    .map((name) => `('${name}', ${of}.${name})`)
    .join(', ')})`;

/** Unit of a price, in the same words as `unitInWords` in `rates/rate-card-version.ts`. */
const UNIT = `case when version.per_unit is null then 'per million tokens' else 'per ' ||
  replace(regexp_replace(regexp_replace(coalesce(version.per_unit_name, 'unit'), '^input_', ''), 's$', ''), '_', ' ') end`;

export const reportViews: readonly ReportView[] = [
  {
    name: 'rate_history',
    tables: ['rate_card', 'rate_card_version', 'rate_tier', 'rate_variant'],
    isShared: true,
    query: `
      select card.id as rate_card_id, version.id as rate_card_version_id, card.model_slug as model, card.provider_slug as provider,
        card.organization_id = ${ORGANIZATION_OF_ROLE} as negotiated, version.effective_from, version.effective_to, ${UNIT} as unit,
        line.class, line.context, line.above_input_tokens, ${exactNumber('line.price')} as price, ${exactNumber('line.factor')} as factor, line.source
      from rate_card card join rate_card_version version
        on (version.organization_id, version.rate_card_id) = (card.organization_id, card.id) and version.superseded_at is null
      cross join lateral (
        select class, '' as context, 0::bigint as above_input_tokens, price, null::numeric as factor, null as source
          from ${tokenPrices('version')} as of_class (class, price) where price is not null
        union all select 'unit', '', 0, version.per_unit, null, null where version.per_unit is not null
        union all select key, '', 0, value::numeric, null, null from jsonb_each_text(version.unit_prices)
        union all select class, '', tier.above_input_tokens, price, null, null
          from rate_tier tier cross join lateral ${tokenPrices('tier')} as of_class (class, price)
          where (tier.organization_id, tier.rate_card_version_id) = (version.organization_id, version.id) and price is not null
        union all select class, context, above_input_tokens, rate, factor, source from rate_variant variant
          where (variant.organization_id, variant.rate_card_version_id) = (version.organization_id, version.id)
      ) as line (class, context, above_input_tokens, price, factor, source)`,
  },
];
