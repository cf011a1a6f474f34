import { readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';

const README = new URL('../README.md', import.meta.url);

/** Replaces what stands between the markers of benchmark `name` in README.md. */
export async function writeSection(name: string, markdown: string): Promise<void> {
  const text = await readFile(README, 'utf8');
  const [begin, end] = [`<!-- ${name}: results -->`, `<!-- ${name}: end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no markers for ${name}`);
  const section = `${begin}\n\n${markdown.trim()}\n\n${measuredOn()}\n\n`;
  await writeFile(README, text.slice(0, from) + section + text.slice(to));
}

function measuredOn(): string {
  const date = new Date().toISOString().slice(0, 10);
  const processor = os.cpus()[0]?.model.trim() ?? 'unknown processor';
  return `_${date}, ${os.cpus().length} cores (${processor}), Node ${process.versions.node}, PostgreSQL 17, fsync on._`;
}
