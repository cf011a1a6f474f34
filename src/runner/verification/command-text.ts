const MOST = 4000;

/** A command as a person would type it, cut to 4,000 characters. */
export function commandText(command: string | readonly string[]): string {
  const text = typeof command === 'string' ? command : command.map(quoted).join(' ');
  const points = [...text.replace(/\p{Surrogate}|\0/gu, '\ufffd')];
  return points.length <= MOST ? points.join('') : `${points.slice(0, MOST - 1).join('')}…`;
}

const quoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
