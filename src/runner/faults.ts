/** Why a workspace was not read or written. */
export type WorkspaceFaultCode =
  /** The workspace, or something in it that has to be read, cannot be opened. */
  | 'workspace_unreadable'
  /** More lies below `artifacts/output/` than may be collected. */
  | 'output_too_large'
  /** A path does not lead into `artifacts/input/`. */
  | 'input_path_refused'
  /** Something else stands where an input belongs. */
  | 'input_exists';

/** A workspace was refused. `path`: what it is about, from the workspace on; empty for the workspace itself. */
export class WorkspaceFault extends Error {
  readonly code: WorkspaceFaultCode;
  readonly path: string;
  readonly remedy: string;

  constructor(code: WorkspaceFaultCode, path: string, message: string, remedy: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'WorkspaceFault';
    this.code = code;
    this.path = path;
    this.remedy = remedy;
  }
}

/** `ENOENT`, `ELOOP`, … of an error of the file system; undefined of any other. */
export function errnoOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

export function unreadable(path: string, cause: unknown): WorkspaceFault {
  return new WorkspaceFault(
    'workspace_unreadable',
    path,
    `${path === '' ? 'the workspace' : path} cannot be read (${errnoOf(cause) ?? (cause as Error).message})`,
    'see to it that the directory the agent worked in is there and can be read',
    { cause },
  );
}

export function tooMany(most: number): WorkspaceFault {
  return new WorkspaceFault(
    'output_too_large',
    'artifacts/output',
    `artifacts/output holds more than ${most} files and folders`,
    'leave fewer files there: pack them into one, or leave out what can be made again',
  );
}

export function tooLarge(path: string, most: number): WorkspaceFault {
  return new WorkspaceFault(
    'output_too_large',
    path,
    `the files below artifacts/output have more than ${most} bytes together; ${path} is the first beyond`,
    LEAVE_LESS,
  );
}

/** Base64 takes a third more than its bytes, and JSON spells out control characters. */
export function tooLargeToSend(path: string, most: number): WorkspaceFault {
  return new WorkspaceFault(
    'output_too_large',
    path,
    `the files below artifacts/output have more than ${most} bytes together as the JSON they are sent in; ${path} is the first beyond`,
    LEAVE_LESS,
  );
}

const LEAVE_LESS = 'leave less there, and keep large files in a store of your own, with a file that says where';
