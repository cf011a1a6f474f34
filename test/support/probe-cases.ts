/** The good envelope's text with another result. */
export const withResult = (json: string) => (good: string) =>
  good.replace('"result":{"allocated_editions":50}', `"result":${json}`);
/** … with other times, spelled exactly so. */
export const withTiming = (started: string, completed: string, duration: string) => (good: string) =>
  good.replace(
    /"timing":\{[^}]*\}/,
    `"timing":{"started_at":${JSON.stringify(started)},"completed_at":${JSON.stringify(completed)},"duration_ms":${duration}}`,
  );
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

/** Probe, what is sent, the answer, the path it names if any, and how it is spelled. */
export const REFUSED: [string, string, string, string | undefined, (good: string) => string][] = [
  ['B023', 'NUL as a value', 'no jsonb', undefined, withResult('{"a":"x\\u0000y"}')],
  ['B023', 'NUL as a key', 'no jsonb', undefined, withResult('{"x\\u0000":1}')],
  ['B023', 'half a surrogate pair', 'no jsonb', undefined, withResult('{"a":"\\ud83d"}')],
  ['B023', 'the other half', 'no jsonb', undefined, withResult('{"a":"\\ude00"}')],
  ['row 15', 'a number of a hundred thousand digits', 'envelope_invalid', '/result/n', withResult('{"n":1e131071}')],
  [
    'row 15',
    'ten thousand of them',
    'envelope_invalid',
    undefined,
    withResult(`{"n":[${Array(9000).fill('1e131071').join()}]}`),
  ],
  ['', 'a number that no double gives back', 'envelope_invalid', '/result/n', withResult('{"n":9007199254740993}')],
  [
    '',
    'a fraction that no double gives back',
    'envelope_invalid',
    '/result/n',
    withResult('{"n":0.12345678901234567890}'),
  ],
  ['', 'nesting over 64', 'envelope_invalid', undefined, withResult(nested(64))],
  [
    '',
    'over a megabyte',
    'envelope_invalid',
    undefined,
    withResult(`{"a":"${Array.from({ length: 160_000 }, (_, n) => n.toString(36).padStart(8, '0')).join('')}"}`),
  ],
  ['B031', '__proto__ at the top', 'envelope_invalid', '/__proto__', (good) => good.replace('{', '{"__proto__":{},')],
  [
    'B031',
    'constructor below',
    'envelope_invalid',
    '/timing/constructor',
    (good) => good.replace('"timing":{', '"timing":{"constructor":1,'),
  ],
  [
    'B032',
    'a completion before its start',
    'envelope_invalid',
    '/timing/completed_at',
    withTiming('2026-05-20T10:00:00.250Z', '2026-05-20T10:00:00.000Z', '0'),
  ],
  [
    'B032',
    'a completion a nanosecond before',
    'envelope_invalid',
    '/timing/completed_at',
    withTiming('2026-05-20T10:00:00.000000001Z', '2026-05-20T10:00:00Z', '0'),
  ],
  [
    'B032',
    'a duration below nought',
    'envelope_invalid',
    '/timing/duration_ms',
    withTiming('2026-05-20T10:00:00Z', '2026-05-20T10:00:01Z', '-5'),
  ],
  [
    'B032',
    'a duration in fractions',
    'envelope_invalid',
    '/timing/duration_ms',
    withTiming('2026-05-20T10:00:00Z', '2026-05-20T10:00:01Z', '1.5'),
  ],
  ...[
    '2026-05-20T10:00:00z',
    '2026-05-20t10:00:00Z',
    '2026-05-20T24:00:00Z',
    '2026-05-20T23:59:60Z',
    '2026-02-30T00:00:00Z',
    '+010000-01-01T00:00:00Z',
    '10000-01-01T00:00:00Z',
    'now',
    'infinity',
    '-infinity',
    'epoch',
    'today',
    '2026-05-20T10:00:00+99:00',
    '2026-05-20T10:00:00+02:00',
    '2026-05-20T10:00:00-00:00',
    '2026-05-20T10:00Z',
    '2026-05-20 10:00:00Z',
    '2026-05-20T10:00:00.Z',
    '2026-05-20T10:00:00.1234567890Z',
    '2026-05-20',
    '1969-12-31T23:59:59Z',
    '20260520T100000Z',
    '',
  ].map((time): [string, string, string, string, (good: string) => string] => [
    'B029',
    `the time ${JSON.stringify(time)}`,
    'envelope_invalid',
    '/timing/started_at',
    withTiming(time, '2026-05-20T10:00:00Z', '0'),
  ]),
  [
    'B030',
    'an id in upper case',
    'envelope_invalid',
    '/outcome_id',
    (good) => good.replace('{', '{"outcome_id":"0B9CC0DE-6C7E-4C39-9DF5-9B1C61A3D0F1",'),
  ],
  [
    'B030',
    'the nil id',
    'envelope_invalid',
    '/outcome_id',
    (good) => good.replace('{', '{"outcome_id":"00000000-0000-0000-0000-000000000000",'),
  ],
  [
    'B030',
    'an id of version 7',
    'envelope_invalid',
    '/outcome_id',
    (good) => good.replace('{', '{"outcome_id":"01890a5d-ac96-774b-bcce-b302099a8057",'),
  ],
  [
    'B030',
    'an id of no variant',
    'envelope_invalid',
    '/outcome_id',
    (good) => good.replace('{', '{"outcome_id":"0b9cc0de-6c7e-4c39-0df5-9b1c61a3d0f1",'),
  ],
  [
    'B030',
    'an id in braces',
    'envelope_invalid',
    '/outcome_id',
    (good) => good.replace('{', '{"outcome_id":"{0b9cc0de-6c7e-4c39-9df5-9b1c61a3d0f1}",'),
  ],
  ['', 'null for the whole', 'envelope_invalid', '', () => 'null'],
  ['', 'a string for the whole', 'envelope_invalid', '', () => '"success"'],
  ['', 'no envelope but a list of one', 'envelope_invalid', '', (good) => `[${good}]`],
];

/** Probe, what is sent, the result's text: it must come back as it went. */
export const KEPT: [string, string, string][] = [
  [
    'B031',
    '__proto__ and constructor inside the result',
    '{"__proto__":{"admin":true},"constructor":{"prototype":1},"toString":0}',
  ],
  [
    'B023',
    'whole surrogate pairs, controls and what looks like an escape',
    '{"a":"😀\\u0001\\u2028\\u2029\\ufeff\\\\u0000"}',
  ],
  ['', 'keys that differ by normal form or case', '{"é":1,"é":2,"É":3,"":4," ":5}'],
  [
    '',
    'the edges of the doubles',
    '{"n":[5e-324,1.7976931348623157e+308,9007199254740991,-9007199254740991,0.1,1e21,123456789.123]}',
  ],
  ['', 'nesting as deep as may be', nested(62)],
  ['', 'a million letters', `{"a":"${'x'.repeat(1_000_000)}"}`],
  ['', 'many keys', `{${Array.from({ length: 5000 }, (_, n) => `"k${n}":${n}`).join()}}`],
];
