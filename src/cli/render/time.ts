/** `2026-05-20T10:00:01.850123Z` as `2026-05-20 10:00:01.850Z`: milliseconds, always UTC, always the same width. */
export function showTime(value: unknown): string {
  if (typeof value !== 'string') return '';
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? value : date.toISOString().replace('T', ' ');
}

/** Milliseconds as a person reads them: `42 ms`, `1.9 s`, `2 min 5 s`, `3 h 4 min`. */
export function showDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 2880
    ? `${Math.floor(minutes / 60)} h ${minutes % 60} min`
    : `${Math.floor(minutes / 1440)} d ${Math.round((minutes % 1440) / 60)} h`;
}
