import { expect, test } from 'vitest';
import type { ListedActor } from '../actors/list-actors.ts';
import { renderActors, renderHanded } from './actors.ts';
import { colours } from './colour.ts';

const plain = colours(false);
const actor = (over: Partial<ListedActor>): ListedActor => ({
  actor_id: 'art-agt-003',
  role: 'agent',
  state: 'active',
  tenant_id: '5b0c8d6e-3f0a-4a39-9a55-6f2f3c1d7e10',
  email: 'art-agt-003@actors.invalid',
  user_id: 'u-1',
  created_at: null,
  last_sign_in_at: '2026-05-20T10:00:01.850123Z',
  banned_until: null,
  disabled_at: null,
  reason: null,
  ...over,
});

test('a table of who may act', () => {
  expect(renderActors([actor({})], false, plain).split('\n')).toEqual([
    'actor        role   state   email                       last sign-in',
    'art-agt-003  agent  active  art-agt-003@actors.invalid  2026-05-20 10:00:01.850Z',
  ]);
});

test('with --all since when and why, on one line whatever the reason holds', () => {
  const disabled_at = '2026-05-20T11:00:00Z';
  const gone = actor({
    role: null,
    email: null,
    last_sign_in_at: null,
    state: 'disabled',
    disabled_at,
    reason: 'a\nb\u001b[2J',
  });
  const [, line] = renderActors([gone], true, plain).split('\n');
  expect(line).toBe('art-agt-003  –     disabled  –      –             2026-05-20 11:00:00.000Z  a\\nb\\u001b[2J');
});

test('nobody', () => {
  expect(renderActors([], true, plain)).toBe('no actors');
  expect(renderActors([], false, plain)).toContain('--all');
});

test('what is handed over once, and what to do with it', () => {
  const handed = { members: { email: 'a@b', password: 'p' }, advice: 'keep it' };
  expect(renderHanded({ actor_id: 'a' }, handed, plain)).toBe('actor_id  a\nemail     a@b\npassword  p\nkeep it');
});
