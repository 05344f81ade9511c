/**
 * Who may import what: the table of the house as data. A room is a folder of a package's sources; the first row whose
 * folder holds the file decides. Sources in no row are refused, so that a new package starts by adding its row here.
 */
export interface Room {
  readonly name: string
  /** What lives there, for the page of the architecture; empty where that of the whole package says it. */
  readonly holds: string
  /** Folder from the root of the workspace, with a slash at its end. */
  readonly folder: string
  /** Workspace packages, or `package/room` when only that room is meant. A package may always import itself. */
  readonly workspace: ReadonlyArray<string>
  /**
   * npm packages; `own` stands for whatever the package declares as dependency or peer dependency. Of `effect` its
   * modules alone (`effect/Schema`): a folder of it, such as `effect/sql`, is named for itself.
   */
  readonly external: ReadonlyArray<string> | "own"
  /** Other rooms of the same package that this room must not reach into. */
  readonly closedTo: ReadonlyArray<string>
  /** May use `node:*` modules and Node's globals. */
  readonly node: boolean
  /** Modules of Node that what it runs on has too, where it is not Node. */
  readonly builtins: ReadonlyArray<string>
  /** What it imports is built into what is published, so it is declared among `devDependencies`. */
  readonly bundled: boolean
  /** Must take time and chance from Effect, so that tests can drive both. */
  readonly pure: boolean
}

const room = (name: string, folder: string, row: Partial<Omit<Room, "name" | "folder">>): Room => ({
  name,
  holds: "",
  folder,
  workspace: [],
  external: ["effect", "effect/encoding", "effect/net"],
  closedTo: [],
  node: false,
  builtins: [],
  bundled: false,
  pure: false,
  ...row
})

export const rooms: ReadonlyArray<Room> = [
  room("core", "packages/core/src/", {
    holds:
      "the nouns, their lives, the rules, the use cases, and the ports they need. No Node, no SQL, no clock or chance but Effect's own",
    external: ["effect", "effect/encoding", "effect/net", "@noble/hashes"],
    pure: true
  }),
  room("adapters-memory", "packages/adapters-memory/src/", {
    holds: "every store and runtime in memory, for embedders and for tests",
    workspace: ["core"],
    pure: true
  }),
  room("testing/provider", "packages/testing/src/provider/", {
    holds: "a provider of models that does what a script says, over real HTTP",
    node: true
  }),
  room("testing/registry", "packages/testing/src/registry/", {
    holds: "a registry of npm packages that does what a test wants, over real HTTP, and archives of every kind",
    node: true
  }),
  room("testing/kms", "packages/testing/src/kms/", {
    holds: "a little KMS that signs, over real HTTP, and fails as a test wants",
    node: true
  }),
  room("testing/scenes", "packages/testing/src/scenes/", {
    holds: "scenes that stand as folders beside the sources, read for a suite",
    node: true
  }),
  room("testing/provenance", "packages/testing/src/provenance/", {
    holds: "Projects with statements as packs, with their keys, and everything that thieves do to them",
    workspace: ["core"],
    external: ["effect"],
    node: true
  }),
  room("testing", "packages/testing/src/", {
    holds: "one contract suite per port, the explorer, the seeded scheduler, faults, crash points",
    workspace: ["core"],
    external: ["effect", "effect/encoding", "effect/testing", "fast-check", "vitest", "@effect/vitest"]
  }),
  room("sql", "packages/sql/src/", {
    holds: "every store port, once, over Effect's SQL client",
    workspace: ["core"],
    external: ["effect", "effect/encoding", "effect/sql"]
  }),
  room("adapters-local", "packages/adapters-local/src/", {
    holds: "this machine: SQLite file, files, git, sandbox, builder process, workerd",
    workspace: ["core", "sql", "router"],
    external: "own",
    node: true
  }),
  room("adapters-pg", "packages/adapters-pg/src/", {
    holds: "Postgres, for several processes",
    workspace: ["core", "sql"],
    external: "own",
    node: true
  }),
  room("adapters-s3", "packages/adapters-s3/src/", {
    holds: "objects on S3, and the signer in a KMS",
    workspace: ["core"],
    external: "own",
    node: true
  }),
  room("adapters-nats", "packages/adapters-nats/src/", {
    holds: "notices between processes over NATS core",
    workspace: ["core"],
    external: "own",
    node: true
  }),
  room("adapters-cloudflare", "packages/adapters-cloudflare/src/", {
    holds:
      "Cloudflare's products as ports: stores of objects, the directory between them, R2, Worker Loader, packages of a lock in R2, repositories without git, checks in containers, Workers Builds",
    workspace: [
      "core",
      "sql",
      "router",
      "adapters-local/builder",
      "adapters-local/packages",
      "adapters-local/repositories",
      "adapters-local/sandbox"
    ],
    external: "own",
    builtins: ["node:zlib"]
  }),
  room("adapters-models", "packages/adapters-models/src/", {
    holds: "language models over HTTP, in two wire forms",
    workspace: ["core"],
    external: ["effect", "effect/http"]
  }),
  room("router/node", "packages/router/src/node/", {
    holds: "the router before a Node server",
    workspace: ["core"],
    node: true
  }),
  room("router", "packages/router/src/", {
    holds: "host → pointer → file or app, and which host is whose",
    workspace: ["core"],
    closedTo: ["packages/router/src/node/"]
  }),
  room("server/api", "packages/server/src/api/", {
    holds: "the HTTP contract and its client",
    workspace: ["core"],
    external: ["effect", "effect/http", "effect/http-api"],
    closedTo: ["packages/server/src/http/", "packages/server/src/node/"]
  }),
  room("server/http", "packages/server/src/http/", {
    holds: "handlers and authentication, on any engine",
    workspace: ["core"],
    external: ["effect", "effect/encoding", "effect/http", "effect/http-api"],
    closedTo: ["packages/server/src/node/"]
  }),
  room("server/git", "packages/server/src/git/", {
    holds: "git over HTTP on any engine: paths, who may, which refs, what a push becomes",
    workspace: ["core", "adapters-local/repositories"],
    closedTo: ["packages/server/src/node/", "packages/server/src/workers/"]
  }),
  room("server/identity", "packages/server/src/identity/", {
    holds: "tokens of a provider of identities, on any engine",
    workspace: ["core"],
    external: "own",
    closedTo: ["packages/server/src/node/"]
  }),
  room("server/models", "packages/server/src/models/", {
    holds: "what plans Changes and works Tasks where there are models, on any engine",
    workspace: ["core", "adapters-local/builder", "adapters-models"],
    external: "own",
    closedTo: ["packages/server/src/http/", "packages/server/src/node/"]
  }),
  room("server/mcp", "packages/server/src/mcp/", {
    holds: "tools of models, over the HTTP API",
    workspace: ["core", "server/limits"],
    external: "own",
    closedTo: ["packages/server/src/http/", "packages/server/src/node/"]
  }),
  room("server/limits", "packages/server/src/ServerLimits.ts", {}),
  room("server/node", "packages/server/src/node/", {
    holds: "installations, the composition of layers, and the `pawl` command",
    workspace: [
      "core",
      "sql",
      "router",
      "adapters-local",
      "adapters-pg",
      "adapters-s3",
      "adapters-nats",
      "adapters-cloudflare",
      "adapters-models"
    ],
    external: "own",
    node: true
  }),
  room("server/workers", "packages/server/src/workers/", {
    holds: "the scripts of an installation on Cloudflare, and the composition of layers in their objects",
    workspace: ["core", "sql", "router", "adapters-local/builder", "adapters-cloudflare", "adapters-models"],
    external: "own",
    closedTo: ["packages/server/src/node/"]
  }),
  room("console", "packages/console/src/", {
    holds: "the screens that people see in a browser. Of the contract it knows the types alone",
    workspace: ["server/api"],
    external: "own",
    bundled: true
  })
]

export const roomOf = (file: string): Room | undefined => rooms.find((room) => file.startsWith(room.folder))
