import { contentOf, isText } from '../contract/phase/content.ts';
import type { PhaseConclusion, PhaseContent, PhaseMessage } from './phase-documents.ts';
import { prepared } from './prepared.ts';
import { isStorableText, toStorableText } from './text.ts';

/** SUBSTITUTE: like NUL a control character, which no JSON string may hold, so that a report reads as it would have. */
const IN_PLACE_OF_NUL = '\u001a';

/**
 * A conclusion as it is sent: bytes become text or base64, and what no text of the ledger can hold is replaced in the
 * messages, since nothing that an agent says may keep its run from being concluded: NUL by U+001A, half of a surrogate
 * pair by U+FFFD. The caller's own members are held to what JSON keeps whole.
 */
export function conclusionBody(conclusion: PhaseConclusion): object {
  const { messages, files, ...own } = conclusion;
  return {
    ...prepared(own, 'the conclusion'),
    messages: Array.isArray(messages) ? messages.map(sentMessage) : messages,
    files: sentFiles(files),
  };
}

function sentMessage(message: PhaseMessage): unknown {
  if (typeof message === 'string') return heldText(message);
  if (typeof message?.text !== 'string') return message;
  return { ...message, text: heldText(message.text) };
}

const heldText = (text: string): string =>
  isStorableText(text) ? text : toStorableText(text.replaceAll('\0', IN_PLACE_OF_NUL));

function sentFiles(files: PhaseConclusion['files']): unknown {
  if (Array.isArray(files)) return files.map((file) => ({ ...file, content: sentContent(file?.content) }));
  if (typeof files !== 'object' || files === null) return files;
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [path, sentContent(content)]));
}

function sentContent(content: PhaseContent): PhaseContent {
  if (content instanceof Uint8Array) return contentOf(content);
  // Half of a surrogate pair is no character of any file: the ledger says where it stands.
  const isBinary = typeof content === 'string' && !isText(content) && isStorableText(content.replaceAll('\0', ''));
  return isBinary ? contentOf(new TextEncoder().encode(content)) : content;
}
