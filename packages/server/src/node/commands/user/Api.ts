/** `pawl api`. */
import { readFileSync } from "node:fs"
import { standardInput } from "./Person.ts"
import { exitCodes, misused, ofProblem, Refused } from "./Refused.ts"
import type { Run } from "./Verb.ts"

const bodyFrom = async (input: string | undefined): Promise<string | undefined> => {
  if (input === undefined) return undefined
  if (input === "-") return standardInput()
  try {
    return readFileSync(input, "utf8")
  } catch (error) {
    throw misused(`${input} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The answer's own text is the payload; with `--json` what is no JSON stands in a document. */
export const api: Run = async ({ client, given: [method = "", path = ""], json, payload, value }) => {
  if (!/^(get|post|put|patch|delete|head)$/i.test(method))
    throw misused(`"${method}" is no method: give get, post, put or delete`)
  // What follows an address is no address: else "@elsewhere" would name another server.
  if (!/^\/[^\s\\]*$/.test(path) || path.startsWith("//")) throw misused(`"${path}" is no path: it begins with one /`)
  const body = await bodyFrom(value("input"))
  const response = await client().raw(method.toUpperCase(), path, body, value("accept") ?? "application/json")
  const text = await response.text()
  const document = parsed(text)
  if (!response.ok)
    throw (
      ofProblem(response.status, document) ??
      new Refused(
        "unreachable",
        `${client().address} does not answer as Pawl does: it answered ${response.status}`,
        exitCodes.cannotAsk
      )
    )
  if (!json) {
    payload(text === "" || text.endsWith("\n") ? text : `${text}\n`)
    return { json: {}, written: true }
  }
  return {
    json:
      typeof document === "object" && document !== null && !Array.isArray(document)
        ? document
        : { body: document ?? text }
  }
}
