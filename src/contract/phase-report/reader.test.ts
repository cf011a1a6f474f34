// The reader against phase-outcomes-rules.md sections 1 to 3, rule by rule, and against any split of any transcript.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LONGEST_BLOCK, PhaseReportReader, REPORT_STATES, readMessages } from './index.ts';

const GOOD = 'TASK_RESULT: {"success": true, "side_effects": "none", "comments": "Opened PR #42"}\nTASK_RESULT_END';
const BAD = 'TASK_RESULT: {"success": false, "failure_reason": "platform", "comments": "no token"}\nTASK_RESULT_END';
/** The same elements in any order. */
const shuffled = <T>(all: T[]) => fc.shuffledSubarray(all, { minLength: all.length });
const stateOf = (...messages: string[]) => readMessages(messages).state;
const wellFormed = (text: string) =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text));
const block = (json: string) => `TASK_RESULT: ${json}\nTASK_RESULT_END`;

describe('a block', () => {
  test.each([
    ['as the page shows it', GOOD, 'success'],
    ['a failure', BAD, 'failure'],
    ['after prose, mid-line', `All done. ${GOOD}`, 'success'],
    ['after other letters', `MY_${GOOD}`, 'success'],
    ['on one line', 'TASK_RESULT: {"success": true} TASK_RESULT_END', 'success'],
    ['without any space', 'TASK_RESULT:{"success":true}TASK_RESULT_END', 'success'],
    ['with line breaks before the value', 'TASK_RESULT:\n\n  {"success": true}\n\n  TASK_RESULT_END', 'success'],
    ['CRLF', 'TASK_RESULT: {"success": true}\r\nTASK_RESULT_END\r\n', 'success'],
    ['lone CR', 'TASK_RESULT: {"success": true}\rTASK_RESULT_END', 'success'],
    ['a no-break space', 'TASK_RESULT:\u00a0{"success": true}\u2003\nTASK_RESULT_END', 'success'],
    ['a next-line character', 'TASK_RESULT:\u0085{"success": true}\u001c\nTASK_RESULT_END', 'success'],
    ['a BOM before the message', `\ufeff${GOOD}`, 'success'],
    ['a BOM before the value is no space', 'TASK_RESULT: \ufeff{"success": true}\nTASK_RESULT_END', 'unreadable'],
    ['a value over several lines', 'TASK_RESULT: {\n  "success": true\n}\nTASK_RESULT_END', 'success'],
    ['text after the terminator', `${GOOD}. Bye!`, 'success'],
    ['a longer word than the terminator', 'TASK_RESULT: {"success": true}\nTASK_RESULT_ENDING', 'unreadable'],
    ['a terminator before a letter', 'TASK_RESULT: {"success": true}\nTASK_RESULT_ENDé', 'unreadable'],
    ['a terminator before a letter outside the BMP', 'TASK_RESULT: {"success": true}\nTASK_RESULT_END𝒳', 'unreadable'],
    ['a terminator before a full stop', 'TASK_RESULT: {"success": true}\nTASK_RESULT_END.', 'success'],
    ['a terminator in lower case', 'TASK_RESULT: {"success": true}\ntask_result_end', 'unreadable'],
    ['a remark before the terminator', 'TASK_RESULT: {"success": true} ok\nTASK_RESULT_END', 'unreadable'],
    ['a comma before the terminator', 'TASK_RESULT: {"success": true},\nTASK_RESULT_END', 'unreadable'],
    ['two values', 'TASK_RESULT: {"success": true}{"success": true}\nTASK_RESULT_END', 'unreadable'],
    ['no terminator', 'TASK_RESULT: {"success": true}', 'unreadable'],
    ['cut in the JSON', 'TASK_RESULT: {"success": tr', 'unreadable'],
    ['nothing after the marker', 'TASK_RESULT:', 'unreadable'],
    ['a marker in bold', '**TASK_RESULT:** {"success": true}\nTASK_RESULT_END', 'unreadable'],
    ['bold around the word', '**TASK_RESULT**: {"success": true}\nTASK_RESULT_END', 'not_reported'],
    ['a marker in lower case', 'task_result: {"success": true}\nTASK_RESULT_END', 'not_reported'],
    ['a space in the marker', 'TASK_RESULT : {"success": true}\nTASK_RESULT_END', 'not_reported'],
    ['an empty message', '', 'not_reported'],
    ['prose', 'I have finished the task.', 'not_reported'],
  ])('%s', (_what, message, state) => {
    expect(stateOf(message)).toBe(state);
  });

  test('braces, fences, markers and terminators within strings are inert', () => {
    const comments =
      'see ```json {"a": }``` TASK_RESULT_END and TASK_RESULT: {"success": false} TASK_RESULT_END "quoted" \\';
    for (const open of ['', '```json\n']) {
      const json = JSON.stringify({ success: true, comments, nested: { success: false, deep: [[{}]] } });
      const text = `TASK_RESULT: ${open}${json}${open && '\n```'}\nTASK_RESULT_END\n${BAD.replace('platform', 'task')}`;
      const report = readMessages([text]);
      expect([report.state, report.seen, report.claims[0]?.comments]).toEqual(['failure', 2, comments]);
    }
  });

  test('a terminator in the next message closes nothing', () => {
    expect(stateOf('TASK_RESULT: {"success": true}', 'TASK_RESULT_END')).toBe('unreadable');
    expect(stateOf('TASK_', 'RESULT: {"success": true}\nTASK_RESULT_END')).toBe('not_reported');
  });
});

describe('within one message', () => {
  test('a closed block makes those that are not closed prose', () => {
    expect(stateOf(`write TASK_RESULT: {"success": false} like so. ${GOOD}`)).toBe('success');
    expect(stateOf(`${GOOD} as in TASK_RESULT: {"success": false}`)).toBe('success');
    expect(readMessages([`TASK_RESULT: nothing. ${GOOD}`]).seen).toBe(1);
  });

  test('a marker in text that did not decode is still seen', () => {
    expect(stateOf(`TASK_RESULT: {broken ${GOOD}`)).toBe('success');
    expect(stateOf(`TASK_RESULT: TASK_RESULT: ${block('{"success": true}').slice(13)}`)).toBe('success');
  });

  test('a marker in a string of a value that was not closed is not', () => {
    const text = `TASK_RESULT: ${JSON.stringify({ success: true, comments: GOOD })} and more`;
    expect(stateOf(text)).toBe('unreadable');
  });

  test('without a closed block it is one unreadable report, with the text from the last marker on', () => {
    const report = readMessages([`TASK_RESULT: one\nTASK_RESULT:   two\n  ${'word '.repeat(60)}`]);
    expect([report.state, report.seen]).toEqual(['unreadable', 1]);
    expect(report.stands?.text).toMatch(/^TASK_RESULT: two word word/);
    expect([...(report.stands?.text ?? '')]).toHaveLength(201);
    expect(report.stands?.text.endsWith('…')).toBe(true);
    expect(readMessages(['TASK_RESULT: \n a  b ']).stands?.text).toBe('TASK_RESULT: a b');
  });

  test('ten thousand blocks are all counted, and the strongest stands', () => {
    const blocks = Array.from({ length: 10_000 }, (_, n) =>
      block(JSON.stringify({ success: n !== 5_000, comments: `${n}` })),
    );
    const report = readMessages([blocks.join('\n')]);
    expect([report.seen, report.state, report.stands?.comments, report.claims.length]).toEqual([
      10_000,
      'failure',
      '5000',
      100,
    ]);
  });
});

describe('the JSON', () => {
  test.each([
    ["{'success': true}", 'unreadable'],
    ['{“success”: true}', 'unreadable'],
    ['{"success": True}', 'unreadable'],
    ['{"success": true,}', 'unreadable'],
    ['{"success": true /* yes */}', 'unreadable'],
    ['{"success": true, "comments": "two\nlines"}', 'unreadable'],
    ['{"success": true, "n": NaN}', 'unreadable'],
    ['{"success": true, "n": 01}', 'unreadable'],
    ['{"success": true, "n": 1.}', 'unreadable'],
    ['{"success": true, "n": -1.5e+3, "m": [1, {}, [], null, false], "s": "\\u00e9\\n"}', 'success'],
    ['[{"success": true}]', 'unreadable'],
    ['true', 'unreadable'],
    ['"success"', 'unreadable'],
    ['{"success": "true"}', 'unreadable'],
    ['{"success": "false"}', 'unreadable'],
    ['{"success": 1}', 'unreadable'],
    ['{"success": 0}', 'unreadable'],
    ['{"success": null}', 'unreadable'],
    ['{"success": []}', 'unreadable'],
    ['{"success": "completed"}', 'unreadable'],
    ['{"Success": true}', 'unreadable'],
    ['{"result": {"success": true}}', 'unreadable'],
    ['{}', 'unreadable'],
    ['{"succes\\u0073": true}', 'success'],
    ['{"success": false, "success": true}', 'success'],
    ['{"success": true, "success": false}', 'failure'],
    ['{"success": true, "comments": {"a": 1}}', 'success'],
    ['{"success": true, "comments": null}', 'success'],
    ['{"success": true, "comments": "half \\ud800 a pair"}', 'success'],
    ['{"status": "completed"}', 'success'],
    ['{"status": "failed"}', 'failure'],
    ['{"st\\u0061tus": "failed"}', 'failure'],
    ['{"status": "Completed"}', 'unreadable'],
    ['{"status": "completed "}', 'unreadable'],
    ['{"status": "done"}', 'unreadable'],
    ['{"status": "success"}', 'unreadable'],
    ['{"status": true}', 'unreadable'],
    ['{"status": ["completed"]}', 'unreadable'],
    ['{"status": "completed", "status": "completed"}', 'unreadable'],
    ['{"status": "failed", "x": 1, "st\\u0061tus": "failed"}', 'unreadable'],
    ['{"status": "completed", "n": {"status": "failed"}}', 'success'],
    ['{"success": null, "status": "completed"}', 'unreadable'],
    ['{"success": "true", "status": "completed"}', 'unreadable'],
    ['{"success": true, "status": "failed", "status": "failed"}', 'success'],
    ['{"success": false, "status": "completed"}', 'failure'],
    [`${'['.repeat(900)}${']'.repeat(900)}`, 'unreadable'],
    [`{"success": true, "deep": ${'['.repeat(900)}${']'.repeat(900)}}`, 'success'],
    [`{"success": true, "deep": ${'['.repeat(100_000)}`, 'unreadable'],
  ])('%#', (json, state) => {
    expect(stateOf(block(json)), json.slice(0, 100)).toBe(state);
  });

  test.each([
    ['task', 'task', 0],
    ['unknown', 'unknown', 0],
    [null, null, 0],
    ['Task', null, 1],
    [' task', null, 1],
    ['the token is missing', null, 1],
    [7, null, 1],
    [['task'], null, 1],
  ])('failure_reason %j reads as %j', (value, word, warnings) => {
    const { stands } = readMessages([
      block(JSON.stringify({ success: false, failure_reason: value, side_effects: 'denied' })),
    ]);
    expect([stands?.failure_reason, stands?.side_effects, stands?.warnings.length]).toEqual([word, 'denied', warnings]);
    if (warnings) expect(stands?.warnings[0]).toMatch(/failure_reason .* none of: task, platform, refused, unknown/);
  });

  test('an alias says so, and reads the rest as usual', () => {
    const { stands } = readMessages([block('{"status": "failed", "failure_reason": "refused", "comments": "no"}')]);
    expect(stands).toMatchObject({ state: 'failure', by_alias: true, failure_reason: 'refused', comments: 'no' });
    expect(stands?.warnings).toEqual(['the report says "status": "failed" where "success" belongs']);
    expect(readMessages([block('{"success": true, "status": "failed"}')]).stands?.warnings).toEqual([]);
  });
});

describe('a code fence', () => {
  const json = '{"success": true}';
  test.each([
    ['```json\n', '\n```', 'success'],
    ['```', '```', 'success'],
    ['```json', '```', 'success'],
    ['```c++\n', '\n```\n', 'success'],
    ['```json\n', '', 'unreadable'],
    ['', '\n```', 'unreadable'],
    ['~~~json\n', '\n~~~', 'unreadable'],
    ['````json\n', '\n````', 'unreadable'],
    ['``` json\n', '\n```', 'unreadable'],
    ['```json\nhere: ', '\n```', 'unreadable'],
  ])('%j … %j is %s', (open, close, state) => {
    const report = readMessages([`TASK_RESULT: ${open}${json}${close}\nTASK_RESULT_END`]);
    expect(report.state).toBe(state);
    if (state === 'success') expect(report.stands?.warnings).toEqual([expect.stringContaining('code fence')]);
  });

  test('and an alias at once', () => {
    const report = readMessages(['TASK_RESULT: ```json\n{"status": "completed"}\n```\nTASK_RESULT_END']);
    expect([report.state, report.stands?.warnings.length]).toEqual(['success', 2]);
  });

  test('a whole block within a fence is a report like any other', () => {
    expect(stateOf(`For example:\n\`\`\`\n${BAD}\n\`\`\``)).toBe('failure');
  });
});

describe('of several claims', () => {
  const UNREADABLE = block('{"success": 1}');
  const NOTHING = 'still working';
  test.each([
    [[GOOD, BAD], 'failure'],
    [[BAD, GOOD], 'failure'],
    [[UNREADABLE, GOOD], 'success'],
    [[GOOD, UNREADABLE], 'success'],
    [[UNREADABLE, NOTHING], 'unreadable'],
    [[NOTHING, BAD, UNREADABLE, GOOD, NOTHING], 'failure'],
    [[NOTHING], 'not_reported'],
    [[], 'not_reported'],
  ])('%# the strongest stands, in one message and across messages', (messages, state) => {
    expect(stateOf(...messages)).toBe(state);
    if (!messages.includes('TASK_RESULT')) expect(stateOf(messages.join('\n'))).toBe(state);
  });

  test('of equals the later one, whole', () => {
    const first = block('{"success": true, "side_effects": "denied", "comments": "one"}');
    const second = block('{"success": true}');
    expect(readMessages([first, second]).stands).toMatchObject({ side_effects: null, comments: '' });
    expect(readMessages([second, first]).stands).toMatchObject({ side_effects: 'denied', comments: 'one' });
  });
});

describe('any text', () => {
  const piece = fc.constantFrom(
    ...[
      'TASK_RESULT:',
      'TASK_RESULT_END',
      ' ',
      '\n',
      '\r\n',
      '```',
      '```json\n',
      '{"success": true}',
      '{"success": false, "comments": "é😀"}',
    ],
    ...[
      '{"status": "failed"}',
      '"',
      '{',
      '}',
      '[',
      ']',
      ',',
      '1.5',
      '-',
      'tru',
      'e',
      '\\',
      '\\u00',
      'é',
      '😀',
      '\ufeff',
      '\u0085',
      'A',
      '_',
      'x y',
    ],
    ...[GOOD, BAD, '{"comments": "TASK_RESULT: {', '"}'],
  );
  const message = fc
    .array(fc.oneof({ weight: 8, arbitrary: piece }, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 14 })
    .map((parts) => parts.join(''));
  const seed = 6_001;

  test(`cut anywhere, as text or as bytes, gives the same verdict (seed ${seed})`, () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 4 }),
        fc.infiniteStream(fc.nat({ max: 9 })),
        fc.boolean(),
        (messages, cuts, bytes) => {
          const reader = new PhaseReportReader();
          for (const text of messages) {
            const whole = bytes ? new TextEncoder().encode(text) : text;
            for (let at = 0; at < whole.length; ) {
              const size = cuts.next().value as number;
              reader.push(whole.slice(at, at + size));
              at += size;
            }
            reader.endMessage();
          }
          // Bytes cannot hold half a surrogate pair.
          expect(reader.report()).toEqual(readMessages(bytes ? messages.map(wellFormed) : messages));
        },
      ),
      { seed, numRuns: 3_000 },
    );
  });

  test(`the order of claims never changes which kind stands (seed ${seed})`, () => {
    const orders = fc
      .array(message, { maxLength: 6 })
      .chain((messages) => fc.tuple(fc.constant(messages), shuffled(messages)));
    fc.assert(
      fc.property(orders, ([messages, others]) => {
        expect(readMessages(others).state).toBe(readMessages(messages).state);
      }),
      { seed, numRuns: 2_000 },
    );
  });

  test(`nor within one message, of blocks that are closed (seed ${seed})`, () => {
    const closed = fc.constantFrom(GOOD, BAD, block('{"success": 1}'), block('{"status": "completed"}'), block('[]'));
    const orders = fc
      .array(closed, { maxLength: 6 })
      .chain((blocks) => fc.tuple(fc.constant(blocks), shuffled(blocks)));
    fc.assert(
      fc.property(orders, ([blocks, others]) => {
        const { state, seen } = readMessages([blocks.join('\n')]);
        expect(readMessages([others.join(' and ')])).toMatchObject({ state, seen });
        expect(readMessages(others)).toMatchObject({ state, seen });
      }),
      { seed, numRuns: 500 },
    );
  });

  test(`never throws, whatever is read and however it is cut (seed ${seed})`, () => {
    const text = fc.oneof(message, fc.string({ unit: 'binary' }), fc.json());
    const anything = fc.oneof(text, text.map(block), fc.uint8Array({ maxLength: 60 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(anything, fc.boolean()), { maxLength: 8 }), (pieces) => {
        const reader = new PhaseReportReader();
        for (const [piece, ends] of pieces) {
          reader.push(piece);
          reader.report();
          if (ends) reader.endMessage();
        }
        reader.endMessage();
        expect(REPORT_STATES).toContain(reader.report().state);
      }),
      { seed, numRuns: 3_000 },
    );
  });

  const quoted = fc.constantFrom(
    'TASK_RESULT: {"success": false}',
    'TASK_RESULT: {"success": true}',
    'TASK_RESULT: {"status": "failed"} ',
    'TASK_RESULT: ```{"success": false}```',
    'TASK_RESULT: {"success": true}\nTASK_RESULT_ENDING',
    'TASK_RESULT: {"success": false}\ntask_result_end',
  );
  const prose = fc.string({ maxLength: 20 }).filter((text) => !/TASK_RESULT|[{}"`\\[\]]/.test(text));

  test(`a report quoted without its terminator never counts beside one that has it (seed ${seed})`, () => {
    fc.assert(
      fc.property(quoted, prose, fc.boolean(), (quote, words, before) => {
        const text = before ? `${quote} . ${words}\n${GOOD}` : `${GOOD}\n${words} ${quote} . `;
        expect(readMessages([text])).toMatchObject({ state: 'success', seen: 1 });
      }),
      { seed, numRuns: 500 },
    );
  });

  test(`nor is it a success or a failure where it stands alone (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(prose, quoted), { minLength: 1, maxLength: 4 }), (quotes) => {
        const text = quotes.map(([words, quote]) => `${words} ${quote} . `).join('\n');
        expect(readMessages([text])).toMatchObject({ state: 'unreadable', seen: 1 });
      }),
      { seed, numRuns: 500 },
    );
  });
});

describe('hostile transcripts', () => {
  const units = (piece: string, size: number) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
  // Each is read to its end by a look at every marker, were that look not bounded by the next one.
  test.each([
    ['markers alone', 'TASK_RESULT:'],
    ['markers and braces', 'TASK_RESULT: {'],
    ['markers and open strings', 'TASK_RESULT: {"a": "'],
    ['markers and escapes', 'TASK_RESULT: "\\\\'],
    ['markers and numbers', 'TASK_RESULT: 1'],
    ['markers and blanks', `TASK_RESULT:${' '.repeat(50)}`],
    ['values without an end', 'TASK_RESULT: {"success": true} '],
    ['fences', 'TASK_RESULT: ```'],
    ['one long word', 'TASK_RESULT:x'],
  ])('%s: twice as long takes about twice the steps', (_what, piece) => {
    // Time is no test; that 2 MB end at all within the limit of a test is: squared they would take hours.
    const report = readMessages([units(piece, 2_000_000)]);
    expect(['unreadable', 'not_reported']).toContain(report.state);
  });

  test('of 50 MB in small pieces no more is kept than a block may have', () => {
    const reader = new PhaseReportReader();
    const chunk = 'x'.repeat(64 * 1024);
    reader.push('TASK_RESULT: {"success": true, "comments": "');
    for (let sent = 0; sent < 50_000_000; sent += chunk.length) reader.push(chunk);
    reader.push(`"}\nTASK_RESULT_END ${GOOD}`);
    reader.endMessage();
    expect(reader.report()).toMatchObject({ state: 'success', seen: 1, stands: { comments: 'Opened PR #42' } });
  });

  test('a block of the greatest length is read, a longer one is not closed', () => {
    const frame = block('{"success":true,"comments":""}').length;
    const text = (extra: number) => block(`{"success":true,"comments":"${'c'.repeat(LONGEST_BLOCK - frame + extra)}"}`);
    expect([stateOf(text(0)), stateOf(text(1))]).toEqual(['success', 'unreadable']);
    for (const extra of [0, 1]) {
      const reader = new PhaseReportReader();
      const whole = text(extra);
      for (let at = 0; at < whole.length; at += 999_983) reader.push(whole.slice(at, at + 999_983));
      reader.endMessage();
      expect(reader.report().state).toBe(extra ? 'unreadable' : 'success');
    }
  });

  test('a report in a message of 10 MB', () => {
    expect(stateOf(`${'words and words '.repeat(650_000)}${GOOD}`)).toBe('success');
  });
});
