/**
 * The configuration that makes a waiting workerd process the host of one app. The app is the process's only worker, and a
 * visitor's request reaches it without a hop. Layouts: `workerd.capnp` of the pinned package.
 */
import type { Bundle } from "@pawl/core/bundle/Bundle"
import { data, encode, one, type Pointed, type Shape, type Struct, structs, text, texts } from "./CapnpMessage.ts"
import { dataModule, entryModule, preludeModule } from "./HostModules.ts"
import type { LoadedBundle } from "@pawl/core/app/LoadedBundle"

/** Set by the configuration on every call to the supervisor: which binding it comes through. */
export const operationHeader = "x-pawl-operation"

const shapes = {
  config: { data: 1, pointers: 6 },
  service: { data: 1, pointers: 2 },
  socket: { data: 2, pointers: 5 },
  designator: { data: 1, pointers: 3 },
  worker: { data: 1, pointers: 16 },
  module: { data: 1, pointers: 3 },
  binding: { data: 1, pointers: 6 },
  wrapped: { data: 0, pointers: 3 },
  external: { data: 1, pointers: 4 },
  network: { data: 0, pointers: 3 },
  http: { data: 1, pointers: 5 },
  header: { data: 0, pointers: 2 },
  extension: { data: 0, pointers: 1 },
  extensionModule: { data: 1, pointers: 2 },
  logging: { data: 1, pointers: 2 }
} as const satisfies Record<string, Shape>

const struct = (
  shape: Shape,
  pointers: Readonly<Record<number, Pointed>>,
  units: ReadonlyArray<number> = []
): Struct => ({ shape, data: units, pointers })

const designator = (name: string): Pointed => one(struct(shapes.designator, { 0: text(name) }))

const serviceKinds = { worker: 1, network: 2, external: 3 } as const
const service = (name: string, kind: keyof typeof serviceKinds, body: Struct): Struct =>
  struct(shapes.service, { 0: text(name), 1: one(body) }, [serviceKinds[kind]])

/** The style in which the whole URL stands in the request line. */
const proxyStyle = 1

/** The supervisor's socket, as the place that one binding's calls go to. */
const supervisor = (operation: "data" | "asset", style: number): Struct => {
  const named = struct(shapes.header, { 0: text(operationHeader), 1: text(operation) })
  const http = struct(shapes.http, { 2: structs(shapes.header, [named]) }, [style])
  // The address is given on the command line.
  return service(operation, "external", struct(shapes.external, { 0: text("unix:unset"), 1: one(http) }))
}

const moduleKinds = { esm: 0, text: 2, data: 3, wasm: 4, json: 5 } as const
const isBinary = (type: keyof typeof moduleKinds): boolean => type === "data" || type === "wasm"
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

const module = (name: string, type: keyof typeof moduleKinds, bytes: Uint8Array): Struct =>
  struct(shapes.module, { 0: text(name), 1: isBinary(type) ? data(bytes) : text(utf8.decode(bytes)) }, [
    moduleKinds[type]
  ])

const bindingKinds = { service: 7, wrapped: 12 } as const
const serviceBinding = (name: string, to: string): Struct =>
  struct(shapes.binding, { 0: text(name), 1: designator(to) }, [bindingKinds.service])
const wrappedBinding = (name: string, moduleName: string, inner: ReadonlyArray<Struct>): Struct => {
  const wrapped = struct(shapes.wrapped, { 0: text(moduleName), 2: structs(shapes.binding, inner) })
  return struct(shapes.binding, { 0: text(name), 1: one(wrapped) }, [bindingKinds.wrapped])
}

/** Flags that newer dates imply; workerd complains of those that are given twice. */
const impliedFrom = [
  ["rpc", "2024-04-03"],
  ["fetcher_no_get_put_delete", "2024-03-26"]
] as const

/** The compatibility flags the app runs with: Node's API only where asked for, and bindings without old methods at any date. */
const flagsOf = (bundle: Bundle): ReadonlyArray<string> => {
  const asked = bundle.compatibilityFlags
  const node = asked.includes("nodejs_compat") || asked.includes("nodejs_compat_v2")
  const implied = impliedFrom.filter(([, from]) => bundle.compatibilityDate < from).map(([flag]) => flag)
  return [...new Set([...asked, ...implied, ...(node ? [] : ["no_nodejs_compat", "no_nodejs_compat_v2"])])]
}

/** A name that no module of the app has. */
const freeName = (kind: "entry" | "prelude", modules: LoadedBundle["modules"]): string => {
  const taken = new Set(modules.map(([name]) => name))
  for (let count = 0; ; count += 1) if (!taken.has(`pawl-${kind}-${count}.js`)) return `pawl-${kind}-${count}.js`
}

const worker = ({ bundle, modules }: LoadedBundle, main: string): Struct => {
  const prelude = freeName("prelude", modules)
  return struct(shapes.worker, {
    0: structs(shapes.module, [
      module(freeName("entry", modules), "esm", Buffer.from(entryModule(prelude, main))),
      module(prelude, "esm", Buffer.from(preludeModule)),
      ...modules.map(([name, type, bytes]) => module(name, type, bytes))
    ]),
    1: text(bundle.compatibilityDate),
    2: texts(flagsOf(bundle)),
    3: structs(shapes.binding, [
      serviceBinding("ASSETS", "asset"),
      wrappedBinding("DATA", dataModule.name, [serviceBinding("store", "data")])
    ]),
    4: designator("internet")
  })
}

// A young generation of one megabyte and a whole collection each time: with workerd's defaults a
// collection of over 100 ms comes every 20,000 requests and looks like an app over its CPU bound.
const v8Flags = ["--gc-global", "--max-semi-space-size=1"]

/** The configuration of an app with a worker, for `workerd serve --binary -`. `main` is its main module. */
export const hostConfig = (loaded: LoadedBundle, main: string): Uint8Array => {
  const http = struct(shapes.http, { 1: text("x-pawl-cf") }, [proxyStyle])
  const socket = struct(shapes.socket, {
    0: text("app"),
    1: text("unix:unset"),
    2: one(http),
    4: designator("app")
  })
  const internal = struct(shapes.extensionModule, { 0: text(dataModule.name), 1: text(dataModule.source) }, [1])
  return encode(
    struct(shapes.config, {
      0: structs(shapes.service, [
        service("app", "worker", worker(loaded, main)),
        // Nothing is allowed. Without a list, everything public would be.
        service("internet", "network", struct(shapes.network, { 0: texts([]) })),
        supervisor("data", 0),
        supervisor("asset", proxyStyle)
      ]),
      1: structs(shapes.socket, [socket]),
      2: texts(v8Flags),
      3: structs(shapes.extension, [struct(shapes.extension, { 0: structs(shapes.extensionModule, [internal]) })]),
      // Structured: what an app prints comes as a line of JSON each; see ConsoleLines.
      5: one(struct(shapes.logging, {}, [1]))
    })
  )
}

/** `workerd`'s arguments; the socket folder as the process sees it. */
export const hostArguments = (socketFolder: string): ReadonlyArray<string> => [
  "serve",
  // With it, what an app threw is told with its stack; see ConsoleLines.
  "--verbose",
  "--binary",
  "-",
  "--control-fd",
  "3",
  "--socket-addr",
  `app=unix:${socketFolder}/app.sock`,
  "--external-addr",
  `data=unix:${socketFolder}/supervisor.sock`,
  "--external-addr",
  `asset=unix:${socketFolder}/supervisor.sock`
]
