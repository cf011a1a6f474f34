import { expect, it } from 'vitest';
import { traceConfig } from './config.ts';

it.each([
  [{}, null],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, null],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, 'http://c:4318/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/' }, 'http://c:4318/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c/otlp' }, 'https://c/otlp/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://c/here' }, 'https://c/here'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://b/t' }, 'http://b/t'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_SDK_DISABLED: 'true' }, null],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_TRACES_EXPORTER: 'none' }, null],
])('%j sends to %s', (env, endpoint) => {
  expect(traceConfig(env)?.endpoint ?? null).toBe(endpoint);
});

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' };

it('reads headers, time limit and resource', () => {
  expect(
    traceConfig({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20abc%3D, x-team = editions ',
      OTEL_EXPORTER_OTLP_TIMEOUT: '2500',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=prod,service.name=by-attribute',
      OTEL_SERVICE_NAME: 'ledger',
    }),
  ).toEqual({
    endpoint: 'http://c:4318/v1/traces',
    headers: { authorization: 'Basic abc=', 'x-team': 'editions' },
    timeoutMs: 2500,
    resource: { 'deployment.environment.name': 'prod', 'service.name': 'ledger' },
  });
  expect(traceConfig(ENDPOINT)).toMatchObject({
    headers: {},
    timeoutMs: 10_000,
    resource: { 'service.name': 'outcome-ledger' },
  });
  const own = traceConfig({ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'a=1', OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'b=2' });
  expect(own?.headers).toEqual({ b: '2' });
});

it.each([
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://c' },
  { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  { ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'nonsense' },
  { ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'a=%zz' },
  { ...ENDPOINT, OTEL_EXPORTER_OTLP_TIMEOUT: 'ten' },
])('%j is refused with a remedy', (env) => {
  expect(() => traceConfig(env)).toThrow(
    expect.objectContaining({ code: 'relay_misconfigured', remedy: expect.any(String) }),
  );
});

it('other protocols over HTTP are no reason to refuse: they are set for others, and every receiver reads JSON', () => {
  expect(traceConfig({ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' })).not.toBeNull();
});
