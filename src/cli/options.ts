import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** Options of every command that talks to a ledger. */
export interface LedgerOptions {
  json?: boolean;
  url?: string;
  token?: string;
  tenant?: string;
  dataDir?: string;
  spawn: boolean;
}

/** Options of a command that only needs the local stack. */
export interface LocalOptions {
  json?: boolean;
  dataDir?: string;
  spawn: boolean;
}

export function withJson(command: Command): Command {
  return command.option('--json', 'print one JSON document instead of text');
}

export function withLocal(command: Command): Command {
  return withJson(command)
    .option(
      '--data-dir <dir>',
      'data directory of the local stack (OUTCOME_LEDGER_DATA_DIR; default ./.outcome-ledger)',
    )
    .option('--no-spawn', 'never start a stack');
}

export function withLedger(command: Command): Command {
  return withLocal(command)
    .option('--url <url>', 'talk to this ledger instead of the local stack (OUTCOME_LEDGER_URL)')
    .option('--token <jwt>', 'bearer token (OUTCOME_LEDGER_TOKEN)')
    .option('--tenant <id>', 'tenant of the local stack to read as (default: its default tenant)');
}

export function databaseUrlOption(what: string): Option {
  return new Option('--database-url <url>', `${what} (OUTCOME_LEDGER_DATABASE_URL; DATABASE_URL is never read)`);
}

/** The flag, else OUTCOME_LEDGER_DATABASE_URL. A bare DATABASE_URL belongs to some other application. */
export function databaseUrlOf(flag: string | undefined): string | undefined {
  return flag ?? fromEnvironment('OUTCOME_LEDGER_DATABASE_URL');
}

export function dataDirOf(options: { dataDir?: string }): string {
  return resolve(options.dataDir ?? fromEnvironment('OUTCOME_LEDGER_DATA_DIR') ?? '.outcome-ledger');
}

/** An empty variable counts as not set, the way shells clear one. */
export function fromEnvironment(name: string): string | undefined {
  return process.env[name] || undefined;
}

export function wholeNumber(smallest: number, largest: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= smallest && value <= largest)) {
      throw new InvalidArgumentError(`a whole number from ${smallest} to ${largest} is wanted`);
    }
    return value;
  };
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** An id of the ledger: UUID v4, lower case (design section 4). */
export function uuid(text: string): string {
  if (!UUID.test(text)) throw new InvalidArgumentError('a lower-case UUID v4 is wanted');
  return text;
}
