import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { packageRoot } from '../stack/package-root.ts';
import { buildProgram } from './program.ts';
import { processTerminal } from './terminal.ts';

const docs = readFileSync(join(packageRoot(), 'docs/cli.md'), 'utf8');
const common = sectionOf('Options of many commands');
const program = buildProgram({ terminal: processTerminal(), exit: 0 });
const leaves = leavesOf(program, '');

function leavesOf(command: Command, prefix: string): [string, Command][] {
  if (command.commands.length === 0) return [[prefix, command]];
  return command.commands.flatMap((child) => leavesOf(child, `${prefix} ${child.name()}`.trim()));
}

function sectionOf(title: string): string {
  const start = docs.indexOf(`\n## ${title}`);
  if (start < 0) return '';
  const end = docs.indexOf('\n## ', start + 4);
  return docs.slice(start, end < 0 ? undefined : end);
}

test.each(leaves)('docs/cli.md tells of `%s` and its options', (name, command) => {
  const section = sectionOf(`\`${name}`);
  expect(section, name).not.toBe('');
  for (const option of command.options) {
    if (option.long) expect(`${section}\n${common}`, `${name} ${option.long}`).toContain(`\`${option.long}`);
  }
});

test('docs/cli.md tells of no command that is not there', () => {
  const told = [...docs.matchAll(/\n## `([a-z ]+[a-z])/g)].map((match) => match[1]);
  expect(told.sort()).toEqual(leaves.map(([name]) => name).sort());
});

test('every command has --json', () => {
  for (const [name, command] of leaves) {
    expect(
      command.options.map((option) => option.long),
      name,
    ).toContain('--json');
  }
});
