import type { LineageDocument as Document } from '../../client/documents.ts';
import type { RecordedCause } from '../causes.ts';
import { clean } from './clean.ts';
import { type Colour, paintStatus } from './colour.ts';
import { showTime } from './time.ts';

type LineageNode = Pick<
  Document['nodes'][number],
  'outcome_id' | 'source_type' | 'source_id' | 'source_version' | 'status' | 'completed_at'
>;

/** The part of a lineage answer (design section 8) that is drawn. */
export interface DrawnLineage extends Pick<Document, 'outcome_id' | 'direction' | 'truncated'> {
  nodes: LineageNode[];
  links: Pick<Document['links'][number], 'source_outcome_id' | 'target_outcome_id' | 'relation'>[];
  /** What set off the outcomes at which the chain ends. */
  causes?: RecordedCause[];
  causes_left_out?: number;
}

interface Line {
  branch: string;
  relation: string;
  node: LineageNode | undefined;
  outcomeId: string;
  repeated: boolean;
  cause?: RecordedCause | undefined;
}

/**
 * The causal chain as a tree: under each outcome its causes (`why`) or its effects (`impact`), one line each with the
 * relation, status, source and time. A node reached on several paths stands once in full, then as a reference. Where the
 * chain ends, a leaf says what its outcome names as its cause.
 */
export function renderTree(document: DrawnLineage, colour: Colour, width?: number): string {
  const lines = collectLines(document);
  const head = Math.max(...lines.map((line) => line.branch.length + line.relation.length));
  const nodes = lines.filter((line) => !line.cause);
  const statusWidth = Math.max(...nodes.map((line) => (line.node?.status ?? '?').length));
  const sourceWidth = Math.max(...nodes.map((line) => sourceOf(line.node).length));
  const idWidth = width !== undefined && head + statusWidth + sourceWidth + 24 + 36 + 8 > width ? 8 : 36;
  const shown = lines.map((line) => {
    const relation = line.relation.padEnd(head - line.branch.length);
    if (line.cause) return `${colour.dim(line.branch)}${colour.note(relation)}  ${causeInWords(line.cause, colour)}`;
    const source = sourceOf(line.node).padEnd(sourceWidth);
    const status = line.node?.status ?? '?';
    const start = `${colour.dim(line.branch)}${colour.note(relation)}  `;
    const padding = ' '.repeat(statusWidth - status.length);
    if (line.repeated) {
      const reference = '↑ shown above'.padEnd(24);
      return `${start}${colour.dim(`${status}${padding}  ${source}  ${reference}  ${line.outcomeId.slice(0, idWidth)}`)}`;
    }
    const time = showTime(line.node?.completed_at).padEnd(24);
    const id = colour.dim(line.outcomeId.slice(0, idWidth));
    return `${start}${paintStatus(colour, status)}${padding}  ${source}  ${time}  ${id}`;
  });
  if (document.causes_left_out) {
    shown.push(colour.dim(`… what caused ${document.causes_left_out} more was not looked up: outcome show tells`));
  }
  if (document.truncated) {
    shown.push(
      colour.warn('… cut at the depth limit: there is more beyond; ask again with a larger --depth (at most 64)'),
    );
  }
  return shown.map((line) => line.trimEnd()).join('\n');
}

function collectLines(document: DrawnLineage): Line[] {
  const nodes = new Map(document.nodes.map((node) => [node.outcome_id, node]));
  const next = neighbours(document);
  const causes = new Map(document.causes?.map((cause) => [cause.outcome_id, cause]));
  const seen = new Set<string>();
  const lines: Line[] = [];
  // An explicit stack: a chain may be as deep as the ledger allows, and a page of links must not exhaust the call stack.
  const stack = [{ id: document.outcome_id, relation: '', branch: '', below: '' }];
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    const repeated = seen.has(item.id);
    seen.add(item.id);
    const { id, relation, branch, below } = item;
    lines.push({ branch, relation, node: nodes.get(id), outcomeId: id, repeated });
    if (repeated) continue;
    const children = (next.get(id) ?? []).filter((child) => nodes.has(child.id));
    const cause = causes.get(id);
    if (cause) {
      const branch = `${below}${children.length === 0 ? '└─ ' : '├─ '}`;
      lines.push({ branch, relation: 'caused by', node: undefined, outcomeId: id, repeated: false, cause });
    }
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child === undefined) continue;
      const last = index === children.length - 1;
      stack.push({ ...child, branch: `${below}${last ? '└─ ' : '├─ '}`, below: `${below}${last ? '   ' : '│  '}` });
    }
  }
  return lines;
}

/** For each outcome where to go next: against a link for causes, along it for effects; `governed-by` runs the other way. */
function neighbours(document: DrawnLineage): Map<string, { id: string; relation: string }[]> {
  const next = new Map<string, { id: string; relation: string }[]>();
  for (const link of document.links) {
    const causeFirst = link.relation !== 'governed-by';
    const cause = causeFirst ? link.source_outcome_id : link.target_outcome_id;
    const effect = causeFirst ? link.target_outcome_id : link.source_outcome_id;
    const [from, to] = document.direction === 'why' ? [effect, cause] : [cause, effect];
    const list = next.get(from) ?? [];
    list.push({ id: to, relation: link.relation });
    next.set(from, list);
  }
  const time = new Map(document.nodes.map((node) => [node.outcome_id, node.completed_at]));
  const byTime = (a: { id: string }, b: { id: string }) => {
    const left = `${time.get(a.id)} ${a.id}`;
    const right = `${time.get(b.id)} ${b.id}`;
    return left < right ? -1 : left > right ? 1 : 0;
  };
  for (const list of next.values()) list.sort(byTime);
  return next;
}

function sourceOf(node: LineageNode | undefined): string {
  return node ? clean(`${node.source_type} ${node.source_id}@${node.source_version}`) : '(unknown)';
}

function causeInWords(cause: RecordedCause, colour: Colour): string {
  const id = clean(cause.causation_id);
  if (cause.kind === null) return `${id}  ${colour.warn('unresolved')} (see outcome-ledger gaps)`;
  const what = cause.type ?? cause.state;
  const about = [what, cause.source && `${cause.type ? 'from' : 'by'} ${cause.source}`].filter(Boolean).join(' ');
  return `${cause.kind} ${id}${about ? ` (${clean(about)})` : ''}`;
}
