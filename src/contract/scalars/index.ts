export { kindHolds, scalarKinds } from './kind.ts';
export { count, deadlineMs, overlapMs, positive, score, THIRTY_DAYS_MS } from './numbers.ts';
export { anyText, errorCode, eventType, idText, name, quorum, semver, traceparent, uuid4 } from './text.ts';
export { TIME_PATTERN, time, timeOrderKey } from './time.ts';
export { eventPattern, webhookSecret, webhookUrl } from './webhooks.ts';
export {
  anyJson,
  declaredRelation,
  flag,
  freeObject,
  governanceClass,
  hitlResolutionWord,
  outcomeVersion,
  policyDecisionWord,
  recoveryMode,
  sourceType,
  status,
  toolCallStatus,
} from './words.ts';
