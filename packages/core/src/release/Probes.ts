/** Release smoke probes: which they are, and what an answer means. No response is a gap, never a pass. */
import type { Intent } from "../model/ChangeSet.ts"
import type { PawlProbe } from "../project/PawlFile.ts"
import type { ProbeAnswer } from "./ProbeClient.ts"
import type { ProbeResult } from "../model/Release.ts"
import { textOf } from "../primitives/Utf8.ts"

/** A path, and what it must answer. */
export interface Probe {
  readonly path: string
  /** One status, or the statuses of a route that the Change added: 2xx, 401 or 403. */
  readonly expects: number | "reachable"
  readonly json: boolean
  /** It was found in the code: one that answers no GET (405) is no route to be probed. */
  readonly found?: true
}

/** The tree's own probes, and the first `max` of the added routes that these do not ask already. */
export const probesOf = (
  own: ReadonlyArray<PawlProbe>,
  addedRoutes: ReadonlyArray<Pick<Probe, "path" | "found">>,
  max: number
): ReadonlyArray<Probe> => [
  ...own.map((probe) => ({ path: probe.path, expects: probe.status, json: probe.json === true })),
  ...addedRoutes
    .filter(({ path }) => !own.some((probe) => probe.path === path))
    .slice(0, max)
    .map((route) => ({ ...route, expects: "reachable" as const, json: false }))
]

const isJson = (answer: ProbeAnswer): boolean => {
  try {
    JSON.parse(textOf(answer.body))
    return answer.contentType?.includes("json") === true
  } catch {
    return false
  }
}

const reachable = (status: number): boolean => (status >= 200 && status < 300) || status === 401 || status === 403

/** Judges one answer; `null` when there was none. */
export const judgeProbe = (probe: Probe, answer: ProbeAnswer | null, why = "no response"): ProbeResult => {
  const expected =
    probe.expects === "reachable" ? "2xx, 401 or 403" : `${probe.expects}${probe.json ? " with JSON" : ""}`
  if (answer === null) return { path: probe.path, expected, status: null, result: "gap", detail: why }
  const noGet = probe.found === true && answer.status === 405
  const status = probe.expects === "reachable" ? reachable(answer.status) || noGet : answer.status === probe.expects
  const body = !probe.json || isJson(answer)
  const detail = !status
    ? `answered ${answer.status}`
    : !body
      ? `answered ${answer.status}, but not JSON`
      : `answered ${answer.status}`
  return { path: probe.path, expected, status: answer.status, result: status && body ? "pass" : "fail", detail }
}

/**
 * Static GET routes that ChangeSets declared to write: `/hours`, or `GET /hours`. A route with a parameter or a
 * wildcard is not static, and one of another method is no probe.
 */
export const routesDeclared = (intents: ReadonlyArray<Intent>): ReadonlyArray<string> => {
  const paths = intents.flatMap((intent) => {
    if (intent.kind !== "route" || intent.mode !== "write") return []
    const path = /^(?:GET\s+)?(\/[A-Za-z0-9/_.-]*)$/i.exec(intent.value.trim())?.[1]
    return path === undefined || path.startsWith("//") ? [] : [path]
  })
  return [...new Set(paths)]
}
