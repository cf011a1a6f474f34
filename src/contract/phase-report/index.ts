// What an agent says of its own run: the TASK_RESULT block (phase-outcomes.txt, phase-outcomes-rules.md sections 1 to 3).
export { LONGEST_BLOCK } from './block.ts';
export { phasePrompt } from './prompt.ts';
export { type PhaseReport, PhaseReportReader, readMessages } from './reader.ts';
export * from './words.ts';
