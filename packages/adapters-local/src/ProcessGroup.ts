/** A process group, by the number of who leads it. It imports nothing: the spawner's own process stays small. */

/** SIGKILL to all of a group; nothing happens where none of it is left. */
export const killGroup = (pid: number): void => {
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // It has ended already.
  }
}
