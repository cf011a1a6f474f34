// The agent's last message in the place of its files. An agent decides how many empty files it leaves and how long it
// speaks: the copies are bounded together, so that neither keeps its phase from being concluded.
import { RECOVERED_MAX_BYTES } from '../limits.ts';
import { shownPath } from './shown-path.ts';

/** Less than this of a message is no help to a reader: then the copy only says where the whole is. */
const SHORTEST_PART = 256;

/**
 * What stands in each file that the message takes the place of, called in their order: the whole in the first, and in
 * further ones as long as all of them have room together; then as much as fits; then only where the whole one is.
 *
 * @param branchReport where the phase's work stands in git; it follows the message
 */
export function copiesOf(message: string, branchReport?: string): (path: string, why: string) => string {
  const whole = [
    message.trim(),
    ...(branchReport ? ['', '---', '', "## Where this phase's work stands", '', branchReport.trim()] : []),
  ].join('\n');
  const bytes = new TextEncoder().encode(whole);
  let left = RECOVERED_MAX_BYTES;
  let first: string | undefined;
  return (path, why) => {
    const isFirst = first === undefined;
    first ??= path;
    if (isFirst || bytes.length <= left) {
      left -= bytes.length;
      return withBanner(why, whole);
    }
    const at = `the whole message is at ${shownPath(first)}`;
    const part = left < SHORTEST_PART ? '' : beginning(bytes, left);
    left = 0;
    return withBanner(why, part === '' ? `[left out here; ${at}]` : `${part}\n\n[cut here; ${at}]`);
  };
}

function withBanner(why: string, text: string): string {
  return [
    `> Recovered from the session transcript: the phase ${why}.`,
    "> This is the agent's last message, not its intended deliverable; it may be a conclusion, or a mere sign-off.",
    '',
    text,
    '',
  ].join('\n');
}

/** A stream's decoder keeps back a character that is not whole. */
const beginning = (bytes: Uint8Array, length: number): string =>
  new TextDecoder().decode(bytes.subarray(0, length), { stream: true });
