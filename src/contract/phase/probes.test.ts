// Faults that readers of agents' reports have had (B023, B025, B062 to B068), and what is right here.
import { describe, expect, test } from 'vitest';
import { type PhaseReport, PhaseReportReader, readMessages } from '../phase-report/index.ts';
import { assessPhase } from './index.ts';

const CLEAN = { exit_code: 0, stream_intact: true, cancelled: false, timed_out: false };
const block = (json: string) => `TASK_RESULT: ${json}\nTASK_RESULT_END`;
const GOOD = block('{"success": true}');
const BAD = block('{"success": false, "comments": "no"}');
const FILES = { 'artifacts/output/a.md': 'x' };
const assessed = (messages: unknown[], observation: object = {}, files: object = FILES) =>
  assessPhase({ messages, observation: { ...CLEAN, ...observation }, files });

// B023
describe('characters that a database cannot hold', () => {
  test.each([
    ['a comment cut inside an emoji', '{"success": true, "comments": "party \\ud83c"}', 'success'],
    ['a NUL as an escape', '{"success": false, "comments": "a\\u0000b"}', 'failure'],
    ['a NUL as an escape in a key', '{"success": true, "a\\u0000": 1}', 'success'],
    ['half a pair that stands unescaped', '{"success": true, "comments": "party \ud83c"}', 'success'],
    ['a NUL that stands unescaped, which is no JSON', '{"success": true, "comments": "a\u0000b"}', 'unreadable'],
  ])('%s', (_what, json, state) => {
    expect(readMessages([block(json)]).state).toBe(state);
  });
});

// B025
describe('a key that stands twice', () => {
  test.each([
    ['{"success": false, "success": true}', 'success'],
    ['{"success": true, "success": false}', 'failure'],
    ['{"success": true, "succes\\u0073": false}', 'failure'],
    ['{"success": true, "success": null}', 'unreadable'],
    ['{"status": "completed", "status": "failed"}', 'unreadable'],
    ['{"status": "failed", "status": "completed"}', 'unreadable'],
    ['{"status": "failed", "status": "failed"}', 'unreadable'],
    ['{"status": "completed", "success": true, "status": "failed"}', 'success'],
  ])('%s is %s', (json, state) => {
    expect(readMessages([block(json)]).state).toBe(state);
  });
});

// B062
describe('code and blocks inside the comments', () => {
  const inner = [
    '```json\n{"a": 1}\n```',
    '```',
    '}}}{{{',
    'TASK_RESULT_END',
    'TASK_RESULT: {"success": false}\nTASK_RESULT_END',
    '"quoted" \\ back',
  ];
  test.each(inner)('%j is read whole, bare and fenced, and two blocks stay two', (comments) => {
    const json = JSON.stringify({ success: true, comments });
    const bare = block(json);
    const fenced = block(`\`\`\`json\n${json}\n\`\`\``);
    for (const [first, second] of [
      [bare, bare],
      [fenced, fenced],
      [bare, fenced],
      [fenced, bare],
    ]) {
      const { state, seen, claims } = readMessages([`${first}\nand then\n${second}`]);
      expect([state, seen, claims.map((claim) => claim.comments)]).toEqual(['success', 2, [comments, comments]]);
    }
  });
});

// B064
describe('a report that somebody else wrote', () => {
  const others = ['system', 'user', 'tool', 'developer', 'function', 'subagent'].map((role) => ({ role, text: GOOD }));
  const printed = { 'artifacts/output/log.txt': GOOD };
  test('is none of the agent', () => {
    expect(assessed([...others, { role: 'agent', text: 'working' }], {}, printed).report_state).toBe('not_reported');
    expect(assessed(others, {}, printed).report_state).toBe('not_reported');
  });
  test('does not stand against the agent’s own failure', () => {
    for (const messages of [
      [...others, { role: 'assistant', text: BAD }],
      [{ role: 'agent', text: BAD }, ...others],
      [BAD, ...others],
    ]) {
      expect(assessed(messages, {}, printed)).toMatchObject({ report_state: 'failure', phase_status: 'failed' });
    }
  });
});

// B065
describe('success is a boolean, or the report is not read', () => {
  const values = ['"true"', '"false"', '1', '0', 'null', '[]', '{}', '"completed"', '"failed"', '""', '[true]'];
  test.each(values)('%s, also with a good status beside it', (value) => {
    for (const json of [
      `{"success": ${value}}`,
      `{"success": ${value}, "status": "completed"}`,
      `{"status": "completed", "success": ${value}}`,
      `{"success": ${value}, "status": "failed"}`,
    ]) {
      expect(assessed([block(json)])).toMatchObject({
        report_state: 'unreadable',
        phase_status: 'failed',
        failure_classification: 'platform',
      });
    }
  });
  test('without it an exact status is read, with a warning, and nothing else is', () => {
    const completed = assessed([block('{"status": "completed"}')]);
    expect([completed.phase_status, completed.warnings.length]).toEqual(['completed', 1]);
    expect(assessed([block('{"status": "failed"}')]).failure_classification).toBe('correct_refusal');
    for (const status of ['"Completed"', '"complete"', '"ok"', 'true', '1', 'null', '["completed"]']) {
      expect(assessed([block(`{"status": ${status}}`)]).report_state).toBe('unreadable');
    }
    expect(assessed([block('{}')]).report_state).toBe('unreadable');
  });
});

// B066
describe('a transcript that comes in pieces', () => {
  const report = '{"success": true, "side_effects": "denied", "comments": "Größe 5 € 😀 \\ud83d\\ude00"}';
  const forms = {
    LF: `wrote it\nTASK_RESULT: ${report}\nTASK_RESULT_END\n`,
    CRLF: `wrote it\r\nTASK_RESULT: ${report}\r\nTASK_RESULT_END\r\n`,
    'lone CR': `TASK_RESULT: ${report}\rTASK_RESULT_END\r`,
    'a BOM': `\ufeffTASK_RESULT: ${report}\nTASK_RESULT_END`,
    'no-break spaces': `TASK_RESULT:\u00a0${report}\u00a0\nTASK_RESULT_END\u00a0`,
    'trailing spaces': `TASK_RESULT: ${report}   \t\n  TASK_RESULT_END   `,
    'a fence': `TASK_RESULT: \`\`\`json\n${report}\n\`\`\`\nTASK_RESULT_END`,
  };
  const read = (...pieces: (string | Uint8Array)[]): PhaseReport => {
    const reader = new PhaseReportReader();
    for (const piece of pieces) reader.push(piece);
    reader.endMessage();
    return reader.report();
  };
  test.each(Object.entries(forms))('%s, cut at every place, in letters and in bytes', (_what, text) => {
    const whole = readMessages([text]);
    expect(whole).toMatchObject({ state: 'success', stands: { side_effects: 'denied', comments: 'Größe 5 € 😀 😀' } });
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at <= text.length; at += 1) expect(read(text.slice(0, at), text.slice(at))).toEqual(whole);
    for (let at = 0; at <= bytes.length; at += 1) expect(read(bytes.slice(0, at), bytes.slice(at))).toEqual(whole);
    expect(read(...text.split(''))).toEqual(whole);
    expect(read(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole);
  });
});

// B067
describe('a block that is not whole is never repaired into a success', () => {
  test.each([
    ['no terminator', 'TASK_RESULT: {"success": true}'],
    ['cut in the JSON', 'TASK_RESULT: {"success": true, "comments": "half a sen'],
    ['cut in the JSON, then closed', 'TASK_RESULT: {"success": true\nTASK_RESULT_END'],
    ['a fence never closed', 'TASK_RESULT: ```json\n{"success": true}\nTASK_RESULT_END'],
    ['a fence closed and never opened', 'TASK_RESULT: {"success": true}\n```\nTASK_RESULT_END'],
    ['a fence glued to the brace, never closed', 'TASK_RESULT: ```json{"success": true}\nTASK_RESULT_END'],
    ['text after the JSON', 'TASK_RESULT: {"success": true} done\nTASK_RESULT_END'],
    ['text before the JSON', 'TASK_RESULT: here {"success": true}\nTASK_RESULT_END'],
    ['a second value', 'TASK_RESULT: {"success": true} {"success": true}\nTASK_RESULT_END'],
    ['smart quotes', 'TASK_RESULT: {“success”: true}\nTASK_RESULT_END'],
    ['a trailing comma', 'TASK_RESULT: {"success": true,}\nTASK_RESULT_END'],
    ['single quotes', "TASK_RESULT: {'success': true}\nTASK_RESULT_END"],
    ['a comment', 'TASK_RESULT: {"success": true} // yes\nTASK_RESULT_END'],
  ])('%s', (_what, message) => {
    const { report_state, phase_status, warnings, error } = assessed([message]);
    expect([report_state, phase_status, warnings.length]).toEqual(['unreadable', 'failed', 1]);
    expect(error).toContain('could not be read: TASK_RESULT:');
  });

  test('a fence glued to the brace on one line, and closed, is read with a warning', () => {
    const { report_state, warnings } = assessed(['TASK_RESULT: ```json{"success": true}```\nTASK_RESULT_END']);
    expect([report_state, warnings.length]).toEqual(['success', 1]);
  });
});

// B068
describe('four states are kept apart', () => {
  test('no verdict is no failure', () => {
    expect(assessed(['I looked into it.'])).toMatchObject({ report_state: 'not_reported', phase_status: 'completed' });
    expect(assessed([])).toMatchObject({ report_state: 'not_reported', phase_status: 'completed' });
    expect(assessed(['I looked into it.'], { stream_intact: false }).phase_status).toBe('completed');
  });
  test('a cancelled run stays cancelled, whatever came late', () => {
    for (const messages of [[GOOD], [BAD], ['TASK_RESULT:'], []]) {
      expect(assessed(messages, { cancelled: true })).toMatchObject({
        phase_status: 'cancelled',
        failure_classification: null,
      });
    }
  });
  test('a failure is not taken back, before or after', () => {
    for (const messages of [
      [BAD, 'All good now.'],
      [BAD, GOOD],
      [GOOD, BAD],
      [GOOD, BAD, GOOD],
      [`${GOOD}\n${BAD}\n${GOOD}`],
    ]) {
      expect(assessed(messages)).toMatchObject({ report_state: 'failure', failure_classification: 'correct_refusal' });
    }
  });
  test('each beats what is weaker', () => {
    const unreadable = 'TASK_RESULT: oops';
    const states = [BAD, GOOD, unreadable, 'nothing'].map((_, n, all) => readMessages(all.slice(n)).state);
    expect(states).toEqual(['failure', 'success', 'unreadable', 'not_reported']);
  });
});
