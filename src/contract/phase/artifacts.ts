import { isText } from './content.ts';
import { type FileContent, OUTPUT_DIRECTORY, type PhaseFile, type ReadPhaseInput } from './input.ts';
import { copiesOf } from './recovered.ts';
import { shownPath } from './shown-path.ts';
import { isUsable } from './substance.ts';

/** What a phase leaves behind. */
export interface PhaseArtifact {
  path: string;
  title: string;
  /** The first output type the phase declared; `text` when it declared none. */
  type: string;
  content: FileContent;
  /** The agent's last message, in place of a file. */
  recovered: boolean;
  /** The deliverable that the next phase gets as one file. */
  primary: boolean;
}

export const RECOVERED_PATH = `${OUTPUT_DIRECTORY}recovered-from-transcript.md`;
const JUNK = new Set(['__pycache__', '.pytest_cache']);

/** A directory whose files are build junk, at any depth; a file of that name is not. */
export const isJunkFolder = (name: string): boolean => JUNK.has(name);

/** What the artifact rule made of a phase: its artifacts, or why there is nothing to complete with. */
export type Delivered = { artifacts: PhaseArtifact[]; missing: null } | { artifacts: []; missing: string };

type Parts = Pick<ReadPhaseInput, 'files' | 'phase'> & { lastMessage: string };

/** Of a phase about to complete (phase-outcomes-rules.md section 6). */
export function deliver({ files, phase, lastMessage }: Parts): Delivered {
  const found = collectable(files);
  const usable = isUsable(lastMessage);
  const empty = found.filter(isEmpty);
  const written = found.filter((file) => !isEmpty(file));
  const named = phase.name ? `phase "${phase.name}"` : 'the phase';
  const said = 'and its last message says less than eight words of substance';
  if (found.length === 0 && !usable) {
    const types = phase.output_types?.length ? ` (declared: ${phase.output_types.join(', ')})` : '';
    return { artifacts: [], missing: `${named} wrote no file${types}, ${said}` };
  }
  if (empty.length > 0 && !usable) {
    return { artifacts: [], missing: `${named} wrote an empty file, ${empty[0]?.path}, ${said}` };
  }
  const titled = (path: string) => title(phase.name, '', path);
  const copy = copiesOf(lastMessage, phase.branch_report);
  const recover = (path: string, why: string): Omit<PhaseArtifact, 'primary'> => ({
    path,
    title: recoveredTitle(titled(path)),
    type: typeOf(phase),
    content: copy(path, why),
    recovered: true,
  });
  const stored = found.map((file) =>
    isEmpty(file) ? recover(file.path, `wrote an empty file, ${file.path}`) : asWritten(file, titled, phase),
  );
  if (found.length === 0) stored.push(recover(RECOVERED_PATH, 'wrote no file'));
  // Nothing there that reads as text; what the agent said does, where it said anything.
  else if (written.length === found.length && written.every(isBinary) && usable) {
    stored.unshift(recover(recoveredPath(found), 'wrote only binary files'));
  }
  return { artifacts: withPrimary(stored), missing: null };
}

/** What is kept, and why what else it wrote is not. */
export interface Kept {
  artifacts: PhaseArtifact[];
  warnings: string[];
}

/**
 * Of a phase that will not complete (section 7): what it wrote is kept, and nothing is an error.
 *
 * @param noRoom why files cannot be kept, by their paths
 */
export function keep(
  { files, phase, lastMessage }: Parts,
  marker: 'kept from a failed phase' | 'partial',
  noRoom: ReadonlyMap<string, string>,
): Kept {
  const wrote = collectable(files).filter((file) => !isEmpty(file));
  const written = wrote.filter(({ path }) => !noRoom.has(path));
  const warnings = wrote.flatMap(({ path }) => (noRoom.has(path) ? [`${path} is not kept: ${noRoom.get(path)}`] : []));
  const titled = (path: string) => title(phase.name, ` (${marker})`, path);
  const stored = written.map((file) => asWritten(file, titled, phase));
  if (written.every(isBinary) && isUsable(lastMessage)) {
    const path = recoveredPath(written);
    stored.unshift({
      path,
      title: recoveredTitle(titled(path)),
      type: typeOf(phase),
      content: copiesOf(lastMessage)(path, whyRecovered(wrote.length, written.length)),
      recovered: true,
    });
  }
  return { artifacts: withPrimary(stored), warnings };
}

function whyRecovered(wrote: number, kept: number): string {
  if (wrote === 0) return 'wrote nothing';
  return kept === wrote ? 'wrote only binary files' : 'wrote no text that could be kept';
}

/** Where the last message is filed beside files: one of them, or a folder of theirs, may have its name. */
function recoveredPath(files: readonly PhaseFile[]): string {
  const taken = new Set(files.map(({ path }) => path.split('/').slice(0, 3).join('/')));
  let path = RECOVERED_PATH;
  for (let n = 2; taken.has(path); n += 1) path = RECOVERED_PATH.replace('.md', `-${n}.md`);
  return path;
}

/** Files below the output directory, but for build junk. */
function collectable(files: readonly PhaseFile[]): PhaseFile[] {
  return files.filter(
    ({ path }) =>
      path.startsWith(OUTPUT_DIRECTORY) &&
      path.length > OUTPUT_DIRECTORY.length &&
      !path.split('/').slice(0, -1).some(isJunkFolder),
  );
}

const isEmpty = ({ content }: PhaseFile): boolean => (typeof content === 'string' ? content : content.base64) === '';

const isBinary = ({ content }: Pick<PhaseFile, 'content'>): boolean => !isText(content);

function asWritten(
  { path, content }: PhaseFile,
  titled: (path: string) => string,
  phase: Parts['phase'],
): Omit<PhaseArtifact, 'primary'> {
  return { path, title: titled(path), type: typeOf(phase), content, recovered: false };
}

/** The first that was stored; a text before what is not. */
function withPrimary(stored: Omit<PhaseArtifact, 'primary'>[]): PhaseArtifact[] {
  const text = stored.findIndex((artifact) => !isBinary(artifact));
  return stored.map((artifact, n) => ({ ...artifact, primary: n === Math.max(0, text) }));
}

const typeOf = (phase: Parts['phase']): string => phase.output_types?.[0] ?? 'text';
const title = (name: string | undefined, marker: string, path: string): string =>
  name === undefined ? `${shownPath(path)}${marker}` : `${name}${marker}: ${shownPath(path)}`;
const recoveredTitle = (text: string): string => `${text} [recovered from transcript]`;
