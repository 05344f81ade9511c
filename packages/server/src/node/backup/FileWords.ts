/** What a file system refused with, in words that say what to do about it. */
import { codeOf } from "@pawl/adapters-local/objects/DurableFile"

const full = "the disk is full, or this user's share of it: make room, or name a folder on another disk"
const noRight = "this user has no right to it: give it to the user, or name another folder"

const words: Readonly<Record<string, string>> = {
  ENOSPC: full,
  EDQUOT: full,
  EACCES: noRight,
  EPERM: noRight,
  EROFS: "nothing can be written there: name a folder on a disk that is not read-only",
  ENOTDIR: "a file is where a folder has to be: name another folder",
  EISDIR: "a folder is where a file has to be"
}

/** The words, with the code that they are of; another code alone. */
export const fileWords = (cause: unknown): string => {
  const code = codeOf(cause)
  return words[code] === undefined ? code : `${words[code]} (${code})`
}
