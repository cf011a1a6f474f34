import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { importClosure } from './import-closure.ts';

const root = mkdtempSync(join(tmpdir(), 'closure-'));
afterAll(() => rmSync(root, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

test('follows every kind of relative import, cycles too, and no package', () => {
  write(
    'functions/a/index.ts',
    `import { x } from '../_shared/x.ts';\nimport 'hono';\nexport * from "../../src/b.ts";`,
  );
  write('functions/_shared/x.ts', `import type { Y } from './y.ts'; export const x = () => import('./lazy.ts');`);
  write(
    'functions/_shared/y.ts',
    `import {\n  x,\n} from './x.ts'; import schema from './schema.json' with { type: 'json' };`,
  );
  write('functions/_shared/lazy.ts', `import './effect.ts';`);
  write('functions/_shared/effect.ts', '');
  write('functions/_shared/schema.json', '{}');
  write('functions/_shared/unused.ts', '');
  write('src/b.ts', '');
  expect(importClosure(root, ['functions/a/index.ts'])).toEqual([
    'functions/_shared/effect.ts',
    'functions/_shared/lazy.ts',
    'functions/_shared/schema.json',
    'functions/_shared/x.ts',
    'functions/_shared/y.ts',
    'functions/a/index.ts',
    'src/b.ts',
  ]);
});
