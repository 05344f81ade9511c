/** What tools write below `node_modules` while they build or test. */

/**
 * Folders that stand, empty, in the `node_modules` of every layer. A sandbox lays a writable file system of the job's own
 * over each of them: a layer is shared and read-only, and what was written is gone with the job.
 */
export const cacheFolders: ReadonlyArray<string> = [
  ".cache",
  ".vite",
  ".vite-temp",
  ".tmp",
  ".astro",
  ".vinxi",
  ".nitro",
  ".svelte-kit",
  ".tanstack-start"
]
