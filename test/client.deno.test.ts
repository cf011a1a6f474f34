import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { useStack } from './support/stack.ts';
import { mustRun, tool } from './support/tools.ts';

const stack = useStack();

test('the client runs on Deno as it stands, with no right but the network', async () => {
  const { tenantId } = await stack.createTenant({ open: true });
  const token = await stack.mintToken({ tenantId, role: 'orchestrator', actorId: 'orc-1' });
  const { stdout } = await mustRun(
    tool('deno'),
    [
      'run',
      '--no-lock',
      '--no-prompt',
      '--check',
      '--allow-net=127.0.0.1',
      '--allow-env',
      '--config',
      'test/support/client-on-deno.json',
      new URL('./support/client-on-deno.ts', import.meta.url).pathname,
      stack.functionsUrl,
      token,
      `corr-${randomUUID()}`,
    ],
    { env: { NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' }, timeoutMs: 120_000 },
  );
  expect(JSON.parse(stdout)).toEqual({
    success: 'success',
    failure: 'NO_STOCK',
    why: 2,
    canceled: 'CANCELED',
    concluded: 'correct_refusal',
    content: { base64: 'AP8=' },
  });
});
