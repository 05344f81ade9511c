/** What an agent may reach by way of this command: the files of its folder, by their real places. */
import { realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"

/** The real place of a path, of which the last parts need not be there. */
const realPlace = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(realPlace(above), basename(path))
  }
}

/** Where a path leads below a folder; null when it leads out of it, by itself or by a link. */
const placeIn = (folder: string, path: string): string | null => {
  const within = relative(realpathSync(folder), realPlace(resolve(folder, path)))
  return within === ".." || within.startsWith(`..${sep}`) || isAbsolute(within) ? null : within
}

/** Whether a path leads into the folder. */
export const isReadable = (folder: string, path: string): boolean => placeIn(folder, path) !== null

/** Whether it leads to a file there that is the agent's to write: git's own are not. */
export const isWritable = (folder: string, path: string): boolean => {
  const place = placeIn(folder, path)
  return place !== null && place !== "" && place.split(sep)[0]?.toLowerCase() !== ".git"
}
