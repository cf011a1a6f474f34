// What an agent said of its run, weighed against what was observed of it and what it left behind (phase-outcomes.txt).
export { RECOVERED_PATH } from './artifacts.ts';
export { assessPhase, type PhaseAssessment } from './assess.ts';
export { PhaseInputRefused } from './input.ts';
export { type PhaseAttempt, rollUpExecution } from './roll-up.ts';
export {
  FAILURE_CLASSES,
  type FailureClass,
  PHASE_OUTCOMES,
  PHASE_STATUSES,
  type PhaseStatus,
  VERDICTS,
} from './verdicts.ts';
