// What touches the workspaces that agents work in. Node only.
export { type CollectedOutput, type CollectLimits, collectOutput } from './collect-output.ts';
export { WorkspaceFault, type WorkspaceFaultCode } from './faults.ts';
export { runVerification, type VerificationCommand, type VerificationRun } from './verification/run-verification.ts';
export { INPUT_DIRECTORY, writeInput } from './write-input.ts';
