import { z } from 'zod';
import { MAX_VIOLATIONS, pointer, type Violation } from '../violation.ts';

/** The one directory whose files are collected when a phase ends. */
export const OUTPUT_DIRECTORY = 'artifacts/output/';

/** A file as it is handed over: text, or bytes in base64. */
const content = z.union([z.string(), z.strictObject({ base64: z.base64() })], {
  error: 'must be text, or {"base64": …} with bytes',
});
export type FileContent = z.infer<typeof content>;

/** A message of the agent as text, or of anybody with their role: only those of the agent count. */
const message = z.union([z.string(), z.object({ role: z.string(), text: z.string() })], {
  error: 'must be text, or {"role": …, "text": …}',
});

const observation = z.strictObject({
  /** Null: it left none, because it crashed or was killed. */
  exit_code: z.int().nullable(),
  stream_intact: z.boolean(),
  cancelled: z.boolean(),
  timed_out: z.boolean(),
  interrupted: z.boolean().optional(),
});

/** What was observed of a run, whatever its agent says. */
export type PhaseObservation = z.infer<typeof observation>;

const phase = z.strictObject({
  name: z.string().min(1).max(200).optional(),
  output_types: z.array(z.string().min(1).max(200)).max(100).optional(),
  /** Where the phase's work stands in git, for a recovered deliverable. */
  branch_report: z.string().max(20_000).optional(),
});

const listed = z.array(z.strictObject({ path: z.string(), content }));
const mapped = z.record(z.string(), content, { error: 'must be a list of {path, content}, or an object of paths' });

/** What `assessPhase` is given, as JSON. A union of both forms of files could not say which file is at fault. */
const inputWith = <Files extends typeof listed | typeof mapped>(files: Files) =>
  z.strictObject({ messages: z.array(message), observation, files, phase: phase.optional() });
const inputOfList = inputWith(listed);
const inputOfMap = inputWith(mapped);

export interface PhaseFile {
  path: string;
  content: FileContent;
}

/** The same with one form for each part. */
export interface ReadPhaseInput {
  /** The agent's, in order. */
  messages: string[];
  observation: Required<PhaseObservation>;
  files: PhaseFile[];
  phase: z.infer<typeof phase>;
}

export const MOST_FILES = 10_000;
/** Code points, as the database counts them. */
const LONGEST_PATH = 1_000;

/** The input was not understood; nothing was assessed. */
export class PhaseInputRefused extends Error {
  readonly code = 'phase_input_invalid';
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    super(`the input has ${violations.length === 1 ? 'a fault' : `${violations.length} faults`}`);
    this.name = 'PhaseInputRefused';
    this.violations = violations;
  }
}

/** @throws PhaseInputRefused */
export function readPhaseInput(document: unknown): ReadPhaseInput {
  const isList = Array.isArray((document as { files?: unknown } | null | undefined)?.files);
  const read = isList ? inputOfList.safeParse(document) : inputOfMap.safeParse(document);
  if (!read.success) {
    throw new PhaseInputRefused(
      read.error.issues.slice(0, MAX_VIOLATIONS).map(({ path, code, message: text }) => ({
        path: pointer(path),
        rule: code,
        message: text,
      })),
    );
  }
  const { messages, files, phase: about = {} } = read.data;
  const list = Array.isArray(files) ? files : Object.entries(files).map(([path, one]) => ({ path, content: one }));
  const violations = pathViolations(list, Array.isArray(files));
  if (violations.length > 0) throw new PhaseInputRefused(violations);
  return {
    messages: messages.flatMap((one) => (typeof one === 'string' ? [one] : isAgent(one.role) ? [one.text] : [])),
    observation: { interrupted: false, ...read.data.observation },
    files: list.map(({ path, content: one }) => ({ path: collected(path), content: one })),
    phase: about,
  };
}

const isAgent = (role: string): boolean => role === 'agent' || role === 'assistant';

/** In the workspace the directory has an absolute name too. */
const collected = (path: string): string =>
  path.startsWith(`/workspace/${OUTPUT_DIRECTORY}`) ? path.slice('/workspace/'.length) : path;

function pathViolations(files: readonly PhaseFile[], isList: boolean): Violation[] {
  const violations: Violation[] = [];
  if (files.length > MOST_FILES) {
    return [
      { path: '/files', rule: 'too_many', message: `has ${files.length} files; at most ${MOST_FILES} are taken` },
    ];
  }
  const names = files.map(({ path }) => collected(path));
  const folders = foldersAmong(names);
  const seen = new Set<string>();
  for (const [n, { path }] of files.entries()) {
    const name = names[n] ?? path;
    const rule =
      pathFault(name) ??
      (seen.has(name) ? 'is the path of another file too' : undefined) ??
      (folders.has(name) ? 'is a folder of another file' : undefined);
    seen.add(name);
    if (rule === undefined || violations.length === MAX_VIOLATIONS) continue;
    violations.push({
      path: isList ? `/files/${n}/path` : pointer(['files', path]),
      rule: 'artifact_path',
      message: rule,
    });
  }
  return violations;
}

/** The paths that are a folder of another one. No workspace has both, and none could be given both. */
function foldersAmong(names: readonly string[]): Set<string> {
  // With / before every other character what lies in a folder comes right after it.
  const sorted = names.map((name) => name.replaceAll('/', '\0')).sort();
  return new Set(
    sorted
      .filter((name, n) => sorted.slice(n + 1, n + 2).some((next) => next.startsWith(`${name}\0`)))
      .map((name) => name.replaceAll('\0', '/')),
  );
}

/** Why a path cannot name an artifact; undefined when it can. */
export function pathFault(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.length > LONGEST_PATH && [...path].length > LONGEST_PATH) return 'is longer than 1,000 characters';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a path may hold none
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'holds a control character';
  if (/\p{Cs}/u.test(path)) return 'holds half a surrogate pair';
  if (path.includes('\\')) return 'holds a backslash; write / between folders';
  if (path.startsWith('/')) return `is absolute; write it below ${OUTPUT_DIRECTORY}`;
  if (/^[A-Za-z]:/.test(path)) return `names a drive; write it below ${OUTPUT_DIRECTORY}`;
  const segments = path.split('/');
  if (segments.includes('..')) return 'leads upwards (..)';
  if (segments.some((segment) => segment === '' || segment === '.')) return 'has an empty or a . segment';
  return undefined;
}
