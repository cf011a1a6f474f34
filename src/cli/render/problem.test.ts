import { expect, test } from 'vitest';
import { colours } from './colour.ts';
import { renderProblem } from './problem.ts';

const plain = colours(false);

test('shows code, what happened, path lines, what to do and the request', () => {
  const text = renderProblem(
    {
      type: 'https://example.test/errors.md#envelope_invalid',
      title: 'Envelope invalid',
      code: 'envelope_invalid',
      status: 422,
      detail: 'The envelope breaks the contract.',
      violations: [
        { path: '/errors', rule: 'errors_required', message: 'at least one error' },
        { path: '', rule: 'shape', message: 'not an object' },
      ],
      remedy: 'Correct what is named and send it again.',
      request_id: 'r-1',
      outcome_id: 'o-1',
      exit_code: 2,
    },
    plain,
  );
  expect(text.split('\n')).toEqual([
    'envelope_invalid (HTTP 422)  The envelope breaks the contract.',
    '  /errors     errors_required  at least one error',
    '  (document)  shape            not an object',
    '  outcome_id  o-1',
    '  → Correct what is named and send it again.',
    '  request r-1',
  ]);
});

test('the text of others cannot break out of its line', () => {
  expect(renderProblem({ code: 'x', detail: 'a\nb\u001b[0m' }, plain)).toBe('x  a\\nb\\u001b[0m');
});
