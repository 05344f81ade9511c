/** Requests that two servers could read in two ways, and what must become of each. Sent as bytes, to a real server. */

export interface SmugglingCase {
  readonly name: string
  /** Sent before a whole second request on the same connection. `@@` stands for the number of this case. */
  readonly bytes: string
  /** The statuses that come back, in order. The last is the second request's, unless the connection was closed. */
  readonly statuses: ReadonlyArray<number>
  /** What the app was asked, in any order. `next` is the second request. */
  readonly seen: ReadonlyArray<string>
}

export const appHost = "echo.apps.localhost"
const host = `Host: ${appHost}\r\n`

/** One answer, the connection closed, the app never asked. */
const refused = (status: number, name: string, bytes: string): SmugglingCase => ({
  name,
  bytes,
  statuses: [status],
  seen: []
})
/** Answered without the app; the connection goes on. */
const turnedAway = (status: number, name: string, bytes: string): SmugglingCase => ({
  name,
  bytes,
  statuses: [status, 200],
  seen: ["GET next"]
})
/** One request as meant, then the next. */
const taken = (name: string, bytes: string, what: string): SmugglingCase => ({
  name,
  bytes,
  statuses: [200, 200],
  seen: [what, "GET next"]
})
/** The body breaks off under the reading app: the connection ends, and nothing else is read from it. */
const brokenOff = (name: string, bytes: string): SmugglingCase => ({
  name,
  bytes,
  statuses: [400],
  seen: []
})

const get = (fields: string, target = "/c@@/first", version = "HTTP/1.1") => `GET ${target} ${version}\r\n${fields}\r\n`
const post = (fields: string, body: string) => `POST /c@@/first HTTP/1.1\r\n${host}${fields}\r\n${body}`
const chunked = (body: string) => post("Transfer-Encoding: chunked\r\n", body)
const shadow = `GET /c@@/shadow HTTP/1.1\r\n${host}\r\n`

const lengths: ReadonlyArray<SmugglingCase> = [
  refused(
    400,
    "Content-Length, then Transfer-Encoding",
    post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", `0\r\n\r\n${shadow}`)
  ),
  refused(
    400,
    "Transfer-Encoding, then Content-Length",
    post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", `0\r\n\r\n${shadow}`)
  ),
  refused(400, "two lengths", post("Content-Length: 5\r\nContent-Length: 0\r\n", "abcde")),
  refused(400, "two equal lengths", post("Content-Length: 5\r\nContent-Length: 5\r\n", "abcde")),
  refused(400, "a list of lengths", post("Content-Length: 5, 5\r\n", "abcde")),
  refused(400, "a signed length", post("Content-Length: +5\r\n", "abcde")),
  refused(400, "a negative length", post("Content-Length: -5\r\n", "abcde")),
  refused(400, "a hexadecimal length", post("Content-Length: 0x5\r\n", "abcde")),
  refused(400, "a length with a blank inside", post("Content-Length: 5 5\r\n", "abcde")),
  refused(400, "an empty length", post("Content-Length: \r\n", "abcde")),
  refused(400, "a length beyond all numbers", post("Content-Length: 18446744073709551621\r\n", "abcde")),
  taken(
    "a length of a GET",
    `GET /c@@/first HTTP/1.1\r\n${host}Content-Length: ${shadow.length}\r\n\r\n${shadow}`,
    "GET first"
  ),
  {
    name: "a body that is longer than its length",
    bytes: post("Content-Length: 2\r\n", "abGARBAGE\r\n\r\n"),
    statuses: [200, 400],
    seen: ["POST first ab"]
  }
]

const codings: ReadonlyArray<SmugglingCase> = [
  refused(400, "a blank before the colon of the coding", post("Transfer-Encoding : chunked\r\n", `0\r\n\r\n${shadow}`)),
  refused(501, "an unknown coding", post("Transfer-Encoding: xchunked\r\n", `0\r\n\r\n${shadow}`)),
  refused(400, "chunked, then identity", post("Transfer-Encoding: chunked, identity\r\n", `0\r\n\r\n${shadow}`)),
  refused(501, "identity, then chunked", post("Transfer-Encoding: identity, chunked\r\n", "0\r\n\r\n")),
  refused(501, "gzip, then chunked", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n")),
  refused(
    400,
    "two codings",
    post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", `0\r\n\r\n${shadow}`)
  ),
  refused(400, "a coding with a control character", post("Transfer-Encoding: \x0bchunked\r\n", `0\r\n\r\n${shadow}`)),
  refused(501, "a quoted coding", post('Transfer-Encoding: "chunked"\r\n', `0\r\n\r\n${shadow}`)),
  refused(
    400,
    "a coding in HTTP/1.0",
    `POST /c@@/first HTTP/1.0\r\n${host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n${shadow}`
  ),
  taken(
    "a coding in capitals, after a tab",
    post("Transfer-Encoding:\tCHUNKED\r\n", "3\r\nabc\r\n0\r\n\r\n"),
    "POST first abc"
  ),
  taken("a chunk with an extension", chunked("3;a=b\r\nabc\r\n0\r\n\r\n"), "POST first abc"),
  taken("a trailer", chunked("3\r\nabc\r\n0\r\nX-Trailer: 1\r\n\r\n"), "POST first abc"),
  brokenOff(
    "a trailer that names a host, a length and a cookie",
    chunked("3\r\nabc\r\n0\r\nHost: evil.example\r\nContent-Length: 9\r\nCookie: rba_a=1\r\n\r\n")
  ),
  brokenOff("a chunk of a size beyond all numbers", chunked(`FFFFFFFFFFFFFFFFF\r\nabc\r\n0\r\n\r\n${shadow}`)),
  brokenOff("a chunk of a prefixed size", chunked(`0x3\r\nabc\r\n0\r\n\r\n${shadow}`)),
  brokenOff("a chunk of a negative size", chunked(`-3\r\nabc\r\n0\r\n\r\n${shadow}`)),
  brokenOff("a chunk that is longer than its size", chunked(`2\r\nabc\r\n0\r\n\r\n${shadow}`)),
  brokenOff("a chunk whose size ends in a bare line feed", chunked(`3\nabc\r\n0\r\n\r\n${shadow}`)),
  brokenOff("a chunk extension with a bare line feed", chunked(`3;a\nb\r\nabc\r\n0\r\n\r\n${shadow}`)),
  {
    ...brokenOff("chunk extensions without end", chunked(`3;${"a".repeat(20_000)}\r\nabc\r\n0\r\n\r\n${shadow}`)),
    statuses: [413]
  }
]

const fields: ReadonlyArray<SmugglingCase> = [
  refused(400, "line feeds alone", `GET /c@@/first HTTP/1.1\nHost: ${appHost}\n\n`),
  refused(400, "a line feed alone after a header", get(`${host}X-A: 1\nX-B: 2\r\n`)),
  refused(400, "a carriage return alone inside a header", get(`${host}X-A: 1\rX-B: 2\r\n`)),
  refused(400, "a folded header", get(`${host}X-A: 1\r\n 2\r\n`)),
  refused(400, "a folded first header", get(` ${host}`)),
  refused(400, "a NUL in a value", get(`${host}X-A: \0\r\n`)),
  refused(400, "a NUL in a name", get(`${host}X-\0A: 1\r\n`)),
  refused(400, "a header without a colon", get(`${host}X-A\r\n`)),
  refused(400, "a header without a name", get(`${host}: 1\r\n`)),
  refused(400, "a blank before a colon", get(`${host}X-A : 1\r\n`)),
  refused(400, "a name outside ASCII", get(`${host}X-\xc3: 1\r\n`)),
  refused(431, "one header without end", get(`${host}X-A: ${"a".repeat(20_000)}\r\n`)),
  refused(431, "headers without end", get(`${host}${`X-A: ${"1".repeat(100)}\r\n`.repeat(400)}`)),
  refused(431, "cookies without end", get(`${host}${`Cookie: rba_a=${"1".repeat(1000)}\r\n`.repeat(20)}`)),
  taken(
    "a host and cookies named as of the connection",
    get(`${host}Cookie: rba_a=1\r\nConnection: host, cookie, x-forwarded-for\r\n`),
    "GET first a=1"
  ),
  {
    name: "an internal header of any spelling",
    bytes: get(
      `${host}X-Pawl-Outcome: x\r\nx_pawl_cf: {}\r\nCf-Access-Jwt-Assertion: x\r\nX_Forwarded_For: 6.6.6.6\r\nX-Forwarded-For: 6.6.6.6\r\nForwarded: for=6.6.6.6\r\nCF-Connecting-IP: 6.6.6.6\r\n`,
      "/c@@/internal"
    ),
    statuses: [200, 200],
    seen: [
      "GET internal cf-connecting-ip=127.0.0.1,host,x-forwarded-for=127.0.0.1,x-forwarded-host,x-forwarded-proto=http",
      "GET next"
    ]
  }
]

const lines: ReadonlyArray<SmugglingCase> = [
  refused(400, "HTTP/0.9", "GET /c@@/first\r\n"),
  refused(400, "an unknown version", get(host, "/c@@/first", "HTTP/3.7")),
  refused(400, "HTTP/2 without being asked", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  refused(400, "a version in small letters", get(host, "/c@@/first", "http/1.1")),
  refused(400, "a blank in the target", get(host, "/c@@/first HTTP/1.1 x")),
  refused(400, "an unknown method", `PWN /c@@/first HTTP/1.1\r\n${host}\r\n`),
  refused(501, "a method that no app could be asked with", `UNLINK /c@@/first HTTP/1.1\r\n${host}\r\n`),
  refused(405, "TRACE", `TRACE /c@@/first HTTP/1.1\r\n${host}\r\n`),
  refused(405, "CONNECT", `CONNECT ${appHost}:443 HTTP/1.1\r\n${host}\r\n`),
  refused(414, "a long target", get(host, `/c@@/${"a".repeat(9000)}`)),
  refused(414, "a target without end", get(host, `/c@@/${"a".repeat(40_000)}`)),
  taken("empty lines before a request", `\r\n\r\n${get(host)}`, "GET first"),
  {
    name: "HTTP/1.0, which ends after its answer",
    bytes: get(host, "/c@@/first", "HTTP/1.0"),
    statuses: [200],
    seen: ["GET first"]
  },
  taken("HTTP/1.0 that asks to go on", get(`${host}Connection: keep-alive\r\n`, "/c@@/first", "HTTP/1.0"), "GET first")
]

const hosts: ReadonlyArray<SmugglingCase> = [
  refused(400, "two hosts", get(`${host}Host: evil.example\r\n`)),
  refused(400, "two equal hosts", get(`${host}${host}`)),
  refused(400, "the API's host, then an app's", get(`Host: localhost\r\n${host}`)),
  refused(400, "no host", get("")),
  refused(400, "no host in HTTP/1.0", get("", "/c@@/first", "HTTP/1.0")),
  refused(400, "an empty host", get("Host:\r\n")),
  refused(400, "a target of another host", get(host, "http://evil.example/c@@/first")),
  refused(400, "a target with somebody's name in it", get(host, `http://x@${appHost}/c@@/first`)),
  refused(400, "a target of another scheme", get(host, `ftp://${appHost}/c@@/first`)),
  refused(400, "a target that is no path", `OPTIONS * HTTP/1.1\r\n${host}\r\n`),
  refused(400, "the API's target from an app's host", get(host, "http://localhost/v1/me")),
  refused(400, "an app's target from the API's host", get("Host: localhost\r\n", `http://${appHost}/c@@/first`)),
  taken("a target of the very host", get(host, `http://${appHost}/c@@/first`), "GET first"),
  turnedAway(421, "a host with a path", get(`Host: ${appHost}/x\r\n`)),
  turnedAway(404, "a host with somebody's name in it", get(`Host: x@${appHost}\r\n`)),
  turnedAway(421, "a list of hosts", get(`Host: ${appHost}, evil.example\r\n`)),
  turnedAway(421, "a host with a port that is none", get(`Host: ${appHost}:x\r\n`)),
  turnedAway(404, "a host with a NUL written out", get(`Host: %00${appHost}\r\n`))
]

const exchanges: ReadonlyArray<SmugglingCase> = [
  refused(417, "an expectation that nobody can meet", post("Expect: a-miracle\r\nContent-Length: 0\r\n", "")),
  refused(
    501,
    "an upgrade to WebSocket",
    get(
      `${host}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n`
    )
  ),
  refused(
    501,
    "an upgrade to WebSocket behind one to HTTP/2",
    get(`${host}Connection: Upgrade\r\nUpgrade: h2c, websocket\r\n`)
  ),
  {
    name: "an answer before the upload was read",
    bytes: `POST /__service/x HTTP/1.1\r\n${host}Content-Length: 200000\r\n\r\n${shadow.padEnd(200_000, "x")}`,
    statuses: [404, 200],
    seen: ["GET next"]
  },
  {
    name: "requests in a row",
    bytes: ["a", "b", "c", "d"].map((name) => get(host, `/c@@/${name}`)).join(""),
    statuses: [200, 200, 200, 200, 200],
    seen: ["GET a", "GET b", "GET c", "GET d", "GET next"]
  },
  {
    name: "a malformed request behind a good one",
    bytes: `${get(host)}GET /c@@/shadow HTTP/1.1\r\nHost : ${appHost}\r\n\r\n`,
    statuses: [200, 400],
    seen: ["GET first"]
  },
  taken("a HEAD whose app answers with a body", `HEAD /c@@/first HTTP/1.1\r\n${host}\r\n`, "HEAD first"),
  taken("an app that writes framing of its own", get(host, "/c@@/framing"), "GET framing")
]

export const smugglingCases: ReadonlyArray<SmugglingCase> = [
  ...lengths,
  ...codings,
  ...fields,
  ...lines,
  ...hosts,
  ...exchanges
]
