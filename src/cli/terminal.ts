import { type Colour, colours } from './render/colour.ts';

/** Where a command writes and what it may assume about who reads. Results go to `out`, everything said on the way to `err`. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  colour: Colour;
  errColour: Colour;
  /** Columns of a terminal on stdout; undefined when stdout is a file or a pipe, where nothing is ever shortened. */
  width: number | undefined;
  /** Whether a person sees stderr (progress is drawn there and nowhere else). */
  watched: boolean;
  /** Whether stdin and stdout are a terminal, so that an interactive program may take over. */
  interactive: boolean;
}

export function processTerminal(): Terminal {
  const { stdout, stderr, stdin } = process;
  return {
    out: (text) => void stdout.write(text.endsWith('\n') ? text : `${text}\n`),
    err: (text) => void stderr.write(text.endsWith('\n') ? text : `${text}\n`),
    colour: colours(mayColour(stdout.isTTY === true)),
    errColour: colours(mayColour(stderr.isTTY === true)),
    width: stdout.isTTY ? stdout.columns : undefined,
    watched: stderr.isTTY === true,
    interactive: stdin.isTTY === true && stdout.isTTY === true,
  };
}

/** Colour only on a terminal; NO_COLOR (any non-empty value, no-color.org) and TERM=dumb switch it off. */
export function mayColour(isTerminal: boolean, env: Record<string, string | undefined> = process.env): boolean {
  return isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}
