/** Registries that lie, hang and mislead. What is asked of them is `evil@1.0.0`. */
import type { ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import type { Misbehaviour, RegistryRequest } from "@pawl/testing/registry/LittleRegistry"
import type { RegistryTimes } from "@pawl/adapters-local/packages/RegistryQuestion"

/** One way for a registry to misbehave. */
export interface HostileRegistry {
  /** As it goes on after "a registry". */
  readonly title: string
  readonly misbehaves: Misbehaviour
  /** The words for programs when it is refused for good; null when it is to be tried again. */
  readonly code: string | null
  /** What the words for people say beside the package. */
  readonly says: RegExp
  /** What is only seen by waiting is seen by this bound alone: beside others, a busy machine chooses which is broken first. */
  readonly waits?: Partial<RegistryTimes>
}

type Answer = (response: ServerResponse, request: RegistryRequest) => void

const always =
  (answer: Answer): Misbehaviour =>
  (request, response) => {
    answer(response, request)
    return true
  }

/** Answers every question for an archive, and leaves the others to the registry. */
const archives =
  (answer: Answer): Misbehaviour =>
  (request, response) => {
    const isArchive = request.path.endsWith(".tgz")
    if (isArchive) answer(response, request)
    return isArchive
  }

/** Has no archive where npm looks, and this packument. */
const described =
  (packument: string | Uint8Array): Misbehaviour =>
  (request, response) => {
    if (request.path === "/evil") response.writeHead(200).end(packument)
    else response.writeHead(404).end()
    return true
  }

const pointing = (tarball: unknown) =>
  described(JSON.stringify({ name: "evil", versions: { "1.0.0": { dist: { tarball } } } }))

const statuses: ReadonlyArray<HostileRegistry> = (
  [
    [500, /answers with status 500/],
    [503, /answers with status 503/],
    [429, /answers with status 429/],
    [408, /answers with status 408/],
    [204, /answers with status 204/],
    [206, /answers with status 206/],
    [304, /answers with status 304/],
    [300, /answers with status 300/],
    [999, /answers with status 999/],
    [401, /asks for no credentials/],
    [403, /asks for no credentials/]
  ] as const
).map(([status, says]) => ({
  title: `that answers with status ${status}${status === 304 ? ", which nobody asked for," : ""}`,
  misbehaves: always((response) => void response.writeHead(status).end()),
  code: null,
  says
}))

const missing: ReadonlyArray<HostileRegistry> = [
  ...([404, 410, 451, 400] as const).map((status) => ({
    title: `that answers with status ${status}`,
    misbehaves: always((response) => void response.writeHead(status).end()),
    code: "package_missing",
    says: status === 404 || status === 410 ? /does not know the package/ : /refuses it with status/
  })),
  {
    title: "that knows the package and not the version",
    misbehaves: described(JSON.stringify({ name: "evil", versions: { "1.0.1": {} } })),
    code: "package_missing",
    says: /does not know this version/
  },
  {
    title: "that knows the version by a prototype alone",
    misbehaves: described(`{"name":"evil","versions":{"__proto__":{"1.0.0":{"dist":{"tarball":"/x.tgz"}}}}}`),
    code: "package_missing",
    says: /does not know this version/
  },
  {
    title: "that says that an archive is a file of this machine",
    misbehaves: pointing("file:///etc/passwd"),
    code: "package_missing",
    says: /does not know this version/
  },
  {
    title: "that says that an archive is a number",
    misbehaves: pointing(7),
    code: "package_missing",
    says: /does not know this version/
  },
  {
    title: "that says that an archive is where clouds keep credentials, and is asked itself instead",
    misbehaves: pointing("http://169.254.169.254/latest/meta-data/"),
    code: "package_missing",
    says: /has no archive of it/
  }
]

const unreadable: ReadonlyArray<HostileRegistry> = (
  [
    ["that describes a package with a page", "<!doctype html>", /is not JSON/],
    ["that describes a package with a list", "[]", /is not an object/],
    ["that describes a package with nothing", "", /is not JSON/],
    ["that describes a package deeper than anybody reads", `{"x":${"[".repeat(200_000)}`, /goes deeper/]
  ] as const
).map(([title, packument, says]) => ({ title, misbehaves: described(packument), code: null, says }))

/** Where no answer may lead. The port of the registry is not in them. */
const places: ReadonlyArray<readonly [string, string]> = [
  ["to this machine by another port", "http://127.0.0.1:1/x.tgz"],
  ["to this machine by its name", "http://localhost:1/x.tgz"],
  ["to this machine by one number", "http://2130706433:1/x.tgz"],
  ["to this machine by a hexadecimal number", "http://0x7f000001:1/x.tgz"],
  ["to this machine by IPv6", "http://[::1]:1/x.tgz"],
  ["to this machine by IPv4 in IPv6", "http://[::ffff:127.0.0.1]:1/x.tgz"],
  ["to where every machine is itself", "http://0.0.0.0:1/x.tgz"],
  ["to the machine's network", "http://10.0.0.1/x.tgz"],
  ["to a name of the machine's network", "http://registry.internal/x.tgz"],
  ["to where clouds keep credentials", "http://169.254.169.254/latest/meta-data/"],
  ["to a file", "file:///etc/passwd"],
  ["to another protocol", "ftp://example.com/x.tgz"],
  ["to data", "data:application/octet-stream;base64,AAAA"],
  ["to a script", "javascript:alert(1)"],
  ["to a place with a password", "https://me:secret@example.com/x.tgz"],
  ["to no address", "http://["]
]

const redirects: ReadonlyArray<HostileRegistry> = [
  ...places.map(([title, location]) => ({
    title: `that leads ${title}`,
    misbehaves: always((response) => void response.writeHead(302, { location }).end()),
    code: "package_address",
    says: /the registry leads/
  })),
  {
    title: "that leads in a circle",
    misbehaves: always((response) => void response.writeHead(301, { location: "?again" }).end()),
    code: "package_address",
    says: /leads on more than 3 times/
  },
  {
    title: "that leads ever deeper into itself",
    misbehaves: always((response) => void response.writeHead(308, { location: "deeper/x.tgz" }).end()),
    code: "package_address",
    says: /leads on more than 3 times/
  }
]

const cuts: ReadonlyArray<HostileRegistry> = [
  {
    title: "that closes without a word",
    misbehaves: always((response) => response.destroy()),
    code: null,
    says: /broke off/
  },
  {
    title: "that breaks off in the middle",
    misbehaves: archives((response) => {
      response.writeHead(200, { "content-length": "1000" })
      response.write("half", () => response.destroy())
    }),
    code: null,
    says: /broke off/
  },
  {
    title: "that breaks off without having said how long its answer is",
    misbehaves: archives((response) => {
      response.writeHead(200)
      response.write("half", () => response.destroy())
    }),
    code: null,
    says: /broke off/
  },
  {
    title: "that speaks something else than HTTP",
    misbehaves: always((response) => void response.socket?.end("SSH-2.0-registry\r\n")),
    code: null,
    says: /broke off/
  },
  {
    title: "that says two lengths",
    misbehaves: always(
      (response) => void response.socket?.end("HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 400\r\n\r\nbody")
    ),
    code: null,
    says: /broke off/
  },
  {
    title: "whose headers have no end",
    misbehaves: always((response) => {
      const line = `x: ${"y".repeat(1000)}\r\n`
      response.socket?.write(`HTTP/1.1 200 OK\r\n${line.repeat(100)}`)
    }),
    code: null,
    says: /broke off/
  },
  {
    title: "that says it is packed and is not",
    misbehaves: archives((response) => void response.writeHead(200, { "content-encoding": "gzip" }).end("plain")),
    code: null,
    says: /cannot be unpacked/
  },
  {
    title: "that packs twice over",
    misbehaves: archives(
      (response) => void response.writeHead(200, { "content-encoding": "gzip, gzip" }).end(gzipSync(gzipSync("x")))
    ),
    code: null,
    says: /an encoding that nobody asked for/
  },
  {
    title: "that packs in a way of its own",
    misbehaves: archives((response) => void response.writeHead(200, { "content-encoding": "br" }).end("x")),
    code: null,
    says: /an encoding that nobody asked for/
  }
]

const floods: ReadonlyArray<HostileRegistry> = [
  {
    title: "that promises terabytes",
    misbehaves: archives((response) => {
      response.writeHead(200, { "content-length": "9999999999999" })
      response.write("x")
    }),
    code: "package_too_big",
    says: /answers with more than \d+ bytes/
  },
  {
    title: "that answers with gigabytes",
    misbehaves: archives((response) => {
      response.writeHead(200)
      const piece = Buffer.alloc(1024 * 1024)
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once("drain", more)
      }
      more()
    }),
    code: "package_too_big",
    says: /answers with more than \d+ bytes/
  },
  {
    title: "that answers with gigabytes, packed",
    misbehaves: archives((response) => {
      const piece = gzipSync(Buffer.alloc(16 * 1024 * 1024))
      response.writeHead(200, { "content-encoding": "gzip" })
      response.end(Buffer.concat(Array.from({ length: 100 }, () => piece)))
    }),
    code: "package_too_big",
    says: /answers with more than \d+ bytes/
  }
]

const delays: ReadonlyArray<HostileRegistry> = [
  {
    title: "that never begins to answer",
    misbehaves: always(() => {}),
    says: /does not begin to answer in time/,
    waits: { firstByteMs: 100 }
  },
  {
    title: "that stops in the middle",
    misbehaves: always((response) => void response.writeHead(200).write("x")),
    says: /stopped in the middle/,
    waits: { pauseMs: 100 }
  },
  {
    title: "that sends a byte at a time",
    misbehaves: always((response) => {
      response.writeHead(200)
      const drip = setInterval(() => void response.write("x"), 10)
      response.on("close", () => clearInterval(drip))
    }),
    says: /takes too long/,
    waits: { wholeMs: 300 }
  },
  {
    title: "that says again and again that it is about to answer",
    misbehaves: always((response) => {
      const soon = setInterval(() => response.writeProcessing(), 10)
      response.on("close", () => clearInterval(soon))
    }),
    says: /does not begin to answer in time/,
    waits: { firstByteMs: 100 }
  }
].map((each) => ({ ...each, code: null }))

/** All of them. */
export const hostileRegistries: ReadonlyArray<HostileRegistry> = [
  ...statuses,
  ...missing,
  ...unreadable,
  ...redirects,
  ...cuts,
  ...floods,
  ...delays
]
