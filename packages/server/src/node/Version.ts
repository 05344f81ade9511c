/** The version of this package. */
import { readFileSync } from "node:fs"

const read = (): string => {
  const parsed: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
  if (typeof parsed === "object" && parsed !== null && "version" in parsed && typeof parsed.version === "string")
    return parsed.version
  throw new Error("package.json has no version")
}

/** As package.json says it, read when this module is loaded, which throws where it has none. */
export const version = read()
