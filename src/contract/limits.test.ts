import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { HELD_TOO_LONG_S } from './limits.ts';

// The chapter spells it inside a jsonpath, which takes no function's answer.
it('the health of the ledger and its workers call a transaction too long at the same age', () => {
  const chapter = readFileSync(new URL('../../supabase/migrations/20261130002100_feed.sql', import.meta.url), 'utf8');
  expect(chapter).toContain(`jsonb_path_exists(holders, '$[*] ? (@.age_s > ${HELD_TOO_LONG_S})')`);
});
