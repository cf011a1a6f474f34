// What is kept of a phase's report: what the agent said, what was observed, what was concluded.
import type { PhaseAssessment } from '../../src/contract/phase/index.ts';
import type { ReadPhaseInput } from '../../src/contract/phase/input.ts';
import type { PhaseReport } from '../../src/contract/phase-report/index.ts';

type Claim = PhaseReport['claims'][number];

/** Bytes of JSON: a report is one document of the ledger, of at most 1 MiB with all that stands around the claims. */
const CLAIMS_MAX_BYTES = 640 * 1024;
/** UTF-16 units of the text, and of the comments, of the claim that stands. */
const LONGEST_STANDING = 64 * 1024;
/** Code points of an agent's comments in the result that the ledger makes. */
const LONGEST_COMMENTS = 10_000;
/** Bytes of JSON that the artifacts take in it. */
const LISTED_MAX_BYTES = 512 * 1024;

/** The `report` of a conclusion. */
export function reportOf(said: PhaseReport, assessed: PhaseAssessment, observed: ReadPhaseInput['observation']) {
  const { artifacts: _, artifact_paths: __, ...concluded } = assessed;
  const { claims, stands } = keptClaims(said);
  return storable({ ...concluded, claims, claims_total: said.seen, stands, observation: observed });
}

/** The result of a completed phase that none was given for. */
export function resultOf(
  said: PhaseReport,
  { deliverable_recovered }: PhaseAssessment,
  artifacts: readonly { path: string; sha256: string }[],
): Record<string, unknown> {
  const points = [...(said.stands?.comments ?? '')];
  const comments =
    points.length <= LONGEST_COMMENTS ? points.join('') : `${points.slice(0, LONGEST_COMMENTS).join('')}…`;
  const listed: { path: string; sha256: string }[] = [];
  let bytes = 0;
  for (const { path, sha256 } of artifacts) {
    bytes += bytesOf({ path, sha256 });
    if (bytes > LISTED_MAX_BYTES) break;
    listed.push({ path, sha256 });
  }
  const omitted = artifacts.length - listed.length;
  return storable({
    comments,
    artifacts: listed,
    deliverable_recovered,
    ...(omitted > 0 ? { artifacts_omitted: omitted } : {}),
  });
}

/** The claims in order, as many as fit, the one that stands among them; `stands` is its place. */
function keptClaims(said: PhaseReport): { claims: Claim[]; stands: number | null } {
  const { claims, at } = withStanding(said);
  let left = CLAIMS_MAX_BYTES - (at === null ? 0 : bytesOf(claims[at]));
  const kept: Claim[] = [];
  let stands: number | null = null;
  for (const [n, claim] of claims.entries()) {
    if (n === at) stands = kept.push(claim) - 1;
    else {
      left -= bytesOf(claim);
      if (left >= 0) kept.push(claim);
    }
  }
  return { claims: kept, stands };
}

/** The reader cuts long claims and keeps the first hundred; the one that stands it has whole, wherever it stood. */
function withStanding({ claims, stands, state, seen }: PhaseReport): { claims: Claim[]; at: number | null } {
  if (!stands) return { claims, at: null };
  const standing = {
    ...stands,
    text: beginning(stands.text, LONGEST_STANDING),
    comments: beginning(stands.comments, LONGEST_STANDING),
  };
  const at = claims.findLastIndex((claim) => claim.state === state);
  const kept = claims[at];
  const isIt =
    kept && (seen === claims.length || (begins(stands.text, kept.text) && begins(stands.comments, kept.comments)));
  return isIt ? { claims: claims.with(at, standing), at } : { claims: [...claims, standing], at: claims.length };
}

const begins = (whole: string, cut: string): boolean => whole.startsWith(cut.replace(/…$/, ''));
const beginning = (text: string, units: number): string => (text.length <= units ? text : `${text.slice(0, units)}…`);
const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/**
 * The same with what no text of the database can hold replaced by U+FFFD: an agent may write U+0000 or half a surrogate
 * pair as an escape in its JSON, and must not escape being concluded by that. The report's own text keeps the escape.
 */
function storable<T>(value: T): T {
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd').replace(/\p{Cs}/gu, '\ufffd') as T;
  if (Array.isArray(value)) return value.map(storable) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, storable(member)])) as T;
}
