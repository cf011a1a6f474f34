import { RelayMisconfigured } from '../types.ts';

/** Where spans go. */
export interface TraceConfig {
  /** Of the traces: ends in `/v1/traces` unless it was named for traces alone. */
  endpoint: string;
  headers: Record<string, string>;
  timeoutMs: number;
  /** Of the resource that all spans belong to. */
  resource: Record<string, string>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * The variables of OpenTelemetry's exporters; null where they name no endpoint or switch traces off.
 *
 * @throws RelayMisconfigured
 */
export function traceConfig(env: Environment): TraceConfig | null {
  const read = (name: string) =>
    env[`OTEL_EXPORTER_OTLP_TRACES_${name}`]?.trim() || env[`OTEL_EXPORTER_OTLP_${name}`]?.trim();
  const endpoint = endpointOf(env);
  if (endpoint === null || env['OTEL_SDK_DISABLED'] === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none') return null;
  const protocol = read('PROTOCOL');
  if (protocol === 'grpc') {
    throw new RelayMisconfigured(
      'OTEL_EXPORTER_OTLP_PROTOCOL is grpc; spans are sent over HTTP, as JSON',
      'Name the endpoint for HTTP (usually port 4318) and set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json.',
    );
  }
  const resource = pairsOf('OTEL_RESOURCE_ATTRIBUTES', env['OTEL_RESOURCE_ATTRIBUTES']);
  return {
    endpoint,
    headers: lowerCased(pairsOf('OTEL_EXPORTER_OTLP_HEADERS', read('HEADERS'))),
    timeoutMs: timeoutOf(read('TIMEOUT')),
    resource: { 'service.name': 'outcome-ledger', ...resource, ...serviceName(env) },
  };
}

function endpointOf(env: Environment): string | null {
  const own = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']?.trim();
  const common = env['OTEL_EXPORTER_OTLP_ENDPOINT']?.trim();
  const text = own || (common && `${common.replace(/\/+$/, '')}/v1/traces`);
  if (!text) return null;
  if (!/^https?:\/\/[^/]/.test(text) || !URL.canParse(text)) {
    throw new RelayMisconfigured(
      'the endpoint of the traces is no http:// or https:// URL',
      'Set OTEL_EXPORTER_OTLP_ENDPOINT to a URL such as http://127.0.0.1:4318.',
    );
  }
  return text;
}

function serviceName(env: Environment): Record<string, string> {
  const name = env['OTEL_SERVICE_NAME']?.trim();
  return name ? { 'service.name': name } : {};
}

/** `a=b,c=d` with percent-encoded values, as the specification writes headers and attributes. */
function pairsOf(variable: string, text: string | undefined): Record<string, string> {
  const pairs: [string, string][] = [];
  for (const part of (text ?? '').split(',')) {
    if (part.trim() === '') continue;
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
    const decoded = value === undefined ? undefined : decode(value);
    if (key === undefined || decoded === undefined) {
      throw new RelayMisconfigured(
        `${variable} is not a list of key=value pairs`,
        'Separate the pairs with commas and percent-encode the values.',
      );
    }
    pairs.push([key, decoded]);
  }
  return Object.fromEntries(pairs);
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function timeoutOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_TIMEOUT_MS;
  const ms = Number(text);
  if (Number.isInteger(ms) && ms > 0) return Math.min(ms, 5 * 60_000);
  throw new RelayMisconfigured(
    'OTEL_EXPORTER_OTLP_TIMEOUT is no number of milliseconds',
    'Set it to 10000, or not at all.',
  );
}
