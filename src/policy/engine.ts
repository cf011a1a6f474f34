import { PolicyEngineError } from './errors.ts';

/** Cedar, compiled to WebAssembly. */
export type Cedar = typeof import('@cedar-policy/cedar-wasm/nodejs');

let loading: Promise<Cedar> | undefined;
let broken: PolicyEngineError | undefined;

/**
 * Loads Cedar with the first call, once per process. On Deno the function's `deno.json` maps the name.
 *
 * @throws PolicyEngineError when the optional package is absent, or does not load
 */
export function loadEngine(): Promise<Cedar> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Cedar> {
  try {
    return await import('@cedar-policy/cedar-wasm/nodejs');
  } catch (cause) {
    const { code, message } = cause as { code?: string; message?: string };
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') {
      throw new PolicyEngineError(
        'policy_engine_missing',
        'Cedar is not installed: add the optional dependency with `npm install @cedar-policy/cedar-wasm`, ' +
          'or on Deno name it in the imports of the function.',
        { cause },
      );
    }
    throw new PolicyEngineError('policy_engine_failed', `Cedar could not be loaded: ${message ?? String(cause)}`, {
      cause,
    });
  }
}

/**
 * Runs a call of the engine. A call that breaks down (the stack ends, an assertion of Cedar fails) leaves its memory in
 * an unknown state, so that no later answer of the same process could be trusted: they are all refused.
 *
 * @throws PolicyEngineError when the engine breaks down, or did before
 */
export function guarded<T>(call: () => T): T {
  if (broken) throw broken;
  try {
    return call();
  } catch (cause) {
    const message = `Cedar broke down: ${cause instanceof Error ? cause.message : String(cause)}`;
    const failure = new PolicyEngineError('policy_engine_failed', message, { cause });
    if (cause instanceof RangeError || cause instanceof WebAssembly.RuntimeError) broken = failure;
    throw failure;
  }
}
