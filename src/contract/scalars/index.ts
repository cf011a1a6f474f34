export { kindHolds, scalarKinds } from './kind.ts';
export { count, deadlineMs, exitCode, overlapMs, positive, score, THIRTY_DAYS_MS } from './numbers.ts';
export {
  anyText,
  artifactPath,
  errorCode,
  eventType,
  idText,
  name,
  quorum,
  saying,
  semver,
  sha256Hex,
  traceparent,
  uuid4,
} from './text.ts';
export { TIME_PATTERN, time, timeOrderKey } from './time.ts';
export { eventPattern, webhookSecret, webhookUrl } from './webhooks.ts';
export {
  anyJson,
  declaredRelation,
  deliveryAssessment,
  failureClass,
  failureReason,
  flag,
  freeObject,
  governanceClass,
  hitlResolutionWord,
  lifecycleEvent,
  outcomeVersion,
  phaseStatus,
  policyDecisionWord,
  recoveryMode,
  reportState,
  sideEffects,
  sourceType,
  status,
  toolCallStatus,
  verificationWord,
} from './words.ts';
