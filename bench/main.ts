import { parseArgs } from 'node:util';
import { BENCHMARKS } from './benchmarks/index.ts';
import { writeSection } from './report/readme.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
});
const names = positionals.length > 0 ? positionals : Object.keys(BENCHMARKS);
const unknown = names.find((name) => !(name in BENCHMARKS));

if (values.help || unknown !== undefined) {
  if (unknown !== undefined) console.error(`There is no benchmark "${unknown}".\n`);
  console.error(`npm --prefix bench start [-- NAME ...] [--dry-run]

Runs the benchmarks named, or all, prints their tables and writes them into bench/README.md.

  --dry-run   print only

Benchmarks: ${Object.keys(BENCHMARKS).join(', ')}`);
  process.exit(values.help ? 0 : 2);
}

for (const name of names) {
  const started = performance.now();
  console.error(`${name} …`);
  const markdown = await BENCHMARKS[name]?.();
  if (!markdown) continue;
  console.log(`\n## ${name}\n\n${markdown}\n`);
  if (!values['dry-run']) await writeSection(name, markdown);
  console.error(`${name}: ${Math.round((performance.now() - started) / 1000)} s`);
}
