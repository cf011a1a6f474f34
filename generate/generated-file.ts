/** A generated file: its path from the repository's root, and its whole text. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}
