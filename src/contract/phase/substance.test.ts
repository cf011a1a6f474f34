import { expect, test } from 'vitest';
import { isUsable, wordsOfSubstance } from './substance.ts';

test.each([
  ['', 0],
  ['Done.', 0],
  ['All set! Thanks; task complete.\nFinished', 0],
  ["I'm done. I’ve finished the task.", 0],
  ['Done replacing the loop', 4],
  ['one two three four five six seven', 7],
  ['one two three four five six seven eight', 8],
  ['import.py reads well-known names, all of them', 8],
  ['I cannot do that.', 0],
  ['I refused. I am unable to help', 0],
  ['The importer cannot read files over 2 GB', 0],
  ['I could not push the branch because the credential rejects workflow changes', 12],
  ['I could not push the branch: the credential rejects workflow changes', 0],
  ['I cannot push. Because the credential rejects it', 5],
  ['I did not push; it failed to reach the host', 10],
  ['Файл не найден, и это очень важно для всех нас', 0],
  ['TASK_RESULT: {"success": true, "side_effects": "none", "comments": "Done"}\nTASK_RESULT_END', 8],
])('%j has %i', (message, words) => {
  expect(wordsOfSubstance(message)).toBe(words);
  expect(isUsable(message)).toBe(words >= 8);
});
