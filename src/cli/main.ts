#!/usr/bin/env node
import { run } from './program.ts';
import { processTerminal } from './terminal.ts';

// A reader that went away (`… | head`) is no error of ours.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

// The exit code is set, not forced: what is still on its way to a pipe gets there.
process.exitCode = await run(process.argv.slice(2), processTerminal());
