import { MARKER, TERMINATOR } from './block.ts';
import type { FAILURE_REASONS, SIDE_EFFECTS } from './words.ts';

const REASONS: Readonly<Record<(typeof FAILURE_REASONS)[number], string>> = {
  task: 'what was asked is wrong, impossible or too much',
  platform: 'a tool, a credential or the machine did not work',
  refused: 'you could have done it and judged that you should not',
  unknown: 'you cannot tell which',
};
const EFFECTS: Readonly<Record<(typeof SIDE_EFFECTS)[number], string>> = {
  none: 'you tried to write nothing outside the workspace',
  succeeded: 'all that you wrote outside went through',
  denied: 'something you tried to write was refused (a permission, a protected branch, a read-only token)',
  failed: 'something you tried to write broke',
};

const block = (report: object) => `${MARKER} ${JSON.stringify(report)}\n${TERMINATOR}`;
const list = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([word, meaning]) => `  - "${word}": ${meaning}`);

/** The words that tell an agent how to end its run so that `PhaseReportReader` reads it. */
export function phasePrompt(): string {
  return [
    'How to end this task',
    '',
    'Write every file of the result below artifacts/output/. Nothing else is collected.',
    '',
    `The last thing you write is a report: the word ${MARKER}, one JSON object, and ${TERMINATOR} on the next line.`,
    'Its keys:',
    '',
    '- "success": true when the result that was asked for is there, false when it is not. The key is "success", never "status", and its value is',
    '  true or false without quotation marks. It alone decides.',
    '- "failure_reason": with "success": false, exactly one of these words; the explanation belongs in "comments":',
    ...list(REASONS),
    '- "side_effects": exactly one of these words:',
    ...list(EFFECTS),
    '- "comments": one or two sentences for the people who run this, with what they need to act.',
    '',
    'When the result is there and an outside write was refused, say "success": true and "side_effects": "denied".',
    'A failure that you report cannot be taken back by a later success. Put the JSON on its own, without a code fence.',
    '',
    'For example, one of:',
    '',
    block({
      success: true,
      side_effects: 'succeeded',
      comments: 'Wrote the migration plan and opened the pull request for it',
    }),
    '',
    block({
      success: false,
      failure_reason: 'platform',
      side_effects: 'none',
      comments: 'The package registry answered 503 for an hour; nothing was built',
    }),
    '',
  ].join('\n');
}
