// A phase's artifacts on their way into the ledger: hashed, measured, and the large ones put into the object store.
import { MAX_VIOLATIONS } from '../../src/contract/index.ts';
import { ARTIFACT_MAX_BYTES } from '../../src/contract/limits.ts';
import { bytesOf } from '../../src/contract/phase/content.ts';
import type { PhaseAssessment } from '../../src/contract/phase/index.ts';
import type { FileContent, PhaseFile } from '../../src/contract/phase/input.ts';
import { sha256 } from '../../src/contract/sha256.ts';
import { type NewArtifact, Refusal } from '../../src/database/index.ts';
import type { ObjectStore } from '../_shared/object-store.ts';

type PhaseArtifact = PhaseAssessment['artifacts'][number];

/** An artifact whose bytes are known. */
export interface MeasuredArtifact extends PhaseArtifact {
  /** In hex. */
  sha256: string;
  size_bytes: number;
  /** Of a large one alone. */
  bytes: Uint8Array<ArrayBuffer> | null;
}

/** What is known of bytes by themselves. */
export type Measure = Pick<MeasuredArtifact, 'sha256' | 'size_bytes' | 'bytes'>;

/** Of each file, by its path. */
export async function measuresOf(files: readonly PhaseFile[]): Promise<Map<string, Measure>> {
  const entries = files.map(async ({ path, content }) => [path, await measureOf(content)] as const);
  return new Map(await Promise.all(entries));
}

/** The artifacts with their measures: a file's own, unless the artifact was recovered in its place. */
export async function measured(
  artifacts: readonly PhaseArtifact[],
  files: ReadonlyMap<string, Measure>,
): Promise<MeasuredArtifact[]> {
  return Promise.all(
    artifacts.map(async (artifact) => {
      const known = artifact.recovered ? undefined : files.get(artifact.path);
      return { ...artifact, ...(known ?? (await measureOf(artifact.content))) };
    }),
  );
}

async function measureOf(content: FileContent): Promise<Measure> {
  const bytes = bytesOf(content);
  const large = bytes.length > ARTIFACT_MAX_BYTES;
  return { sha256: await sha256(bytes), size_bytes: bytes.length, bytes: large ? bytes : null };
}

/**
 * Throws `artifact_too_large`, naming each that is, when there is no store for them.
 *
 * @param placeOf JSON Pointer to the content of the file of a path
 */
export function requireRoom(
  artifacts: readonly MeasuredArtifact[],
  store: ObjectStore | null,
  placeOf: (path: string) => string,
): void {
  const large = store ? [] : artifacts.filter(({ bytes }) => bytes !== null);
  const [first] = large;
  if (!first) return;
  throw new Refusal('artifact_too_large', {
    detail: `${first.path} has ${first.size_bytes} bytes; without an object store at most ${ARTIFACT_MAX_BYTES} are kept. Nothing was recorded.`,
    violations: large.slice(0, MAX_VIOLATIONS).map(({ path, size_bytes }) => ({
      path: placeOf(path),
      rule: 'artifact_too_large',
      message: `has ${size_bytes} bytes; at most ${ARTIFACT_MAX_BYTES} are kept`,
    })),
    extra: { artifact_path: first.path, limit_bytes: ARTIFACT_MAX_BYTES },
  });
}

/**
 * The artifacts as they are recorded. Only whoever may conclude this invocation, and has not done so by this request, gets
 * here. An object's key is its content's hash: a retry stores the same object, and one whose conclusion is refused in the end
 * (by a policy, or because another came first) stays in the tenant's folder, unread, until the same content is concluded with
 * or the bucket is cleaned of what no artifact names. Throws `object_store_unavailable`.
 */
export async function stored(
  artifacts: readonly MeasuredArtifact[],
  store: ObjectStore | null,
  tenantId: string,
): Promise<NewArtifact[]> {
  return Promise.all(
    artifacts.map(async ({ path, title, type, recovered, primary, content, bytes, ...measure }) => {
      const about = { path, title, type, recovered, primary };
      if (bytes === null || store === null) {
        return typeof content === 'string' ? { ...about, content } : { ...about, content_base64: content.base64 };
      }
      const object_key = `${tenantId}/${measure.sha256}`;
      await store.put(object_key, bytes);
      return { ...about, object_key, ...measure };
    }),
  );
}
