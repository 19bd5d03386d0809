/** Maps the fields of alerting's schema to operations. */
import { deleteOrganizationData } from '#platform/subgraph/delete-organization-rows.ts';
import { ownPasswordGuard } from '#platform/subgraph/own-password.ts';
import { auditedOrganizationOf, readAuditLog } from '#platform/subgraph/read-audit-log.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { takeInput, withChangeAndUserErrors, withUserErrors } from '#platform/subgraph/user-errors.ts';
import { confirmAlertChannel } from './channels/confirm-alert-channel.operation.ts';
import { deleteAlertChannel } from './channels/delete-alert-channel.operation.ts';
import { getChannelConfirmation } from './channels/get-channel-confirmation.operation.ts';
import { listAlertChannels } from './channels/list-alert-channels.operation.ts';
import { listSealedValues } from './secrets/list-sealed-values.operation.ts';
import { resealValues } from './secrets/reseal-values.operation.ts';
import { rotateAlertChannelSecret } from './channels/rotate-alert-channel-secret.operation.ts';
import { listAlertDeliveries } from './deliveries/list-alert-deliveries.operation.ts';
import { redeliverAlert } from './deliveries/redeliver-alert.operation.ts';
import { saveAlertChannel } from './deliveries/save-alert-channel.operation.ts';
import { testAlertChannel } from './deliveries/test-alert-channel.operation.ts';
import { acknowledgeAlertEpisode } from './episodes/acknowledge-alert-episode.operation.ts';
import { getAlertEpisode } from './episodes/get-alert-episode.operation.ts';
import { listAlertEpisodes } from './episodes/list-alert-episodes.operation.ts';
import { getAlertEvaluation } from './evaluation/get-alert-evaluation.operation.ts';
import { listBudgets } from './evaluation/list-budgets.operation.ts';
import { eraseAlertingEndUser } from './erasure/erase-alerting-end-user.operation.ts';
import { deleteExportSchedule } from './exports/delete-export-schedule.operation.ts';
import { listExportDeliveries } from './exports/list-export-deliveries.operation.ts';
import { listExportSchedules } from './exports/list-export-schedules.operation.ts';
import { repeatExportDelivery } from './exports/repeat-export-delivery.operation.ts';
import { saveExportSchedule } from './exports/save-export-schedule.operation.ts';
import { testExportSchedule } from './exports/test-export-schedule.operation.ts';
import { deleteAlertRule } from './rules/delete-alert-rule.operation.ts';
import { getAlertRule } from './rules/get-alert-rule.operation.ts';
import { listAlertRules } from './rules/list-alert-rules.operation.ts';
import { muteAlertRule } from './rules/mute-alert-rule.operation.ts';
import { saveAlertRule } from './rules/save-alert-rule.operation.ts';
import { addNote } from './notes/add-note.operation.ts';
import { deleteNote } from './notes/delete-note.operation.ts';
import { listEpisodeNotes } from './notes/list-episode-notes.operation.ts';
import { listNotes } from './notes/list-notes.operation.ts';
import { deleteSavedView } from './saved-views/delete-saved-view.operation.ts';
import { listSavedViews } from './saved-views/list-saved-views.operation.ts';
import { saveView } from './saved-views/save-view.operation.ts';
import type { MutationResolvers, Resolvers, WindowInsightsArgs, WindowNotesArgs } from './resolvers.generated.ts';
import { listInsights } from './insights/list-insights.operation.ts';
import { listStatementSchedules } from './statements/list-statement-schedules.operation.ts';
import { setStatementSchedule } from './statements/set-statement-schedule.operation.ts';
import { previewAlert } from './preview/preview-alert.operation.ts';
import { parseWindow, type Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Outbound } from '#platform/outbound/outbound-client.ts';

/** `outbound`: client for addresses that users specify. */
export function resolvers(
  { config, sealing, gateway }: Pick<SubgraphDependencies, 'config' | 'sealing' | 'gateway'>,
  outbound: Outbound,
): Resolvers {
  const withOwnPassword = ownPasswordGuard(gateway);
  const { appUrl } = config;
  const hasMail = config.smtp !== null;
  return {
    Query: {
      alertRules: (_parent, _args, context) => listAlertRules(context),
      alertRule: (_, { id }, context) => getAlertRule(context, id),
      alertPreview: (_, { input, days }, context) => previewAlert(gateway, context, input, days),
      alertEpisodes: (_, args, context) => listAlertEpisodes(context, args),
      alertEpisode: (_, { id }, context) => getAlertEpisode(context, id),
      budgets: (_parent, _args, context) => listBudgets(context, gateway),
      alertEvaluation: (_parent, _args, context) => getAlertEvaluation(context),
      alertChannels: (_parent, _args, context) => listAlertChannels(context, hasMail),
      alertChannelConfirmation: (_, { token }, context) => getChannelConfirmation(context, token),
      statementSchedules: (_parent, _args, context) => listStatementSchedules(context),
      exportSchedules: (_parent, _args, context) => listExportSchedules(context),
      exportDeliveries: (_, args, context) => listExportDeliveries(context, args),
      alertDeliveries: (_, args, context) => listAlertDeliveries(context, args, hasMail),
      savedViews: (_parent, _args, context) => listSavedViews(context),
      alertingSealedValues: (_parent, _args, context) => listSealedValues(context, sealing),
      alertingAuditLog: (_, page, context) => readAuditLog(context, auditedOrganizationOf(context), page),
    },
    Window: {
      __resolveReference: (reference: { readonly start: unknown; readonly end: unknown }) => parseWindow(reference),
      insights: (window: Window, { first }: Required<WindowInsightsArgs>, context: SubgraphContext) =>
        listInsights(gateway, context, window, first),
      notes: (window: Window, { first }: Required<WindowNotesArgs>, context: SubgraphContext) =>
        listNotes(context, window, first),
    },
    Mutation: takeInput<MutationResolvers>({
      alertRuleSave: withUserErrors('alertRule', (_, input, context) => saveAlertRule(context, input)),
      alertRuleDelete: withUserErrors('alertRule', (_, { id }, context) => deleteAlertRule(context, id)),
      alertRuleMute: withUserErrors('alertRule', (_, args, context) => muteAlertRule(context, args)),
      alertEpisodeAcknowledge: withUserErrors('alertEpisode', (_, { id }, context) =>
        acknowledgeAlertEpisode(context, id),
      ),
      alertChannelSave: withChangeAndUserErrors(NO_CHANNEL, (_, input, context) =>
        saveAlertChannel(context, input, { outbound, sealing, hasMail }),
      ),
      confirmAlertChannel: (_, { token }, context) => confirmAlertChannel(context, token),
      alertChannelDelete: withChangeAndUserErrors(NO_CHANNEL, async (_, { id }, context) => ({
        alertChannel: await deleteAlertChannel(context, id, hasMail),
        secret: null,
      })),
      alertChannelSecretRotate: withChangeAndUserErrors(NO_CHANNEL, (_, { id }, context) =>
        rotateAlertChannelSecret(context, id, { sealing, hasMail }),
      ),
      alertChannelTest: withUserErrors('alertDelivery', (_, args, context) =>
        testAlertChannel(context, args, { appUrl, hasMail }),
      ),
      alertDeliveryRedeliver: withUserErrors('alertDelivery', (_, args, context) =>
        redeliverAlert(context, args, { hasMail }),
      ),
      statementScheduleSet: withUserErrors('statementSchedule', (_, input, context) =>
        setStatementSchedule(context, input),
      ),
      exportScheduleSave: withChangeAndUserErrors(
        NO_EXPORT,
        withOwnPassword((_, input, context) => saveExportSchedule(context, input, { outbound, sealing })),
      ),
      exportScheduleTest: withUserErrors('testedKey', (_, { id }, context) =>
        testExportSchedule(context, id, { outbound, sealing }),
      ),
      exportScheduleDelete: withUserErrors('exportSchedule', (_, { id }, context) => deleteExportSchedule(context, id)),
      exportDeliveryRepeat: withUserErrors('exportDelivery', (_, { id }, context) => repeatExportDelivery(context, id)),
      noteAdd: withUserErrors('note', (_, input, context) => addNote(context, input)),
      noteDelete: withUserErrors('note', (_, { id }, context) => deleteNote(context, id)),
      savedViewAdd: withUserErrors('savedView', (_, input, context) => saveView(context, input)),
      savedViewDelete: withUserErrors('savedView', (_, { id }, context) => deleteSavedView(context, id)),
      alertingValuesReseal: withUserErrors('step', (_, page, context) => resealValues(context, sealing, page)),
      alertingEndUserErase: withUserErrors(
        'erasure',
        withOwnPassword((_, args, context) => eraseAlertingEndUser(context, args)),
      ),
      alertingDataDelete: withUserErrors('deletedRows', (_, request, context) =>
        deleteOrganizationData(context, request),
      ),
    }),
    AlertEpisode: {
      rule: ({ ruleId }, _args, context) => getAlertRule(context, ruleId),
      notes: ({ id }, _args, context) => listEpisodeNotes(context, id),
    },
  };
}

const NO_EXPORT = { exportSchedule: null, testedKey: null };
const NO_CHANNEL = { alertChannel: null, secret: null };
