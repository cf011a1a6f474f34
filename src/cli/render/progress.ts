import cliProgress from 'cli-progress';
import { clean } from './clean.ts';

/** Work shorter than this shows no bar: it would only flicker. */
const QUIET_MS = 2000;

export interface Progress {
  /** One step is done; `text` says what comes next. */
  step(text: string): void;
  /** Changes the text without counting a step. */
  say(text: string): void;
  stop(): void;
}

export interface ProgressOptions {
  /** Whether a person sees stderr; otherwise nothing is drawn. */
  watched: boolean;
  total: number;
  stream?: NodeJS.WritableStream;
  quietMs?: number;
}

/** A bar on stderr that appears only when the work takes over two seconds, and leaves no trace when it stops. */
export function startProgress(text: string, options: ProgressOptions): Progress {
  let current = text;
  let done = 0;
  let total = options.total;
  let bar: cliProgress.SingleBar | undefined;
  const appear = () => {
    bar = new cliProgress.SingleBar(
      {
        format: '{bar} {value}/{total}  {text}',
        barsize: 24,
        hideCursor: true,
        clearOnComplete: true,
        stream: options.stream ?? process.stderr,
        // The bar must never keep a process alive or swallow an interrupt.
        gracefulExit: false,
      },
      cliProgress.Presets.shades_classic,
    );
    bar.start(total, done, { text: clean(current) });
  };
  const timer = options.watched ? setTimeout(appear, options.quietMs ?? QUIET_MS) : undefined;
  timer?.unref();
  return {
    step(next) {
      current = next;
      done += 1;
      if (done > total) {
        total = done;
        bar?.setTotal(total);
      }
      bar?.update(done, { text: clean(current) });
    },
    say(next) {
      current = next;
      bar?.update(done, { text: clean(current) });
    },
    stop() {
      if (timer) clearTimeout(timer);
      bar?.stop();
      bar = undefined;
    },
  };
}

/** Runs `work` under a bar and takes it away whatever happens. */
export async function withProgress<T>(
  text: string,
  options: ProgressOptions,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = startProgress(text, options);
  try {
    return await work(progress);
  } finally {
    progress.stop();
  }
}
