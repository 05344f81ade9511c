/** The server says what to do by the requests that do it. Here they are commands: a person at a terminal has those. Pure. */
import type { Next } from "./user/Refused.ts"

const request = /(GET|POST|PUT|DELETE) (\/v1\/[^\s),]*[^\s),.])( with "retry": true)?/g

const verbs: ReadonlyArray<readonly [RegExp, (id: string) => string, string]> = [
  [
    /^POST \/v1\/changes\/([^/]+)\/candidates$/,
    (id) => `pawl candidate create ${id}`,
    "it is to be planned and checked anew"
  ],
  [/^POST \/v1\/changes\/([^/]+)\/approve$/, (id) => `pawl approve ${id}`, "you may approve"],
  [/^POST \/v1\/changes\/([^/]+)\/cancel$/, (id) => `pawl change cancel ${id}`, "it is not wanted any more"],
  [/^POST \/v1\/candidates\/([^/]+)\/promote$/, (id) => `pawl promote ${id}`, "it is to go live"],
  [/^POST \/v1\/projects\/([^/]+)\/rollback$/, (id) => `pawl rollback --project ${id}`, "it is still to go back"]
]

/** What has no verb of its own is asked of the API. */
const verbOf = (method: string, path: string, retry: string | undefined): Next => {
  for (const [form, command, when] of verbs) {
    const id = form.exec(`${method} ${path}`)?.[1]
    if (id !== undefined) return { command: `${command(id)}${retry === undefined ? "" : " --retry"}`, when }
  }
  return { command: `pawl api ${method} ${path}`, when: "you may" }
}

/** The server's sentence with a command in the place of each request. */
export const inVerbs = (sentence: string): string =>
  sentence.replace(request, (_, method: string, path: string, retry?: string) => verbOf(method, path, retry).command)

/** The commands of a sentence of the server, in its order. */
export const verbsOf = (sentence: string): ReadonlyArray<Next> =>
  [...sentence.matchAll(request)].map(([, method = "", path = "", retry]) => verbOf(method, path, retry))
