import { expect, it } from 'vitest';
import { jsonLog } from './log.ts';

it('writes one JSON object a line, whatever the words hold', () => {
  const lines: string[] = [];
  const log = jsonLog(
    (line) => lines.push(line),
    () => new Date(0),
  );
  log({ level: 'warn', message: 'two\nlines', details: { code: 'x' } });
  log({ level: 'info', message: 'plain' });
  expect(lines).toEqual([
    '{"time":"1970-01-01T00:00:00.000Z","level":"warn","message":"two\\nlines","code":"x"}',
    '{"time":"1970-01-01T00:00:00.000Z","level":"info","message":"plain"}',
  ]);
});
