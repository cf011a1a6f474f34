// The agent's last message may be recovered as an artifact; what an agent says must never be what keeps its phase from
// being concluded, so without an object store a long one is cut to what a table takes.
import { ARTIFACT_MAX_BYTES } from '../../src/contract/limits.ts';

/** Bytes left for the banner and the branch report around it. */
const AROUND = 80 * 1024;
const LONGEST = ARTIFACT_MAX_BYTES - AROUND;

/** The messages with the last one that says anything cut, and whether it was. */
export function withShortLast(messages: readonly string[]): { messages: string[]; cut: boolean } {
  const at = messages.findLastIndex((message) => message.trim() !== '');
  const message = messages[at] ?? '';
  if (message.length <= LONGEST / 3) return { messages: [...messages], cut: false };
  const bytes = new TextEncoder().encode(message);
  if (bytes.length <= LONGEST) return { messages: [...messages], cut: false };
  // A stream's decoder keeps back a character that is not whole.
  const beginning = new TextDecoder().decode(bytes.subarray(0, LONGEST), { stream: true });
  return {
    messages: messages.with(at, `${beginning}\n\n[cut here; the message has ${bytes.length} bytes]`),
    cut: true,
  };
}
