/** What a visitor reads when there is no app to answer: plain HTML, no script, nothing from elsewhere, not for indexes. */
import type { AppOverLimit, AppResponse, Headers } from "@pawl/core/app/AppRuntime"
import type { AppOutcome } from "@pawl/core/telemetry/Meters"
import { BytesBody } from "./Body.ts"

interface Page {
  readonly status: number
  readonly title: string
  readonly words: ReadonlyArray<string>
  /** The page asks the browser to look again after so many seconds, and says so. */
  readonly refreshSeconds?: number
  readonly again?: string
}

const pages = {
  noApp: {
    status: 404,
    title: "There is no app here",
    words: [
      "No app answers at this address.",
      "Look for a typing error in the address, or ask whoever sent you the link. A new app appears here when it is first released."
    ]
  },
  noPath: {
    status: 404,
    title: "Page not found",
    words: ["This app has nothing at this address."]
  },
  removed: {
    status: 410,
    title: "This app was removed",
    words: [
      "The app, or the preview of it that lived here, has been taken down on purpose.",
      "A link to it can be deleted."
    ]
  },
  building: {
    status: 503,
    title: "This app is being built",
    words: ["Its first version is on the way."],
    again: "This page looks again every few seconds.",
    refreshSeconds: 3
  },
  buildFailed: {
    status: 503,
    title: "This app is not ready",
    words: [
      "Its build failed, and no earlier version can stand in.",
      "Whoever works on it finds the reason in the project."
    ],
    again: "This page looks again every half minute.",
    refreshSeconds: 30
  },
  limitReached: {
    status: 503,
    title: "This app waits for its build",
    words: [
      "Today's number of builds has been used up, and no earlier version can stand in.",
      "Whoever works on it can deploy it again tomorrow, or when the limit is raised."
    ],
    again: "This page looks again every minute.",
    refreshSeconds: 60
  },
  threw: {
    status: 502,
    title: "The app made an error",
    words: [
      "It started to work on this request and failed. Nothing is wrong with your connection.",
      "Try again; if it stays like this, tell whoever works on the app."
    ]
  },
  overLimit: {
    status: 503,
    title: "The app took too much",
    words: [
      "It used more time or resources than an app may, or too many ask for it at once, and was stopped.",
      "If it stays like this, tell whoever works on the app."
    ],
    again: "This page looks again in a moment.",
    refreshSeconds: 5
  },
  notVerified: {
    status: 503,
    title: "This app is not verified",
    words: [
      "What stands here now cannot be shown to be what was checked and released, so it is not served.",
      "Whoever runs this service finds the reason in its log."
    ],
    again: "This page looks again every half minute.",
    refreshSeconds: 30
  },
  unavailable: {
    status: 503,
    title: "Back in a moment",
    words: ["The app cannot be reached just now. Nothing is wrong with your connection."],
    again: "This page looks again in a few seconds.",
    refreshSeconds: 5
  }
} as const satisfies Record<string, Page>

/** The name of a page, which also settles its status. */
export type PageName = keyof typeof pages

/** What a page is made for. */
export interface PageRequest {
  readonly method: string
  /** The host as the visitor sees it; shown on the page. */
  readonly host?: string
  /** In the place of the page's own seconds. */
  readonly retryAfterSeconds?: number
  /** Which bound stopped the app: it is counted by it. */
  readonly limit?: AppOverLimit["limit"]
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)

/** Its hash stands in the policy below: nothing else may style a page, and nothing at all may run on it. */
export const style = `:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:#f6f5f2;color:#23211d;font:1.0625rem/1.6 system-ui,sans-serif}
main{max-width:34rem;padding:2rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 1rem}
p{margin:0 0 .75rem}
small{display:block;margin-top:1.5rem;font:.9rem ui-monospace,monospace;opacity:.65;overflow-wrap:anywhere}
@media (prefers-color-scheme:dark){body{background:#191816;color:#e9e6df}}`

/** Of `style`, as a policy names it. A test computes it anew. */
export const styleHash = "sha256-y8zU4V57yMq6/vJFSM3O3fvqumGFsXjWhPTyT+J77L4="

const policy = `default-src 'none'; style-src '${styleHash}'; base-uri 'none'; form-action 'none'`

/** What helps whoever is told of it: the address and the status. */
const facts = (page: Page, { host }: PageRequest): string =>
  `<small>${[...(host === undefined ? [] : [escaped(host)]), String(page.status)].join(" &middot; ")}</small>`

const html = (page: Page, request: PageRequest, refreshSeconds: number | undefined): string => {
  const again = refreshSeconds === undefined || page.again === undefined ? [] : [page.again]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${refreshSeconds === undefined ? "" : `<meta http-equiv="refresh" content="${refreshSeconds}">\n`}<title>${page.title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${page.title}</h1>
${[...page.words, ...again].map((words) => `<p>${words}</p>`).join("\n")}
${facts(page, request)}
</main>
</body>
</html>
`
}

const encoder = new TextEncoder()

const outcomes: Readonly<Partial<Record<PageName, AppOutcome>>> = { threw: "threw", unavailable: "unavailable" }

interface PageResponse extends AppResponse {
  /** As what it is counted. */
  readonly outcome: AppOutcome
}

/** As what a response is counted: a page says it, everything else is the app's own. */
export const outcomeOf = (response: AppResponse | PageResponse): AppOutcome =>
  "outcome" in response ? response.outcome : "ok"

/** The response of a page. A HEAD has the length, not the body; only what is safe to repeat is asked to refresh. */
export const page = (name: PageName, request: PageRequest): PageResponse => {
  const chosen: Page = pages[name]
  const seconds =
    request.retryAfterSeconds === undefined ? chosen.refreshSeconds : Math.max(1, Math.ceil(request.retryAfterSeconds))
  const safe = request.method === "GET" || request.method === "HEAD"
  const bytes = encoder.encode(html(chosen, request, safe ? seconds : undefined))
  const headers: Headers = [
    ["content-type", "text/html; charset=utf-8"],
    ["content-length", String(bytes.length)],
    ["cache-control", "no-store"],
    ["x-robots-tag", "noindex"],
    ["x-content-type-options", "nosniff"],
    ["referrer-policy", "no-referrer"],
    ["content-security-policy", policy],
    ...(seconds === undefined ? [] : [["retry-after", String(seconds)] as const])
  ]
  return {
    status: chosen.status,
    headers,
    body: request.method === "HEAD" ? null : new BytesBody(bytes),
    outcome: request.limit ?? outcomes[name] ?? "page"
  }
}
