/** The diagram and the tables within docs/judgments.md, from the contract; the words around them are written by hand. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BY_LIFECYCLE, BY_VERIFICATION, type Judgment } from '../src/contract/judgment/derive.ts';
import { PROCESS_VERDICTS, type ProcessVerdict } from '../src/contract/judgment/process-evidence.ts';
import { consequencesOf } from '../src/contract/judgment/table.ts';
import {
  JUDGMENTS,
  type JudgmentWord,
  LIFECYCLES,
  NOT_DELIVERED,
  VERIFICATIONS,
} from '../src/contract/judgment/words.ts';
import type { GeneratedFile } from './generated-file.ts';

const PATH = 'docs/judgments.md';
const said = ({ outcome, reason }: Judgment) => (reason === null ? outcome : `${outcome}: ${reason}`);
const code = (word: string) => `\`${word}\``;

/** From the lifecycle through verification and delivery to the judgment. */
function diagram(): string {
  const words = [...new Set(Object.values(BY_LIFECYCLE))].filter((word): word is JudgmentWord => word !== null);
  const plain = words.map(
    (word, n) => `  L -->|"${LIFECYCLES.filter((one) => BY_LIFECYCLE[one] === word).join(', ')}"| P${n}["${word}"]`,
  );
  const decided = LIFECYCLES.filter((one) => BY_LIFECYCLE[one] === null).join(', ');
  const made = new Map<string, string[]>();
  for (const word of VERIFICATIONS) {
    for (const side of ['required', 'free'] as const) {
      const judgment = said(BY_VERIFICATION[word][side]);
      const both = said(BY_VERIFICATION[word].required) === said(BY_VERIFICATION[word].free);
      if (both && side === 'free') continue;
      const when = both ? word : `${word}, ${side === 'required' ? 'required' : 'not required'}`;
      made.set(judgment, [...(made.get(judgment) ?? []), when]);
    }
  }
  const verified = [...made].map(([judgment, when], n) => {
    const success = consequencesOf({ outcome: judgment as JudgmentWord, reason: null }).counts_as_success;
    const to = success ? `S${n}{"delivery"}` : `V${n}["${judgment}"]`;
    const then = success
      ? [`  S${n} -->|"${NOT_DELIVERED.join(', ')}"| F${n}["failed"]`, `  S${n} -->|"else"| V${n}(["${judgment}"])`]
      : [];
    return [`  V -->|"${when.join('<br>')}"| ${to}`, ...then].join('\n');
  });
  return [
    '```mermaid',
    'flowchart LR',
    '  L{"lifecycle"}',
    ...plain,
    `  L -->|"${decided}"| V{"verification"}`,
    ...verified,
    '```',
  ].join('\n');
}

function consequences(): string {
  const rows = JUDGMENTS.map((outcome) => {
    const { gate, counts_as_success, in_success_base, in_agent_score } = consequencesOf({ outcome, reason: null });
    const yes = (flag: boolean) => (flag ? 'yes' : '');
    return `| ${code(outcome)} | ${yes(counts_as_success)} | ${code(gate)} | ${yes(in_success_base)} | ${yes(in_agent_score)} |`;
  });
  return [
    '| judgment | counts as success | gate | in the success base | in the agent score |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function processes(): string {
  const words = ({ when }: ProcessVerdict) => {
    if (when.timed_out) return 'ran past its limit';
    if (when.started === false) return 'could not be started';
    if (when.system_fault) return 'the system stood in its way (no room on the disk, its output could not be read)';
    if (when.signalled) return 'was ended by a signal';
    if (when.exit_codes) {
      return `exit code ${when.exit_codes.map((one) => (one === null ? 'none at all' : String(one))).join(', ')}`;
    }
    return 'any other exit code';
  };
  const rows = PROCESS_VERDICTS.map((row) => `| ${words(row)} | ${code(row.verification)} |`);
  return ['| its process, the first that holds | says |', '| --- | --- |', ...rows].join('\n');
}

const BLOCKS: Readonly<Record<string, () => string>> = { diagram, consequences, processes };

/** The page as it stands, with each block between its marks made anew. */
export function judgmentsDocs(): GeneratedFile {
  let text = readFileSync(join(import.meta.dirname, '..', PATH), 'utf8');
  for (const [name, block] of Object.entries(BLOCKS)) {
    const [begin, end] = [`<!-- generated: ${name} -->`, '<!-- end -->'];
    const from = text.indexOf(begin);
    const to = text.indexOf(end, from);
    if (from < 0 || to < 0) throw new Error(`${PATH} has no place for ${name}: ${begin} … ${end}`);
    text = `${text.slice(0, from + begin.length)}\n\n${block()}\n\n${text.slice(to)}`;
  }
  return { path: PATH, text };
}
