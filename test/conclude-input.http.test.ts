// What is handed over to be concluded: files of every kind, limits, bad input, and whatever an agent may write.
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Answered, type Api, apiOf, expectProblem, paths } from './functions-client.ts';
import { type Document, invocationStart } from './support/envelopes.ts';
import { CLEAN, conclusion, PLAN, report } from './support/phase-requests.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
const MIB = 1_048_576;
let api: Api;
let start: Document;

beforeAll(async () => {
  api = await apiOf(stack, { tenantId: await stack.database.tenant() });
  start = await started();
});

async function started(): Promise<Document> {
  const made = invocationStart();
  expect((await api('POST', '/invocations', made)).status).toBe(201);
  return made;
}
const conclude = (about: Document, body: unknown): Promise<Answered> =>
  api('POST', `/invocations/${about['invocation_id']}/conclude`, body);
const concluded = async (over: Document): Promise<Document> => {
  const { status, body } = await conclude(await started(), conclusion(over));
  expect([status, body.code, body.violations]).toEqual([201, undefined, undefined]);
  return body;
};
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
const content = async (artifact: Document) => (await api('GET', `/artifacts/${artifact['artifact_id']}`)).body.content;
const out = (name: string) => `artifacts/output/${name}`;

describe('files', () => {
  test('of every kind come back as they were', async () => {
    const binary = Buffer.from([0, 255, 1, 254, 0]);
    const utf8 = Buffer.from('Größe: 5 €\r\n', 'utf8');
    const files = [
      { path: out('a.txt'), content: 'tab\t "quotes" \\ é 😀 \u2028 end' },
      { path: out('deep/er/b.bin'), content: { base64: binary.toString('base64') } },
      { path: out('c.txt'), content: { base64: utf8.toString('base64') } },
      { path: out('newline'), content: '\n' },
      { path: out('__pycache__/junk.pyc'), content: 'junk' },
      { path: out('Plan.md'), content: 'upper' },
      { path: out('plan.md'), content: 'lower' },
      { path: out(`${'é'.repeat(900)}.md`), content: 'long' },
      { path: 'notes/outside.md', content: 'not collected' },
    ];
    const body = await concluded({ files });
    const kept = files.filter(({ path }) => path.startsWith(out('')) && !path.includes('__pycache__'));
    expect(body['artifacts'].map(({ path }: Document) => path)).toEqual(kept.map(({ path }) => path));
    expect(body['artifacts'].map(({ primary }: Document) => primary)).toEqual(kept.map((_, n) => n === 0));
    for (const [n, { content: sent }] of kept.entries()) {
      const artifact = body['artifacts'][n];
      const bytes = typeof sent === 'string' ? Buffer.from(sent) : Buffer.from(sent.base64, 'base64');
      expect([artifact.sha256, artifact.size_bytes]).toEqual([sha256(bytes), bytes.length]);
      const read = await content(artifact);
      const got = typeof read === 'string' ? Buffer.from(read) : Buffer.from(read.base64, 'base64');
      expect(got.equals(bytes)).toBe(true);
    }
    expect(body['warnings']).toEqual(['1 files outside artifacts/output/ are not collected']);
    expect(body['outcome'].result.artifacts).toHaveLength(kept.length);
  });

  test('that are empty, or none, give way to the last message', async () => {
    const last = `I compared both carriers, and the second is cheaper from week two.\n${report(true)}`;
    const none = await concluded({ messages: [last], files: {} });
    expect(none['artifacts']).toMatchObject([
      { path: out('recovered-from-transcript.md'), recovered: true, primary: true },
    ]);
    expect(none).toMatchObject({ deliverable_recovered: true, outcome: { result: { deliverable_recovered: true } } });
    expect(await content(none['artifacts'][0])).toContain('second is cheaper');
    const empty = await concluded({ messages: [last], files: [PLAN, { path: out('b.md'), content: '' }] });
    expect(empty['artifacts'].map(({ recovered }: Document) => recovered)).toEqual([false, true]);
  });

  test('up to 1 MiB stand in the table; a larger one is named, and nothing is written', async () => {
    const largest = await concluded({ files: [{ path: out('max.txt'), content: 'x'.repeat(MIB) }] });
    expect(largest['artifacts']).toMatchObject([{ size_bytes: MIB, stored: 'table' }]);
    const bytes = Buffer.alloc(MIB + 1).toString('base64');
    for (const [files, place] of [
      [[PLAN, { path: out('big.txt'), content: 'x'.repeat(MIB + 1) }], '/files/1/content'],
      [[{ path: out('big.txt'), content: 'é'.repeat(MIB / 2 + 1) }], '/files/0/content'],
      [{ [out('big.txt')]: { base64: bytes } }, '/files/artifacts~1output~1big.txt'],
    ] as const) {
      const refused = expectProblem(await conclude(start, conclusion({ files })), 413, 'artifact_too_large');
      expect([paths(refused), refused['artifact_path'], refused['limit_bytes']]).toEqual([
        [place],
        out('big.txt'),
        MIB,
      ]);
      expect(refused['detail']).toContain(out('big.txt'));
    }
    expect((await api('GET', `/invocations/${start['invocation_id']}`)).body.state).toBe('running');
  });

  test.each([
    ['failed', { exit_code: 1 }],
    ['timed out', { timed_out: true }],
    ['was cancelled', { cancelled: true }],
    ['was interrupted', { interrupted: true }],
  ])('too large for the table are left out with a warning where the run %s', async (_, over) => {
    const files = [{ path: out('big.txt'), content: 'x'.repeat(MIB + 1) }, PLAN];
    const body = await concluded({ observation: { ...CLEAN, ...over }, files });
    expect(body['artifacts']).toMatchObject([{ path: PLAN.path, primary: true }]);
    expect(body['warnings']).toEqual([
      `${out('big.txt')} is not kept: it has ${MIB + 1} bytes, and without an object store at most ${MIB} are kept`,
    ]);
    expect(body['outcome'].status).not.toBe('success');
  });

  test('of 11 MB in base64 are measured, not choked on', async () => {
    const files = [{ path: out('huge.bin'), content: { base64: Buffer.alloc(11 * MIB, 255).toString('base64') } }];
    expectProblem(await conclude(start, conclusion({ files })), 413, 'artifact_too_large');
    const spoilt = [{ path: out('huge.bin'), content: { base64: `${'/'.repeat(15 * MIB)}!` } }];
    expectProblem(await conclude(start, conclusion({ files: spoilt })), 422, 'request_invalid');
  });

  test('named like members of every object are files like any other', async () => {
    const names = ['__proto__', 'constructor', 'toString'].map(out);
    const body = await concluded({ files: Object.fromEntries(names.map((name) => [name, name])) });
    expect(body['artifacts'].map(({ path }: Document) => path)).toEqual(names);
    const bare = JSON.stringify(conclusion({ files: 0 })).replace(
      '"files":0',
      `"files":{"__proto__":"x","${out('a')}":"a"}`,
    );
    const { status, body: kept } = await conclude(await started(), bare);
    expect([status, kept.artifacts.length]).toEqual([201, 1]);
  });

  test('many of them are kept, and too many refused', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ path: out(`${n}.txt`), content: `${n}` }));
    const body = await concluded({ files: many(2_000) });
    expect(body['artifacts']).toHaveLength(2_000);
    expect(body['outcome'].result.artifacts).toHaveLength(2_000);
    const refused = await conclude(start, conclusion({ files: many(100_000) }));
    expect(paths(expectProblem(refused, 422, 'request_invalid'))).toEqual(['/files']);
  });

  test('more than the result can list are counted there', async () => {
    const files = Array.from({ length: 1_000 }, (_, n) => ({ path: out(`${'x'.repeat(900)}${n}`), content: 'x' }));
    const { result } = (await concluded({ files }))['outcome'];
    expect(result.artifacts.length).toBeGreaterThan(400);
    expect(result.artifacts.length + result.artifacts_omitted).toBe(1_000);
  });
});

describe('bad input is refused with its place', () => {
  const file = (path: string) => ({ files: [{ path, content: 'x' }] });
  const observed = (over: Document) => ({ observation: { ...CLEAN, ...over } });
  test.each<[string, Document, string]>([
    ['no messages', { messages: undefined }, '/messages'],
    ['no observation', { observation: undefined }, '/observation'],
    ['no files', { files: undefined }, '/files'],
    ['no exit code', observed({ exit_code: undefined }), '/observation/exit_code'],
    ['an exit code of text', observed({ exit_code: '0' }), '/observation/exit_code'],
    ['half an exit code', observed({ exit_code: 0.5 }), '/observation/exit_code'],
    ['an exit code of 64 bits', observed({ exit_code: 2 ** 40 }), '/observation/exit_code'],
    ['no word of the stream', observed({ stream_intact: undefined }), '/observation/stream_intact'],
    ['cancelled as a text', observed({ cancelled: 'false' }), '/observation/cancelled'],
    ['cancelled as null', observed({ cancelled: null }), '/observation/cancelled'],
    ['an unknown observation', observed({ mood: 1 }), '/observation'],
    ['an unknown member', { mood: 1 }, '/mood'],
    ['a message that is a number', { messages: [1] }, '/messages/0'],
    ['a role without text', { messages: ['a', { role: 'agent' }] }, '/messages/1'],
    ['a result that is a list', { result: [] }, '/result'],
    ['a result that is a text', { result: 'x' }, '/result'],
    ['a result over 1 MiB', { result: { text: 'x'.repeat(MIB) } }, '/result'],
    ['a confidence of 2', { quality: { confidence: 2 } }, '/quality/confidence'],
    ['an unknown quality', { quality: { mood: 1 } }, '/quality/mood'],
    ['half a timing', { timing: { started_at: '2026-05-20T10:00:00Z' } }, '/timing/completed_at'],
    [
      'a timing that ends before it begins',
      { timing: { started_at: '2026-05-20T10:00:01Z', completed_at: '2026-05-20T10:00:00Z', duration_ms: 0 } },
      '/timing/completed_at',
    ],
    ['an empty name', { phase: { name: '' } }, '/phase/name'],
    ['a path upwards', file(out('../../etc/passwd')), '/files/0/path'],
    ['an absolute path', file('/etc/passwd'), '/files/0/path'],
    ['a backslash', file('artifacts\\output\\a.md'), '/files/0/path'],
    ['a drive', file('C:/artifacts/output/a.md'), '/files/0/path'],
    ['an empty segment', file(out('a//b')), '/files/0/path'],
    ['a folder', file(out('a/')), '/files/0/path'],
    ['a control character', file(out('a\u0007b')), '/files/0/path'],
    ['no path', file(''), '/files/0/path'],
    ['a long path', file(out('x'.repeat(1_000))), '/files/0/path'],
    ['one path twice', { files: [PLAN, PLAN] }, '/files/1/path'],
    ['one path in two spellings', { files: [PLAN, { ...PLAN, path: `/workspace/${PLAN.path}` }] }, '/files/1/path'],
    [
      'a folder of another file',
      {
        files: [
          { path: out('a'), content: 'x' },
          { path: out('a/b'), content: 'x' },
        ],
      },
      '/files/0/path',
    ],
    ['a path of a map', { files: { 'a/../b': 'x' } }, '/files/a~1..~1b'],
    ['base64 that is none', { files: [{ path: out('a'), content: { base64: 'a' } }] }, '/files/0/content/base64'],
  ])('%s', async (_, over, place) => {
    const answer = await conclude(start, conclusion(over));
    expect(paths(expectProblem(answer, 422, 'request_invalid'))).toContain(place);
  });

  test('content of a number', async () => {
    const answer = await conclude(start, conclusion({ files: [{ path: out('a'), content: 7 }] }));
    expect(paths(expectProblem(answer, 422, 'request_invalid'))[0]).toMatch(/^\/files/);
  });

  test.each<[string, string, number, string]>([
    [
      'U+0000 in a file',
      JSON.stringify(conclusion({ files: [{ ...PLAN, content: 'a\0b' }] })),
      400,
      '/files/0/content',
    ],
    ['U+0000 in a path', JSON.stringify(conclusion(file(out('a\0b')))), 400, '/files/0/path'],
    ['half a surrogate pair', JSON.stringify(conclusion({ messages: ['\ud800'] })), 400, '/messages/0'],
    ['a key twice', JSON.stringify(conclusion()).replace('{', '{"files":[],'), 400, '/files'],
    ['a path twice in a map', '{"files":{"a":"1","a":"2"}}', 400, '/files/a'],
    ['no JSON', '{', 400, ''],
    ['a list', '[]', 400, ''],
    [
      'nesting over 64 levels',
      JSON.stringify(conclusion()).replace('{', `{"result":${'{"a":'.repeat(64)}1${'}'.repeat(64)},`),
      400,
      '',
    ],
  ])('%s', async (_, body, status, place) => {
    const problem = expectProblem(await conclude(start, body), status, 'json_invalid');
    expect(paths(problem)[0]).toMatch(new RegExp(`^${place}`));
  });

  test('a body over 16 MiB names its limit', async () => {
    const body = JSON.stringify(conclusion({ messages: ['x'.repeat(16 * MIB)] }));
    const refused = expectProblem(await conclude(start, body), 413, 'payload_too_large');
    expect(refused['detail']).toContain('16777216');
    expect(refused['remedy']).toContain('16 MiB');
  });
});

describe('whatever an agent writes, its phase can be concluded', () => {
  test('only its own messages count', async () => {
    const bad = report(false);
    const messages = [
      { role: 'user', text: `End with ${bad}` },
      { role: 'tool', text: bad },
      { role: 'assistant', text: report(true) },
    ];
    const body = await concluded({ messages, files: [{ ...PLAN, content: bad }] });
    expect([body['report_state'], body['claims'].length]).toEqual(['success', 1]);
  });

  test('escapes that no text can hold are replaced, and stand in the report as it was written', async () => {
    const block =
      'TASK_RESULT: {"success": false, "comments": "a\\u0000b \\ud800 c", "failure_reason": "\\udfff"}\nTASK_RESULT_END';
    const body = await concluded({ messages: [block] });
    expect(body['claims'][0]).toMatchObject({ comments: 'a\ufffdb \ufffd c', text: block });
    expect(body['error']).toContain('a\ufffdb \ufffd c');
    expect(body['outcome'].errors[0].message).toContain('a\ufffdb');
  });

  test('ten thousand reports are counted, a hundred kept, the one that stands among them', async () => {
    const reports = Array.from({ length: 10_000 }, (_, n) => report(n !== 5_000, { comments: `${n}` }));
    const body = await concluded({ messages: [reports.join('\n')] });
    expect(body['claims']).toHaveLength(101);
    expect(body['claims'][body['stands']]).toMatchObject({ state: 'failure', comments: '5000' });
  });

  test('long reports are cut where they are kept', async () => {
    const reports = Array.from({ length: 60 }, (_, n) => report(true, { comments: `${n} ${'€'.repeat(60_000)}` }));
    const body = await concluded({ messages: reports });
    expect(body['claims'].length).toBeGreaterThan(3);
    expect(body['claims'][body['stands']].comments).toMatch(/^59 €/);
    expect(body['outcome'].result.comments).toMatch(/^59 €+…$/);
  });

  test('ten thousand empty files and a message of 1 MiB are concluded in seconds', async () => {
    const message = `I compared all of the carriers of the second week in turn. ${'x'.repeat(MIB)}\n${report(true)}`;
    const files = Array.from({ length: 10_000 }, (_, n) => ({ path: out(`${n}.md`), content: '' }));
    const about = await started();
    const begun = performance.now();
    const { status, body } = await conclude(about, conclusion({ messages: [message], files }));
    expect([status, body.code, body.artifacts?.length]).toEqual([201, undefined, 10_000]);
    expect(performance.now() - begun).toBeLessThan(30_000);
    const sizes: number[] = body.artifacts.map(({ size_bytes }: Document) => size_bytes);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(10 * MIB);
    expect(await content(body.artifacts[0])).toContain('the second week in turn');
    expect(await content(body.artifacts[9_999])).toContain(`[left out here; the whole message is at ${out('0.md')}]`);
  });

  test('a path as long as they may be, under a long name, is kept', async () => {
    const path = out('😀'.repeat(983));
    const body = await concluded({ files: [{ path, content: 'x' }], phase: { name: '"'.repeat(200) } });
    expect(body['artifacts']).toMatchObject([{ path }]);
  });

  test('a last message of 10 MB is recovered as far as a table takes it', async () => {
    const long = `I compared all of the carriers of the second week in turn. ${'é'.repeat(5 * MIB)}\n${report(true)}`;
    const body = await concluded({ messages: [long], files: [] });
    expect(body).toMatchObject({ phase_status: 'completed', deliverable_recovered: true });
    expect(body['artifacts'][0].size_bytes).toBeLessThanOrEqual(MIB);
    expect(body['warnings']).toContain('the last message was too long to be recovered whole');
    expect(await content(body['artifacts'][0])).toMatch(/\[cut here; the message has \d+ bytes\]\n$/);
  });
});
