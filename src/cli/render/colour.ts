import pc from 'picocolors';

export type Paint = (text: string) => string;

/** The few colours the command uses, by what they mean. */
export interface Colour {
  bold: Paint;
  dim: Paint;
  good: Paint;
  warn: Paint;
  bad: Paint;
  note: Paint;
}

export function colours(enabled: boolean): Colour {
  const c = pc.createColors(enabled);
  return { bold: c.bold, dim: c.dim, good: c.green, warn: c.yellow, bad: c.red, note: c.cyan };
}

const PAINT_OF_STATUS: Record<string, keyof Colour> = {
  success: 'good',
  partial: 'warn',
  failure: 'bad',
  blocked: 'bad',
  escalated: 'note',
  timeout: 'bad',
  skipped: 'dim',
  running: 'note',
  stalled: 'warn',
  overdue: 'bad',
};

export function paintStatus(colour: Colour, status: string): string {
  return colour[PAINT_OF_STATUS[status] ?? 'bold'](status);
}
