import { readFileSync } from 'node:fs';
import path from 'node:path';

const FENCED = /^ *```[\s\S]*?^ *```$/gm;

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** A fenced block of a page. */
export interface Block {
  /** `sql`, `sh`, `ts`, … */
  language: string;
  text: string;
  /** The heading it stands under. */
  heading: string;
  /** The words between it and the heading or block before it. */
  lead: string;
  /** Where it starts, counted from 1. */
  line: number;
}

export function page(name: string): string {
  return readFileSync(path.join(ROOT, name), 'utf8');
}

export function blocksOf(name: string, language: string): Block[] {
  const blocks: Block[] = [];
  let heading = '';
  let lead = '';
  let open: Block | undefined;
  page(name)
    .split('\n')
    .forEach((line, index) => {
      const fence = /^ *```(\w*)$/.exec(line);
      if (open && fence) {
        blocks.push(open);
        open = undefined;
        lead = '';
      } else if (open) {
        open.text += `${line}\n`;
      } else if (fence) {
        open = { language: fence[1] ?? '', text: '', heading, lead, line: index + 1 };
      } else if (line.startsWith('#')) {
        heading = line.replace(/^#+ /, '');
        lead = '';
      } else {
        lead += `${line} `;
      }
    });
  return blocks.filter((block) => block.language === language);
}

/** psql's `:'name'` replaced by a literal, as psql does; a name without a value is an error. */
export function withVariables(sql: string, values: Record<string, string>): string {
  return sql.replace(/:'(\w+)'/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the query names :'${name}', which the test does not know`);
    return `'${value.replaceAll("'", "''")}'`;
  });
}

/** The cells of the first table under a heading: its head, and its rows. */
export function tableUnder(name: string, heading: string): string[][] {
  const lines = page(name).split('\n');
  const start = lines.findIndex((line) => line.replace(/^#+ /, '') === heading && line.startsWith('#'));
  if (start < 0) throw new Error(`${name} has no heading "${heading}"`);
  const first = lines.findIndex((line, index) => index > start && line.startsWith('|'));
  const rows: string[][] = [];
  for (let index = first; lines[index]?.startsWith('|'); index += 1) {
    rows.push(
      (lines[index] ?? '')
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  }
  return rows.filter((row) => !row.every((cell) => /^-+$/.test(cell)));
}

/** Links to files of this repository: `target` without anchor, `anchor` without `#`. */
export function relativeLinks(name: string): { target: string; anchor: string }[] {
  const prose = page(name).replace(FENCED, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] ?? '')
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [file = '', anchor = ''] = link.split('#');
      return { target: file === '' ? name : path.join(path.dirname(name), file), anchor };
    });
}

/** Headings as the anchors GitHub gives them. */
export function anchorsOf(name: string): string[] {
  const prose = page(name).replace(FENCED, '');
  return [...prose.matchAll(/^#+ (.+)$/gm)].map((match) =>
    (match[1] ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
