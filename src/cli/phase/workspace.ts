import { EXIT } from '../exit.ts';
import { Failure } from '../failure.ts';

/** Does something with a workspace; what is wrong with that is told as the command tells things. */
export async function inWorkspace<T>(work: () => Promise<T>): Promise<T> {
  const { WorkspaceFault } = await import('../../runner/index.ts');
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WorkspaceFault)) throw error;
    const { code, message, path, remedy } = error;
    throw new Failure(
      { code, title: 'Workspace refused', detail: message, ...(path === '' ? {} : { path }), remedy },
      code === 'input_exists' ? EXIT.failed : EXIT.refused,
      { cause: error },
    );
  }
}
