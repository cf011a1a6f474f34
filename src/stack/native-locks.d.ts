declare module 'fs-native-extensions' {
  /** Takes an exclusive lock on an open file that the system frees on close or death; false when another holds it. */
  export function tryLock(fd: number): boolean;
}
