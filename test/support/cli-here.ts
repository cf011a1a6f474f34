import { run } from '../../src/cli/program.ts';
import { colours } from '../../src/cli/render/colour.ts';

export interface CliAnswer {
  code: number;
  stdout: string;
  stderr: string;
  /** stdout as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: documents are looked into freely in tests
  json(): Record<string, any>;
}

/** The command in this process, as behind a pipe: for what it says and answers, many times over. */
export async function cliHere(args: readonly string[]): Promise<CliAnswer> {
  const out: string[] = [];
  const err: string[] = [];
  const line = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);
  const code = await run(args, {
    out: (text) => void out.push(line(text)),
    err: (text) => void err.push(line(text)),
    colour: colours(false),
    errColour: colours(false),
    width: undefined,
    watched: false,
    interactive: false,
  });
  const stdout = out.join('');
  return { code, stdout, stderr: err.join(''), json: () => JSON.parse(stdout) };
}
