/** A last message has to say so much before a next phase could build on it (phase-outcomes-rules.md section 8). */
export const WORDS_OF_SUBSTANCE = 8;

const SEGMENT_END = /[.!?;\n]+/;
const CEREMONY = new Set([
  ...['', 'ok', 'okay', 'done', 'all done', 'complete', 'completed', 'task complete', 'task completed', 'finished'],
  ...['all finished', 'task finished', 'success', 'all set', 'thanks', 'thank you', 'im done', 'i am done'],
  ...['ive finished', 'i have finished', 'ive finished the task', 'i have finished the task'],
]);
const REFUSAL =
  /\b(?:refus\w*|declin(?:e|es|ed|ing)|will not|wont|cannot|can not|cant|could not|couldnt|unable to|not going to|not permitted to|not allowed to)\b/;
const REASON = /\b(?:because|since|due to|owing to|as the|as it|the reason|without which)\b/;

/** How many words a message has beside announcements of its end and refusals without a reason. */
export function wordsOfSubstance(message: string): number {
  let words = 0;
  for (const segment of message.trim().split(SEGMENT_END)) {
    const text = normalised(segment);
    if (CEREMONY.has(text) || (REFUSAL.test(text) && !REASON.test(text))) continue;
    words += text.split(' ').length;
  }
  return words;
}

export function isUsable(message: string): boolean {
  return wordsOfSubstance(message) >= WORDS_OF_SUBSTANCE;
}

/** Lower case; apostrophes close up; everything but letters a to z, digits and spaces goes; single spaces. */
function normalised(segment: string): string {
  return segment
    .toLowerCase()
    .replace(/['\u2018\u2019]/g, '')
    .replace(/[^a-z0-9\s]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
