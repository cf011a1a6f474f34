import { expect, test } from 'vitest';
import { queryString, segment, toProjectUrl } from './url.ts';

test('both forms of the address lead to the project', () => {
  expect(toProjectUrl('https://ref.supabase.co')).toBe('https://ref.supabase.co');
  expect(toProjectUrl('https://ref.supabase.co/')).toBe('https://ref.supabase.co');
  expect(toProjectUrl('http://127.0.0.1:54321/functions/v1')).toBe('http://127.0.0.1:54321');
  expect(toProjectUrl(' http://127.0.0.1:54321/functions/v1/ ')).toBe('http://127.0.0.1:54321');
  expect(toProjectUrl('https://host/behind/functions/v1')).toBe('https://host/behind');
});

test('what is no address is refused before anything is sent', () => {
  expect(() => toProjectUrl('localhost:54321')).toThrow('http');
  expect(() => toProjectUrl('')).toThrow('not a URL');
});

test('an id stays one path segment', () => {
  expect(segment('a/b?c#d e')).toBe('a%2Fb%3Fc%23d%20e');
  expect(new URL(`http://h/events/${segment('health')}`).pathname).toBe('/events/%68ealth');
  for (const id of ['', '.', '..']) expect(() => segment(id)).toThrow('path');
  expect(() => segment('\ud83d')).toThrow('surrogate');
});

test('only members that are set are asked', () => {
  expect(queryString({ a: 1, b: null, c: undefined, d: 'x y', e: false })).toBe('?a=1&d=x+y&e=false');
  expect(queryString({})).toBe('');
});
