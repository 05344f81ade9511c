/** Whether the server can work. */
import { api } from "../api/Client.ts"
import { Refusal } from "../api/Refusal.ts"
import type { CallOptions } from "../api/Wire.ts"

const words = (missing: unknown): ReadonlyArray<string> | null =>
  Array.isArray(missing) ? missing.filter((each) => typeof each === "string") : null

/** What is missing, in words; nothing where it can work. A server that is not ready says so with 503. */
export const readiness = async (options: CallOptions): Promise<ReadonlyArray<string>> => {
  try {
    await api.service.ready({}, options)
    return []
  } catch (thrown) {
    const missing = thrown instanceof Refusal && thrown.status === 503 ? words(thrown.facts["missing"]) : null
    if (missing === null) throw thrown
    return missing.length === 0 ? ["it is starting or stopping"] : missing
  }
}
