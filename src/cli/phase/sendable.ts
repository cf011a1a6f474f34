import { LARGE_BODY_MAX_BYTES } from '../../contract/limits.ts';
import { EXIT } from '../exit.ts';
import { Failure } from '../failure.ts';

/**
 * Says of a conclusion that no ledger takes, before many MiB are on their way, what of it is too much. The files are within
 * the bound by themselves (`collectOutput`); here is what the messages add.
 */
export function requireSendable(body: object): void {
  const size = bytesOfJson(body);
  if (size <= LARGE_BODY_MAX_BYTES) return;
  const { messages, files } = body as { messages?: unknown; files?: unknown };
  const [ofMessages, ofFiles] = [bytesOfJson(messages), bytesOfJson(files)];
  throw new Failure(
    {
      code: 'payload_too_large',
      title: 'Too much for one request',
      path: ofMessages > ofFiles ? '/messages' : '/files',
      detail:
        `the conclusion has ${size} bytes as JSON (messages ${ofMessages}, files ${ofFiles}), and one request takes ` +
        `${LARGE_BODY_MAX_BYTES}; nothing was sent`,
      remedy:
        'give the last messages alone, those with the report among them, or leave fewer and smaller files in artifacts/output',
    },
    EXIT.refused,
  );
}

const bytesOfJson = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');
