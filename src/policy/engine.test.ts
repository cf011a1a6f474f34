import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { transformWithEsbuild } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkPolicySet } from './check.ts';
import { guarded, loadEngine } from './engine.ts';
import { evaluate } from './evaluate.ts';
import { preparePolicySet } from './prepare.ts';

const REQUEST = { principal: { type: 'Agent', id: 'a' }, action: 'read', resource: { type: 'Doc', id: 'd' } };
const ANY = 'permit (principal, action, resource);';

describe('an installation without the optional package', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'without-cedar-'));
    const zod = path.dirname(createRequire(import.meta.url).resolve('zod/package.json'));
    await cp(zod, path.join(folder, 'node_modules', 'zod'), { recursive: true });
    await writeFile(path.join(folder, 'package.json'), '{"type": "module"}');
    for (const room of ['contract', 'policy']) await compile(path.resolve('src', room), path.join(folder, room));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function compile(from: string, to: string): Promise<void> {
    await mkdir(to, { recursive: true });
    for (const entry of await readdir(from, { withFileTypes: true })) {
      const source = path.join(from, entry.name);
      if (entry.isDirectory()) await compile(source, path.join(to, entry.name));
      if (!entry.name.endsWith('.ts') || entry.name.endsWith('.test.ts')) continue;
      const { code } = await transformWithEsbuild(await readFile(source, 'utf8'), source, { sourcemap: false });
      const target = path.join(to, entry.name.replace(/\.ts$/, '.js'));
      await writeFile(target, code.replaceAll(/(from\s*["'][^"']+)\.ts(["'])/g, '$1.js$2'));
    }
  }

  /** What a script beside the rooms prints, as JSON. */
  async function said(script: string): Promise<unknown> {
    const file = path.join(folder, 'script.js');
    await writeFile(file, script);
    const args = 'Deno' in globalThis ? ['run', '--allow-all', file] : [file];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return JSON.parse(stdout || JSON.stringify(stderr));
  }

  it('says what is missing and how to get it', async () => {
    const script = `
      import { checkPolicySet, preparePolicySet } from './policy/index.js';
      const codes = [];
      for (const use of [checkPolicySet, preparePolicySet, checkPolicySet]) {
        await use({ policies: 'permit (principal, action, resource);' }).catch(({ code, message }) => codes.push(code, message));
      }
      console.log(JSON.stringify(codes));`;
    const codes = (await said(script)) as string[];
    expect(codes.filter((_, index) => index % 2 === 0)).toEqual(Array(3).fill('policy_engine_missing'));
    expect(codes[1]).toContain('npm install @cedar-policy/cedar-wasm');
  });

  it('does all that needs no engine', async () => {
    const script = `
      import { maskInput, verdictOf } from './policy/index.js';
      const { decision } = verdictOf({ decision: 'deny', determining: [], errors: [], riskScore: null });
      console.log(JSON.stringify([decision, maskInput({ a: 1 }, ['a'])]));`;
    expect(await said(script)).toEqual(['block', { a: '[masked]' }]);
  });
});

describe('the engine', () => {
  it('is loaded once', async () => {
    const [one, other] = await Promise.all([loadEngine(), loadEngine()]);
    expect(one).toBe(other);
    expect(one.getCedarVersion()).toMatch(/^4\./);
  });

  // The last test of this file: there is no engine after it.
  it('once it broke down, is not asked again: escalated, and nothing is checked', async () => {
    const cedar = await loadEngine();
    const set = await preparePolicySet({ policies: ANY });
    expect(evaluate(set, REQUEST).decision).toBe('allow');

    const deep = `permit (principal, action, resource) when { ${'('.repeat(300)}true${')'.repeat(300)} };`;
    expect(() => guarded(() => cedar.checkParsePolicySet({ staticPolicies: deep }))).toThrow(/Cedar broke down/);

    expect(evaluate(set, REQUEST)).toMatchObject({
      decision: 'escalate',
      policy_rule_triggered: null,
      determining: [],
      risk_score: 1,
      requires_hitl: true,
      errors: [{ code: 'engine_failed', policy_id: null, message: expect.stringContaining('Cedar broke down') }],
    });
    await expect(checkPolicySet({ policies: ANY })).rejects.toMatchObject({ code: 'policy_engine_failed' });
  });
});
