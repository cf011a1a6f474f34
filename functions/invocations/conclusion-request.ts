// What is asked when a phase is concluded: read whole and strictly, so that nothing is weighed by halves.
import { checkEnvelope, type Envelope, pointer, type Violation } from '../../src/contract/index.ts';
import { canonicalJson } from '../../src/contract/json/canonical.ts';
import { PhaseInputRefused, type ReadPhaseInput, readPhaseInput } from '../../src/contract/phase/input.ts';
import { exitCode } from '../../src/contract/scalars/index.ts';
import { sha256 } from '../../src/contract/sha256.ts';
import { type InvocationStartRecord, Refusal } from '../../src/database/index.ts';

export interface ConclusionRequest {
  input: ReadPhaseInput;
  /** The outcome's result once the phase completed; null: the ledger makes one. */
  result: Record<string, unknown> | null;
  /** As sent: `partsOf` holds them to the envelope's rules. */
  quality: unknown;
  timing: unknown;
  /** JSON Pointer into the body to the content of the file of a path. */
  placeOf: (path: string) => string;
}

const MEMBERS = ['messages', 'observation', 'files', 'phase', 'result', 'quality', 'timing'];

/** Throws `request_invalid` with pointers into the body. */
export function requireConclusion(body: Record<string, unknown>): ConclusionRequest {
  const { messages, observation, files, phase, result = null, quality = null, timing = null } = body;
  const violations: Violation[] = Object.keys(body)
    .filter((member) => !MEMBERS.includes(member))
    .map((member) => ({ path: pointer([member]), rule: 'unknown_member', message: 'is not a member' }));
  if (result !== null && (typeof result !== 'object' || Array.isArray(result))) {
    violations.push({ path: '/result', rule: 'object', message: 'must be an object, or absent' });
  }
  const read = readInput({ messages, observation, files, ...(phase === null ? {} : { phase }) });
  if (Array.isArray(read)) violations.push(...read);
  if (Array.isArray(read) || violations.length > 0) throw new Refusal('request_invalid', { violations });
  const placeOf = (path: string) =>
    Array.isArray(files)
      ? pointer(['files', read.files.findIndex((file) => file.path === path), 'content'])
      : pointer(['files', path]);
  return { input: read, result: result as Record<string, unknown> | null, quality, timing, placeOf };
}

function readInput(document: Record<string, unknown>): ReadPhaseInput | Violation[] {
  try {
    const input = readPhaseInput(document);
    const code = input.observation.exit_code;
    if (code === null || exitCode.safeParse(code).success) return input;
    return [{ path: '/observation/exit_code', rule: 'exit_code', message: 'must be a whole number of 32 bits' }];
  } catch (error) {
    if (error instanceof PhaseInputRefused) return [...error.violations];
    throw error;
  }
}

/** The same with the phase's name filled in: the step's, else the source's. */
export function named(request: ConclusionRequest, start: InvocationStartRecord): ConclusionRequest {
  const { input } = request;
  const name = input.phase.name ?? start.step_name ?? start.step_id ?? start.source.id;
  return { ...request, input: { ...input, phase: { ...input.phase, name } } };
}

const ANY_TIME = { started_at: '2000-01-01T00:00:00Z', completed_at: '2000-01-01T00:00:00Z', duration_ms: 0 };

/**
 * The parts of the outcome's envelope that the caller gives, in one that would be good without them.
 * Throws `request_invalid` about `result`, `quality` and `timing`.
 */
export function partsOf(
  { quality, timing }: ConclusionRequest,
  start: InvocationStartRecord,
  result: Record<string, unknown> | null,
): Envelope {
  const checked = checkEnvelope({
    outcome_version: '1.0',
    status: 'success',
    correlation_id: start.correlation_id,
    causation_id: start.causation_id,
    source: { id: start.source.id, version: start.source.version, domain: start.source.domain, type: 'agent' },
    result: result ?? {},
    quality,
    timing: timing ?? ANY_TIME,
  });
  if (!checked.ok) throw new Refusal('request_invalid', { violations: checked.violations.map(ofRequest) });
  return { ...checked.envelope, result };
}

/** Of the envelope as a whole only its size can be wrong. */
function ofRequest(violation: Violation): Violation {
  if (violation.path !== '') return violation;
  return { ...violation, path: '/result', message: `${violation.message}, with the rest of the outcome’s envelope` };
}

/**
 * SHA-256 over the one canonical form that all spellings of a request have: what is left to its default is not in it, and each
 * file stands as the hash of its bytes.
 */
export function digestOf(request: ConclusionRequest, files: ReadonlyMap<string, { sha256: string }>): Promise<string> {
  const { messages, observation, phase } = request.input;
  return sha256(
    canonicalJson({
      messages,
      observation,
      files: request.input.files.map(({ path }) => [path, files.get(path)?.sha256]),
      phase: {
        name: phase.name,
        output_types: phase.output_types?.length ? phase.output_types : undefined,
        branch_report: phase.branch_report || undefined,
      },
      result: request.result,
      quality: withoutNulls(request.quality),
      timing: request.timing,
    }),
  );
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}
