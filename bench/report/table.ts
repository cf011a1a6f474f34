/** Cells of a markdown table, header first; columns whose values are all figures are set to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const [header, ...body] = rows;
  if (!header) return '';
  const right = header.map((_, column) => body.every((row) => /^[\d<–-]|^$/.test(row[column] ?? '')));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(header), line(right.map((is) => (is ? '---:' : '---'))), ...body.map(line)].join('\n');
}

/** A figure with separators between thousands and as many decimals as its size deserves. */
export function figure(value: number): string {
  const decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Whether a bar is met, as it stands in the last column. */
export function verdict(met: boolean): string {
  return met ? 'met' : '**missed**';
}
