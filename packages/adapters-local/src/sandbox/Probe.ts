/**
 * The program that tries the walls from inside. Plain JavaScript as text, since it is laid out as a file of a job. It
 * prints one line of JSON, `ProbeReport`.
 */
import { Schema } from "effect"

/** What the program could reach, see, write and outlive. */
export const ProbeReport = Schema.Struct({
  /** Ways that led to the host's network or sockets. */
  reached: Schema.Array(Schema.String),
  /** Network interfaces other than the loopback. */
  interfaces: Schema.Array(Schema.String),
  /** Host files that could be read, unexpected entries of the root, open folders of the host. */
  seen: Schema.Array(Schema.String),
  /** Names of variables in our own environment and that of the first process. */
  variables: Schema.Array(Schema.String),
  /** Places outside the work folder that could be written. */
  written: Schema.Array(Schema.String),
  daemonAlive: Schema.Boolean,
  uid: Schema.Finite,
  hostUid: Schema.Finite,
  groups: Schema.Array(Schema.Finite),
  /** Hexadecimal, of this process and of the first one. */
  capabilities: Schema.Array(Schema.String),
  noNewPrivileges: Schema.Boolean,
  /** Whether this process and the first one have a filter of system calls. */
  filtered: Schema.Boolean,
  userNamespace: Schema.Boolean
})
export type ProbeReport = typeof ProbeReport.Type

/** What the probe is told, as JSON in the variable PROBE. */
export interface ProbeTask {
  readonly port: number
  readonly sockets: ReadonlyArray<string>
  readonly secrets: ReadonlyArray<string>
  readonly daemon: string
}

/** The program's source, for Node. It takes its task as JSON in the variable `PROBE`. */
export const probeProgram = String.raw`
const fs = require("node:fs"), net = require("node:net"), dns = require("node:dns")
const { spawnSync } = require("node:child_process")
const task = JSON.parse(process.env.PROBE)
const works = (f) => { try { f(); return true } catch { return false } }
const text = (path) => { try { return fs.readFileSync(path, "utf8") } catch { return "" } }
const reach = (name, options) => new Promise((resolve) => {
  const socket = net.connect(options)
  const done = (reached) => { socket.destroy(); resolve(reached ? [name] : []) }
  socket.on("connect", () => done(true)).on("error", () => done(false)).setTimeout(300, () => done(false))
})
const resolved = new Promise((resolve) => {
  const resolver = new dns.promises.Resolver({ timeout: 200, tries: 1 })
  resolver.resolve4("example.com").then(() => resolve(["dns"]), () => resolve([]))
})
const expected = ["bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "proc", "sys", "dev", "job", "tmp", "var",
  "tools", "node_modules"]
const seen = () => [
  ...task.secrets.flatMap((path) => [path, "/proc/1/root" + path, "/proc/self/cwd/../../.." + path]).filter((p) => works(() => fs.readFileSync(p))),
  ...["/etc/shadow", "/proc/kcore", "/dev/mem"].filter((p) => works(() => fs.closeSync(fs.openSync(p, "r")))),
  ...fs.readdirSync("/").filter((name) => !expected.includes(name)).map((name) => "/" + name),
  ...["/sys", "/var/lib", "/etc/ssh"].filter((p) => { try { return fs.readdirSync(p).length > 0 } catch { return false } }),
  ...fs.readdirSync("/proc/self/fd").filter((n) => n > 2).filter((n) => {
    try { return fs.statSync("/proc/self/fd/" + n).isDirectory() } catch { return false }
  }).map((n) => "open folder " + n)
]
const writable = () => ["/", "/usr", "/usr/bin", "/etc", "/tools", "/tools/bin", "/dev", "/var", "/proc", "/sys"]
  .map((folder) => folder + "/pawl-probe").filter((p) => works(() => { fs.writeFileSync(p, "x"); fs.unlinkSync(p) }))
  .concat(["/tools/bin/node", "/usr/bin/env", "/proc/sys/kernel/hostname", "/proc/sysrq-trigger", "/etc/passwd"]
    .filter((p) => works(() => fs.closeSync(fs.openSync(p, "r+")))))
const status = (pid) => Object.fromEntries(text("/proc/" + pid + "/status").split("\n").map((l) => l.split(":\t")))
const names = (pid) => text("/proc/" + pid + "/environ").split("\0").filter(Boolean).map((v) => v.split("=")[0])
const hostUid = (uid) => {
  for (const line of text("/proc/self/uid_map").trim().split("\n")) {
    const [inner, outer, count] = line.trim().split(/\s+/).map(Number)
    if (uid >= inner && uid < inner + count) return outer + uid - inner
  }
  return -1
}
const main = async () => {
  const own = status("self"), first = status(1)
  const reached = await Promise.all([
    reach("tcp", { port: task.port, host: "127.0.0.1" }), resolved,
    ...task.sockets.map((path) => reach("unix", { path }))
  ])
  const capabilities = ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].map((name) => own[name])
    .concat(["CapPrm", "CapEff"].map((name) => first[name]))
  console.log(JSON.stringify({
    reached: reached.flat(),
    interfaces: text("/proc/net/dev").split("\n").slice(2).map((l) => l.split(":")[0].trim()).filter((n) => n && n !== "lo"),
    seen: seen(),
    variables: [...new Set([...Object.keys(process.env), ...names("self"), ...names(1)])],
    written: writable(),
    daemonAlive: fs.readdirSync("/proc").some((pid) => text("/proc/" + pid + "/cmdline").includes(task.daemon)),
    uid: process.getuid(), hostUid: hostUid(process.getuid()), groups: process.getgroups(),
    capabilities: capabilities.map(String), noNewPrivileges: own.NoNewPrivs === "1" && own.Seccomp !== undefined,
    filtered: own.Seccomp === "2" && first.Seccomp === "2",
    userNamespace: spawnSync("unshare", ["-Ur", "true"]).status === 0
  }))
}
main()
`
