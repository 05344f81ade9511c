/** Whether the disk of a folder has room for what is at work. */
import { statfs } from "node:fs/promises"
import { Effect } from "effect"
import { ServerLimits } from "../ServerLimits.ts"

const MiB = 1024 * 1024

/** In words what is used up where a folder lies; null while there is room, and where the system does not say. */
export const fullDisk = (folder: string): Effect.Effect<string | null> =>
  Effect.promise(() =>
    statfs(folder).then(
      ({ bavail, bsize, ffree, files }) => {
        const leftBytes = bavail * bsize
        if (leftBytes < ServerLimits.readyDiskBytes) return `disk: ${Math.floor(leftBytes / MiB)} MiB are left`
        // Some file systems make places for files as they go, and say that they have none.
        return files > 0 && ffree < ServerLimits.readyDiskFiles ? `disk: room for ${ffree} files is left` : null
      },
      () => null
    )
  )
