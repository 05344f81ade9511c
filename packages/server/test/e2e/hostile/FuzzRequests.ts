/** Requests out of the HTTP contract, as bytes: whole ones, bent ones and broken ones. One number gives all of them. */
import * as fc from "fast-check"
import { openApiDocument } from "@pawl/server/api"
import { bodyOf, type Ground, latin, oddText, type Schema } from "./FuzzValues.ts"

export type Shape = "whole" | "broken" | "cut"

/** One request on the wire. */
export interface FuzzRequest {
  /** Latin-1: one character is one byte. */
  readonly bytes: string
  readonly method: string
  readonly host: string
  /** `broken`: it may be no request at all, or wait for more. `cut`: the rest of it never comes. */
  readonly shape: Shape
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<string>
  readonly body: Schema | null
}

interface Parameter {
  readonly in: string
  readonly name: string
}

const operations: ReadonlyArray<Operation> = Object.entries(openApiDocument.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => {
    const { parameters = [], requestBody } = operation as {
      readonly parameters?: ReadonlyArray<Parameter>
      readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
    }
    return {
      method: method.toUpperCase(),
      path,
      query: parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name),
      body: requestBody?.content["application/json"]?.schema ?? null
    }
  })
)

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())
/** In a path or query: well encoded, badly encoded, or as bytes that may stand in a request line. */
const inTarget = oddText.chain((text) =>
  fc.constantFrom(
    encoded(text),
    latin(text.toWellFormed()).replaceAll(/[^\x21-\x7e\x80-\xff]|[?#/]/g, ""),
    `${encoded(text)}%`,
    `%c3%28${encoded(text)}`
  )
)

const queryOf = (names: ReadonlyArray<string>): fc.Arbitrary<string> => {
  const name = names.length === 0 ? inTarget : fc.oneof(fc.constantFrom(...names), inTarget)
  const value = fc.oneof(
    inTarget,
    fc.constantFrom("0", "1", "-1", "500", "1e3", "99999999999999999999", "true", "0x10")
  )
  return fc
    .array(fc.tuple(name, value), { maxLength: 3 })
    .map((pairs) => (pairs.length === 0 ? "" : `?${pairs.map(([key, each]) => `${key}=${each}`).join("&")}`))
}

const destroys = (operation: Operation): boolean =>
  operation.method === "DELETE" || operation.path.endsWith("/members") || operation.path.endsWith("/cancel")

const targetOf = (operation: Operation, ground: Ground): fc.Arbitrary<string> => {
  const ids = destroys(operation) ? ground.doomed : ground.ids
  const own = ids[operation.path.split("/")[2] ?? ""]
  const id = fc.oneof(
    { weight: own === undefined ? 0 : 8, arbitrary: fc.constant(own ?? "") },
    { weight: 1, arbitrary: fc.constantFrom(...Object.values(ids)) },
    { weight: 2, arbitrary: inTarget },
    { weight: 1, arbitrary: fc.constantFrom("proj_00000000-0000-4000-8000-000000000009", "..", "%2e%2e", "a%2Fb", "") }
  )
  return fc
    .tuple(id, queryOf(operation.query))
    .map(([each, query]) => `${operation.path.replace("{id}", each)}${query}`)
}

const headerValue = oddText.map((text) => latin(text.toWellFormed()).replaceAll(/[\r\n\0]/g, ""))
const oddHeader: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  fc.tuple(
    fc.constantFrom(
      "Accept",
      "Accept-Encoding",
      "Content-Type",
      "Cookie",
      "If-None-Match",
      "If-Modified-Since",
      "Last-Event-ID",
      "Origin",
      "Range",
      "Traceparent",
      "X-Forwarded-For",
      "X-Forwarded-Host",
      "X-Request-Id",
      "X-User-Id",
      "Sec-Fetch-Mode",
      "Authorization"
    ),
    headerValue
  ),
  fc.constantFrom(
    ["Accept", "text/event-stream"] as const,
    ["Accept", "text/html"] as const,
    ["Content-Type", "multipart/form-data; boundary=x"] as const,
    ["Content-Type", "text/plain; charset=utf-16"] as const,
    ["Content-Encoding", "gzip"] as const,
    ["Range", "bytes=0-,5-"] as const,
    ["Range", "bytes=-99999999999999999999"] as const,
    ["If-None-Match", "*"] as const,
    ["Cookie", `rba_a=1; __session=2; ${"c=1; ".repeat(500)}`] as const,
    ["Authorization", "Bearer pawl_wrong"] as const,
    ["Authorization", "Basic ="] as const,
    ["Upgrade", "websocket"] as const,
    ["Expect", "100-continue"] as const,
    ["Expect", "a-miracle"] as const,
    ["X-Big", "y".repeat(20_000)] as const
  )
)

interface Draft {
  readonly method: string
  readonly target: string
  readonly host: string
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: string | null
  readonly chunked: boolean
}

/** The bytes of a draft. A field that is given twice stands twice, except those that a server must refuse to see twice. */
const written = ({ body, chunked, headers, host, method, target }: Draft): string => {
  const lines = [`${method} ${target} HTTP/1.1`, `Host: ${host}`]
  for (const [name, value] of headers) lines.push(`${name}: ${value}`)
  if (body === null) return `${lines.join("\r\n")}\r\n\r\n`
  if (!chunked) return `${lines.join("\r\n")}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const half = Math.ceil(body.length / 2)
  const chunks = [body.slice(0, half), body.slice(half)].filter((chunk) => chunk !== "")
  const framed = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("")
  return `${lines.join("\r\n")}\r\nTransfer-Encoding: chunked\r\n\r\n${framed}0\r\n\r\n`
}

/** Without DELETE: what the requests need must stay. */
const otherMethod = fc.constantFrom(
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "OPTIONS",
  "PROPFIND",
  "PURGE",
  "QUERY",
  "M-SEARCH",
  "TRACE"
)
const sometimes = <A>(usual: A, arbitrary: fc.Arbitrary<A>): fc.Arbitrary<A> =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary })

const apiDraft = (ground: Ground): fc.Arbitrary<Draft> => {
  const host = `localhost:${ground.port}`
  const ownHeaders = [
    ["Authorization", `Bearer ${ground.token}`],
    ["Content-Type", "application/json"]
  ] as const
  return fc.constantFrom(...operations).chain((operation) =>
    fc.record({
      method: sometimes(operation.method, otherMethod),
      target: targetOf(operation, ground),
      host: fc.constant(host),
      headers: fc
        .tuple(fc.integer({ min: 0, max: 15 }), fc.array(oddHeader, { maxLength: 2 }))
        .map(([known, odd]) => [...(known === 0 ? [] : ownHeaders), ...odd]),
      body:
        operation.method === "GET" || operation.method === "DELETE"
          ? sometimes<string | null>(null, bodyOf(operation.body, ground))
          : bodyOf(operation.body, ground),
      chunked: sometimes(false, fc.constant(true))
    })
  )
}

/** Paths that no contract names: the documents, git over HTTP, and nonsense. */
const strayDraft = (ground: Ground): fc.Arbitrary<Draft> => {
  const id = fc.constantFrom(...Object.values(ground.ids))
  const target = fc.oneof(
    fc.constantFrom(
      "/",
      "/docs",
      "/openapi.json",
      "/health",
      "/metrics",
      "/v1",
      "/v1/",
      "//v1/me",
      "/v1/%6de",
      "/favicon.ico"
    ),
    fc
      .tuple(
        id,
        fc.constantFrom(
          "/info/refs?service=git-upload-pack",
          "/info/refs?service=git-receive-pack",
          "/info/refs",
          "/git-upload-pack",
          "/git-receive-pack",
          "/HEAD",
          "/objects/info/packs",
          "/../../etc/passwd"
        )
      )
      .map(([each, rest]) => `/git/${each}.git${rest}`),
    inTarget.map((text) => `/${text}`),
    inTarget.map((text) => `/git/${text}.git/info/refs?service=git-upload-pack`),
    fc.constantFrom(3000, 5000, 20_000).map((times) => `/v1/${"a/".repeat(times)}`)
  )
  return fc.record({
    method: otherMethod,
    target,
    host: fc.constant(`localhost:${ground.port}`),
    headers: fc.array(fc.oneof(oddHeader, fc.constant(["Authorization", `Bearer ${ground.token}`] as const)), {
      maxLength: 3
    }),
    body: fc.oneof(
      fc.constant(null),
      fc.constantFrom("0000", "0032want 0000000000000000000000000000000000000000\n", "{}")
    ),
    chunked: fc.boolean()
  })
}

const appDraft = (ground: Ground): fc.Arbitrary<Draft> => {
  const { appsDomain, label, port } = ground
  return fc.record({
    method: sometimes("GET", otherMethod),
    target: fc
      .tuple(
        fc.oneof(
          inTarget,
          fc.constantFrom("", "hello.txt", "__service/x", "..%2f..%2fetc", "a//b", "hello.txt/", "HELLO.TXT")
        ),
        queryOf(["a"])
      )
      .map(([path, query]) => `/${path}${query}`),
    host: fc.oneof(
      { weight: 6, arbitrary: fc.constant(`${label}.${appsDomain}:${port}`) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          `v0000000--${label}.${appsDomain}`,
          `0123abcd--${label}.${appsDomain}`,
          appsDomain,
          `a--b.${appsDomain}`,
          `nobody.${appsDomain}`,
          `.${appsDomain}`,
          `${label}.${appsDomain}.`,
          `${label.toUpperCase()}.${appsDomain}`,
          `${label}.${appsDomain}:99999`,
          `[::1]`,
          `${label}.${appsDomain}@evil.example`
        )
      },
      { weight: 1, arbitrary: inTarget.map((text) => `${text}.${appsDomain}`) }
    ),
    headers: fc.array(oddHeader, { maxLength: 3 }),
    body: fc.oneof(fc.constant(null), headerValue, fc.constant("z".repeat(70_000))),
    chunked: fc.boolean()
  })
}

/** What is wrong with a request's own shape: bytes cut off, put in or changed anywhere. */
const broken = (bytes: string, at: number, kind: number, junk: string): string => {
  const place = at % Math.max(1, Math.min(bytes.length, 600))
  if (kind === 0) return bytes.slice(0, place)
  if (kind === 1) return bytes.slice(0, place) + junk + bytes.slice(place)
  if (kind === 2) return bytes.slice(0, place) + junk + bytes.slice(place + junk.length)
  return bytes.replace("\r\n", `\r\n${junk}: ${junk}\r\n`)
}

const junk = fc.constantFrom(
  "\x00",
  "\r",
  "\n",
  "\r\n",
  "\r\n\r\n",
  " ",
  ":",
  "\xff",
  "Content-Length: 5\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Host: evil\r\n",
  "HTTP/9.9",
  "\t"
)

const requests = (ground: Ground): fc.Arbitrary<FuzzRequest> =>
  fc
    .tuple(
      fc.oneof(
        { weight: 12, arbitrary: apiDraft(ground) },
        { weight: 3, arbitrary: appDraft(ground) },
        { weight: 1, arbitrary: strayDraft(ground) }
      ),
      fc.integer({ min: 0, max: 19 }),
      fc.tuple(fc.nat({ max: 100_000 }), fc.integer({ min: 0, max: 3 }), junk)
    )
    .map(([draft, luck, [at, kind, what]]) => {
      const bytes = written(draft)
      const { host, method } = draft
      if (luck > 0) return { bytes, method, host, shape: "whole" }
      return { bytes: broken(bytes, at, kind, what), method, host, shape: kind === 0 ? "cut" : "broken" }
    })

/** As many requests as are asked for, a chunk at a time; the same for the same seed and ground. */
export function* requestsOf(ground: Ground, seed: number, count: number): Generator<FuzzRequest> {
  const arbitrary = requests(ground)
  const chunk = 250
  for (let from = 0; from < count; from += chunk)
    yield* fc.sample(arbitrary, { seed: seed * 1_000_003 + from, numRuns: Math.min(chunk, count - from) })
}
