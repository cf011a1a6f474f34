// What holds of every conclusion, whatever an agent says and leaves.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FAILURE_REASONS, SIDE_EFFECTS } from '../phase-report/index.ts';
import { assessPhase } from './index.ts';

const seed = 6_003;
const report = fc
  .record(
    {
      success: fc.oneof({ weight: 4, arbitrary: fc.boolean() }, fc.jsonValue()),
      status: fc.constantFrom('completed', 'failed', 'done'),
      failure_reason: fc.oneof(fc.constantFrom(...FAILURE_REASONS), fc.jsonValue()),
      side_effects: fc.oneof(fc.constantFrom(...SIDE_EFFECTS), fc.jsonValue()),
      comments: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  .map((one) => `TASK_RESULT: ${JSON.stringify(one)}\nTASK_RESULT_END`);
const message = fc.oneof(report, fc.string({ unit: 'binary' }), fc.lorem({ maxCount: 20 }));
const content = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constant({ base64: 'AP8=' }),
  fc.uint8Array().map((bytes) => ({ base64: Buffer.from(bytes).toString('base64') })),
);
const name = fc.constantFrom(
  'recovered-from-transcript.md',
  'recovered-from-transcript-2.md',
  'a.md',
  'b/c.txt',
  '__pycache__/x',
  'p.png',
  '\u2028',
  '__proto__',
  'constructor',
);
const input = fc.record({
  messages: fc.array(fc.oneof(message, fc.record({ role: fc.string(), text: message })), { maxLength: 5 }),
  observation: fc.record({
    exit_code: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.constant(null), fc.integer()),
    stream_intact: fc.boolean(),
    cancelled: fc.boolean(),
    timed_out: fc.boolean(),
    interrupted: fc.boolean(),
  }),
  files: fc.uniqueArray(fc.record({ path: name.map((one) => `artifacts/output/${one}`), content }), {
    selector: ({ path }) => path,
    maxLength: 4,
  }),
});

test(`nothing that an agent says or leaves is an error, and every conclusion is whole (seed ${seed})`, () => {
  fc.assert(
    fc.property(input, (given) => {
      const result = assessPhase(given);
      const { phase_status, failure_classification, artifacts } = result;
      expect(failure_classification === null).toBe(phase_status !== 'failed');
      expect(result.error === null).toBe(phase_status !== 'failed');
      if (phase_status === 'completed') expect(artifacts.length).toBeGreaterThan(0);
      else expect(result.reported_side_effects).toBeNull();
      expect(artifacts.filter(({ primary }) => primary)).toHaveLength(artifacts.length > 0 ? 1 : 0);
      expect(new Set(artifacts.map(({ path }) => path)).size).toBe(artifacts.length);
      expect(result.artifact_paths).toEqual(artifacts.map(({ path }) => path));
    }),
    { seed, numRuns: 2_000 },
  );
});

test(`no word of an agent moves a run that did not end cleanly (seed ${seed})`, () => {
  fc.assert(
    fc.property(input, fc.array(message, { maxLength: 3 }), (given, others) => {
      const { cancelled, interrupted, timed_out, exit_code } = given.observation;
      fc.pre(cancelled || interrupted || timed_out || exit_code !== 0);
      const of = (messages: typeof given.messages) => {
        const { phase_status, failure_classification, reported_failure_reason } = assessPhase({ ...given, messages });
        return { phase_status, failure_classification, reported_failure_reason };
      };
      expect(of(others)).toEqual(of(given.messages));
      expect(of(others).reported_failure_reason).toBeNull();
    }),
    { seed, numRuns: 1_000 },
  );
});
