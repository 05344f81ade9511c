/** `docs/operating/options.md`: the options of `pawl serve`, with what they default to. */
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Limits } from "@pawl/core/primitives/Limits"
import { ServerLimits } from "@pawl/server/ServerLimits"
import { code, page, type Page, table } from "./Markdown.ts"

const source = fileURLToPath(new URL("../../packages/server/src/node/GivenOptions.ts", import.meta.url))
const command = fileURLToPath(new URL("../../packages/server/src/node/OperatorMain.ts", import.meta.url))

interface About {
  readonly takes: string
  readonly otherwise: string
  readonly what: string
}

/** In words, by name. The names themselves come from the source: one more or one less fails the generator. */
const abouts: Readonly<Record<string, About>> = {
  port: { takes: "0 to 65535", otherwise: "8787", what: "The port to listen on. 0 picks a free one." },
  host: { takes: "an address", otherwise: "127.0.0.1", what: "The address to listen on." },
  data: {
    takes: "a folder",
    otherwise: ".pawl",
    what: "The folder that holds everything. It is made when it is not there."
  },
  roles: {
    takes: "api,router,worker",
    otherwise: "all three",
    what: "What this process does. Fewer than all three need Postgres: see [Postgres](postgres.md)."
  },
  environment: {
    takes: "production or development",
    otherwise: "production",
    what: "Development hosts no apps, and turns fixtures on."
  },
  appsDomain: {
    takes: "a lowercase host name without a port, or nothing",
    otherwise: "apps.localhost in production, none in development",
    what: "Apps live at `<label>.<appsDomain>`. Empty: no live apps. In development the start is refused with one."
  },
  paused: {
    takes: "true or false",
    otherwise: "false",
    what: "Starts no workers: the API and the apps answer, durable work waits."
  },
  fixturesEnabled: {
    takes: "true or false",
    otherwise: "true in development, else false",
    what: "Lets members make the smoke check of the live release fail, to see what happens."
  },
  baseUrl: {
    takes: "a URL",
    otherwise: "`http://localhost:<port>`",
    what: "The address that people use for the API. Its scheme and port are also those of the apps."
  },
  trustProxy: {
    takes: "true or false",
    otherwise: "false",
    what: "Believes the `X-Forwarded-*` headers of a proxy in front, for apps and for counting who has no token. Only turn it on behind one."
  },
  smokeRetryMs: {
    takes: "milliseconds, 0 or more",
    otherwise: String(Limits.probeRetryMs),
    what: "The wait before a release probe that did not pass is asked once more."
  },
  appBuildsPerDay: {
    takes: "a whole number above 0",
    otherwise: String(Limits.buildsPerDay),
    what: "How many app builds a day may have, in UTC. Organizations share them, see [shares](running.md#shares). Serving a stored bundle again is free."
  },
  appProcesses: {
    takes: "a whole number above 0",
    otherwise: String(LocalLimits.appProcesses),
    what: "How many processes of live apps there may be at once. Beyond, the one that was idle longest ends; where none is idle, visitors are asked to come back."
  },
  sandboxMinutesPerMonth: {
    takes: "a whole number above 0",
    otherwise: String(Limits.sandboxMsPerMonth / 60_000),
    what: "How many minutes checks may run in sandboxes in a month, in UTC, in all. Organizations share them, see [shares](running.md#shares). Above it a Candidate is rejected when it is composed, and a check is a gap; ask for it again with `retry`."
  },
  sandboxesAtOnce: {
    takes: "a whole number above 0",
    otherwise: `as many as there are cores, at least ${Limits.activeSandboxesPerChange}`,
    what: "How many sandboxes of checks this process runs at once. Projects take turns for them. Each may take a core and 1 GiB of memory."
  },
  bundleMegabytesPerProject: {
    takes: "a whole number above 0",
    otherwise: String(Limits.bundleBytesPerProject / 1024 ** 2),
    what: "What the stored bundles of one Project may come to, in MiB. At 80 % of it the daily sweep says so once, in the log and in `pawl_bundle_alerts_total`. Nothing is refused."
  },
  webhooksAllowPrivate: {
    takes: "true or false",
    otherwise: "false",
    what: "Lets webhooks go to plain HTTP, and webhooks and release targets to addresses that are not public. Only for trying things out."
  },
  npmRegistry: {
    takes: "an http or https URL without a user name, a password and a query",
    otherwise: "`https://registry.npmjs.org/`",
    what: "The npm registry that packages of lock files are fetched from, and the only host that fetches reach. It may be one of your own network: see [Packages](../reference/packages.md)."
  },
  apiRatePerMinute: {
    takes: "a whole number above 0",
    otherwise: String(ServerLimits.requestsPerMinute),
    what: "Requests to the API and to git, together, per caller and minute. Above it: 429."
  },
  ownerToken: {
    takes: "`pawl_` and 3 to 195 visible ASCII characters",
    otherwise: "made at the first start",
    what: "The owner's API token. It replaces the one in `<data>/owner-token`."
  },
  databaseUrl: {
    takes: "`postgres://user:password@host:port/database`",
    otherwise: "none: SQLite in the data folder",
    what: "Keeps the state in [Postgres](postgres.md), so that several processes can share it."
  },
  notices: {
    takes: "`nats://host:port` or `tls://host:port`, several by commas; `user:password@` or `token@` before the host",
    otherwise: "the database's own",
    what: "Which [NATS](many-machines.md#notices) carries notices between the processes on one database. It is a hint: without it they look every now and then. Keep a login in the environment."
  },
  noticesCredentials: {
    takes: "a path, from the root",
    otherwise: "none",
    what: "A file of credentials for that NATS, as its own tools write it (`.creds`). It is read whenever a connection is made."
  },
  objects: {
    takes: "`folder`, or `s3://bucket/prefix`",
    otherwise: "folder: `<data>/objects`",
    what: "Where bundles, outputs of checks and other objects are kept. Credentials of a bucket are the environment's (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`). See [S3](s3.md)."
  },
  s3Endpoint: {
    takes: "`http://host:port` or `https://host`",
    otherwise: "AWS's own of the region",
    what: "Where the S3 of `objects` is, when it is not AWS's."
  },
  s3Region: {
    takes: "a region's name",
    otherwise: "`AWS_REGION`, `AWS_DEFAULT_REGION`, else us-east-1",
    what: "The region of the bucket. Servers other than AWS's mostly take any."
  },
  s3PathStyle: {
    takes: "true or false",
    otherwise: "true where there is `s3Endpoint`, else false",
    what: "Asks `host/bucket/key`, not `bucket.host/key`."
  },
  importHosts: {
    takes: "hosts, by commas, such as github.com,git.example.com:8443",
    otherwise: "none",
    what: "The hosts whose git repositories a Project may begin with (`import`). Only what anyone may read there, over https, without credentials. Where none is named, nothing is imported."
  },
  repositories: {
    takes: "folder or packs",
    otherwise: "folder; with objects in a bucket packs, which it then has to be",
    what: "Where git repositories are: in a folder of the data folder, or as packs in the database and the object store, of which each machine has copies that it may lose. See [fleet](fleet.md#repositories). Those that are there are not moved: a start that would find none of them is refused."
  },
  cache: {
    takes: "a folder",
    otherwise: "`cache` in the data folder",
    what: "Where copies of repositories are when these are packs. Processes may share it. It may be deleted at any moment, and belongs in no backup."
  },
  drainDelay: {
    takes: `milliseconds, 0 to ${ServerLimits.drainDelayMostMs}`,
    otherwise: "0",
    what: "How long a server that is told to stop goes on as before: `/health/ready` is 503 at once, requests are answered, and only then it stops. Behind a load balancer: longer than that takes to notice, such as 5000."
  },
  cacheBytes: {
    takes: "a whole number above 0",
    otherwise: String(LocalLimits.cacheBytes),
    what: "About how many bytes the copies of one process may take. What was used longest ago goes first."
  },
  databaseSchema: {
    takes: "lowercase letters, digits and `_`",
    otherwise: "pawl",
    what: "The schema in Postgres that holds the tables. It is made when it is not there."
  },
  provenance: {
    takes: "off, warn or enforce",
    otherwise: "warn in production, off in development",
    what: "What is done about a release that no signed statement vouches for. Statements are written and signed with each. See [Keys](keys.md)."
  },
  provenancePublic: {
    takes: "none, summary or full",
    otherwise: "summary",
    what: "What `/__service/provenance.json` tells on the hosts of apps: nothing, what names no person and no check, or to who may read the Project the promotion's statement too. See [Keys](keys.md#what-a-host-says-of-itself)."
  },
  trustedKeys: {
    takes: "ids of keys, `SHA256:…`, with commas between them",
    otherwise: "the first key that the data folder saw",
    what: "The keys that the router begins with; those that they introduced count too. See [Keys](keys.md#the-router)."
  },
  signer: {
    takes: "`file`, `command:` and an absolute path, or `kms:` and the ARN of a key",
    otherwise: "file",
    what: "What signs statements: `<data>/signing-key`, a program, or a key in a KMS. See [Keys](keys.md)."
  },
  kmsEndpoint: {
    takes: "`http://host:port` or `https://host`",
    otherwise: "AWS's own of the key's region",
    what: "Where the KMS of `signer` is, when it is not AWS's."
  },
  checkpointFolder: {
    takes: "a folder",
    otherwise: "none",
    what: "Where the newest checkpoint of each Project is also written as a file, for whoever keeps it elsewhere. See [Keys](keys.md)."
  },
  signingKeyType: {
    takes: "p256 or ed25519",
    otherwise: "p256",
    what: "Of a key file that is made, at the first start and by a rotation. Other tools read P-256 better."
  },
  oidcIssuer: {
    takes: "an https address (http on this machine alone)",
    otherwise: "none",
    what: "The provider of identities whose JWTs count as bearer tokens, as they name it in `iss`. A new subject becomes a user who is a member of nothing. See [Signing in](sign-in.md)."
  },
  oidcAudience: {
    takes: "a text",
    otherwise: "none",
    what: "Whom the provider's tokens must be for (`aud`). Needed with `oidcIssuer`."
  },
  oidcClientId: {
    takes: "a text",
    otherwise: "none",
    what: "The console's client at the provider: people sign in there with a browser. Without it, with tokens alone."
  },
  oidcClientSecret: {
    takes: "a text",
    otherwise: "none",
    what: "Of that client, where it has one. Keep it in the environment."
  },
  console: {
    takes: "true or false",
    otherwise: "true",
    what: "Whether browsers find the [console](console.md) at the address of the API."
  },
  mcpTools: {
    takes: "all, read or none",
    otherwise: "all",
    what: "Which tools assistants find at `/mcp`: all, those that only read, or none: then there is no `/mcp`."
  },
  metrics: {
    takes: "true or false",
    otherwise: "false",
    what: "Answers `GET /metrics` for Prometheus: see [Observability](observability.md)."
  },
  metricsToken: {
    takes: "8 to 200 visible ASCII characters",
    otherwise: "none",
    what: "Who sends it as a bearer token may read `/metrics`. Without it only callers on this machine may. Keep it in the environment."
  },
  accessLog: {
    takes: "true or false",
    otherwise: "false",
    what: "Writes a line in the log for each request to the API."
  },
  otlpEndpoint: {
    takes: "a URL of OTLP over HTTP, without `/v1/traces`",
    otherwise: "`OTEL_EXPORTER_OTLP_ENDPOINT`, else none",
    what: "Sends traces to this collector. Without it there are none."
  },
  otlpHeaders: {
    takes: "`name=value,name=value`, values percent-encoded",
    otherwise: "`OTEL_EXPORTER_OTLP_HEADERS`, else none",
    what: "Headers for the collector, such as its key. Keep them in the environment."
  },
  serviceName: {
    takes: "a text",
    otherwise: "`OTEL_SERVICE_NAME`, else pawl",
    what: "What this server is called in traces."
  },
  buildsApiToken: {
    takes: "an API token of Cloudflare",
    otherwise: "none",
    what: "Reads Workers Builds and deployments of release targets in development. Keep it in the environment."
  },
  buildsAccountId: {
    takes: "an account id of Cloudflare",
    otherwise: "none",
    what: "The account of those workers. Set it with `buildsApiToken` or not at all."
  },
  buildsApiUrl: {
    takes: "a URL",
    otherwise: "`https://api.cloudflare.com/client/v4`",
    what: "Where the API of Cloudflare is."
  },
  targetGitUrl: {
    takes: "`https://host/path` or `ssh://user@host/path`",
    otherwise: "none: nothing is pushed anywhere",
    what: "Under which address release targets in development may name a git remote. Canonical `main` is pushed there."
  },
  targetGitUser: {
    takes: "a name",
    otherwise: "x-access-token",
    what: "The user name beside `targetGitToken`. GitHub takes the default."
  },
  targetGitToken: {
    takes: "a token",
    otherwise: "none",
    what: "May push to the repositories under `targetGitUrl`, and is sent nowhere else. Keep it in the environment."
  },
  targetSshKeyFile: {
    takes: "a path, from the root",
    otherwise: "the keys of the ssh agent (`SSH_AUTH_SOCK`)",
    what: "The private key for an ssh `targetGitUrl`. Its host must be in `known_hosts`."
  },
  modelDialect: {
    takes: "openai-chat or anthropic-messages",
    otherwise: "openai-chat",
    what: "The wire form in which language models are asked. OpenAI, Ollama, vLLM and OpenRouter speak the first."
  },
  modelUrl: {
    takes: "a URL without the path of the call: `https://api.openai.com/v1`",
    otherwise: "none: Changes wait for people",
    what: "Where language models are asked. With it Changes are planned and worked, unless `startPlanning` is false."
  },
  modelKey: {
    takes: "a key of that provider",
    otherwise: "none",
    what: "Goes into one header of each call and nowhere else. It is read from the environment alone, and needs `modelPrices`."
  },
  modelFast: {
    takes: "a model's name",
    otherwise: "the model of the next stronger tier",
    what: "Works small Tasks. One of the three tiers is enough."
  },
  modelBalanced: {
    takes: "a model's name",
    otherwise: "the model of the next stronger tier, else of the next weaker",
    what: "Works medium Tasks, mends what failed, and reviews."
  },
  modelStrong: {
    takes: "a model's name",
    otherwise: "the model of the next weaker tier",
    what: "Plans, and works large Tasks."
  },
  modelPrices: {
    takes: "`fast=in/cached/out,balanced=…,strong=…`, or `0`",
    otherwise: "0 where there is no key",
    what: "What each tier costs, in USD per million tokens: what it reads, what it reads from a cache, what it writes. `0` is free."
  },
  modelContext: {
    takes: "a whole number above 0",
    otherwise: String(ServerLimits.modelContextTokens),
    what: "Tokens that a request and its answer may have together."
  },
  agentDailyCallCap: {
    takes: "a whole number, 0 or more",
    otherwise: `\`AGENT_DAILY_CALL_CAP\`, else ${Limits.modelCallsPerDay}`,
    what: "How many calls of models a day may have, in UTC, in all. What it stops goes on the next day, or when it is raised."
  },
  agentsAtOnce: {
    takes: "a whole number above 0",
    otherwise: String(ServerLimits.agentSlots),
    what: "How many agents this process works with at a time. A Change has at most 8."
  }
}

const constantCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

const namesIn = (text: string, from: string): ReadonlyArray<string> => {
  const start = text.indexOf(from)
  const block = text.slice(start, text.indexOf("\n}", start))
  return [...block.matchAll(/^ {2}([a-zA-Z0-9]+):/gm)].map((match) => match[1]!)
}

export const optionsPage = (): Page => {
  const names = namesIn(readFileSync(source, "utf8"), "const givenOptions = Config.all({")
  const flags = namesIn(readFileSync(command, "utf8"), "const serveOptions = {")
  const undescribed = [
    ...names.filter((name) => abouts[name] === undefined),
    ...Object.keys(abouts).filter((name) => !names.includes(name))
  ]
  if (undescribed.length > 0)
    throw new Error(`GivenOptions.ts and tools/docs/OptionsPage.ts differ in: ${undescribed.join(", ")}`)
  return page("docs/operating/options.md", "Options", [
    "An option is looked for on the command line, then in the environment, then in the config file. The first that has it wins. A value that cannot be used stops the start with one line that names the option.",
    table(
      ["option", "command line", "environment", "takes", "default", "what it does"],
      names.map((name) => {
        const about = abouts[name]!
        return [
          code(name),
          flags.includes(name) ? code(`--${constantCase(name).toLowerCase().replaceAll("_", "-")}`) : "",
          code(`PAWL_${constantCase(name)}`),
          about.takes,
          about.otherwise,
          about.what
        ]
      })
    ),
    "The config file is `pawl.config.json` in the current folder, or the file that `--config` names. It is JSON, with the names of the first column:",
    '```json\n{ "port": 8787, "data": "/var/lib/pawl", "appsDomain": "apps.example.com" }\n```',
    "`npm start -- --port 9000` hands options to the server. Keep `ownerToken` out of the config file and out of the command line: other people can often read both. Use the environment."
  ])
}
