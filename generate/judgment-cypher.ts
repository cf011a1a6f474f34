/** The judgment in Cypher: written into every text that asks for it, between marks, from the same table as in SQL. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GeneratedFile } from './generated-file.ts';
import { CYPHER, type JudgmentParts, judgmentCase, lifecycleCase } from './judgment-case.ts';

const ROOT = join(import.meta.dirname, '..');

/** Whether an answer may still come: times are of one type in Neo4j and text in the embedded graph, and so is the moment. */
const AWAITS = {
  neo4j: 'outcome.awaiting_until > datetime()',
  embedded: 'outcome.awaiting_until > $now',
  either: 'datetime(outcome.awaiting_until) > datetime(now)',
};
export type JudgingGraph = keyof typeof AWAITS;

/**
 * The embedded graph takes a null for another row's value in what is computed right behind a look-up by key; a distinct comes
 * between. Its `datetime` takes no parameter.
 */
const BEFORE: Readonly<Record<JudgingGraph, string>> = {
  neo4j: '',
  embedded: 'WITH DISTINCT outcome\n',
  either: 'WITH DISTINCT outcome, $now AS now\n',
};

/** The texts with a judgment, and by which graph each is asked. */
const TEXTS: Readonly<Record<string, JudgingGraph>> = {
  'lineage/queries/broken-impact.cypher': 'neo4j',
  'lineage/queries/embedded/broken.cypher': 'embedded',
  'lineage/queries/embedded/judged.cypher': 'embedded',
  'docs/cypher.md': 'either',
};

const MARKED = /^( *)(\/\/ The judgment of outcome \(.*\):)\n[\s\S]*?^ *(\/\/ End of the judgment\.)$/gm;

/** The judgment of expressions, e.g. of parameters. */
export const judgmentOf = (parts: JudgmentParts): string => shaped(judgmentCase(CYPHER, parts));

/** Clauses that follow a bound `outcome` and leave `outcome` and its `judgment`. */
export function judgmentClauses(graph: JudgingGraph): string {
  const lifecycle = lifecycleCase(CYPHER, {
    status: 'outcome.status',
    completionReason: 'outcome.completion_reason',
    integrated: 'outcome.integrated',
    openRequest: AWAITS[graph],
  });
  const verification =
    "coalesce(outcome.verification, case when outcome.verification_required then 'pending' else 'skipped' end)";
  const judgment = judgmentOf({
    lifecycle: 'lifecycle',
    verification: 'verification',
    required: 'outcome.verification_required',
    assessment: 'outcome.assessment',
  });
  return `${BEFORE[graph]}WITH outcome, ${shaped(verification)} AS verification, ${shaped(lifecycle)} AS lifecycle\nWITH outcome, ${judgment} AS judgment`;
}

/** A text with its judgments as they must be. */
export function withJudgment(path: string, text: string, graph: JudgingGraph): string {
  let found = 0;
  const written = text.replace(MARKED, (_, indent: string, begin: string, end: string) => {
    found += 1;
    return `${[begin, ...judgmentClauses(graph).split('\n'), end].map((line) => indent + line).join('\n')}`;
  });
  if (found === 0) throw new Error(`${path} has no marks around a judgment`);
  return written;
}

export function judgmentTexts(): Promise<GeneratedFile[]> {
  const files = Object.entries(TEXTS).map(async ([path, graph]) => {
    return { path, text: withJudgment(path, await readFile(join(ROOT, path), 'utf8'), graph) };
  });
  return Promise.all(files);
}

/** In the writing of the texts around it: words in capitals, a line for each branch. */
function shaped(expression: string): string {
  let depth = 0;
  const pieces = expression.split(/('[^']*'|\b(?:case|when|then|else|end|in|and|not)\b)/);
  return pieces
    .map((piece) => {
      if (piece === 'case') depth += 1;
      else if (piece === 'end') depth -= 1;
      const indent = '  '.repeat(depth);
      if (['when', 'else', 'end'].includes(piece)) return `\n${indent}${piece.toUpperCase()}`;
      return /^(case|then|in|and|not)$/.test(piece) ? piece.toUpperCase() : piece;
    })
    .join('')
    .replace(/ +\n/g, '\n');
}
