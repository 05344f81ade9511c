/** Files of a database are for their owner alone. */
import { closeSync, openSync } from "node:fs"

/** Makes the file when it is not there, so that SQLite does not make it readable for all. Its log gets the same mode. */
export const makePrivate = (path: string): void => closeSync(openSync(path, "a", 0o600))
