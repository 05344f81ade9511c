/**
 * `npm`, `npx`, `pnpm` and `yarn` as a command in a sandbox finds them: they run the scripts of package.json and the
 * programs of its packages, and install nothing. One program, which goes by the name that it is called.
 */

/** The names that it stands under. */
export const scriptRunners = ["npm", "npx", "pnpm", "yarn"] as const

/** The program: CommonJS, run by the sandbox's own Node. */
export const scriptRunner = `#!/tools/bin/node
"use strict"
const { spawnSync } = require("node:child_process")
const { existsSync, readFileSync } = require("node:fs")
const path = require("node:path")

const tool = path.basename(process.argv[1])
const end = (code, text) => {
  process.stderr.write(tool + ": " + text + "\\n")
  process.exit(code)
}
const given = process.argv.slice(2)

const upFrom = (start) => {
  const found = []
  for (let at = start; ; at = path.dirname(at)) {
    found.push(at)
    if (at === path.dirname(at)) return found
  }
}
const folder = upFrom(process.cwd()).find((at) => existsSync(at + "/package.json")) ?? process.cwd()
const manifest = () => {
  try {
    return JSON.parse(readFileSync(folder + "/package.json", "utf8")) ?? {}
  } catch (error) {
    return end(1, "package.json cannot be read: " + error.message)
  }
}
const scripts = () => {
  const all = manifest().scripts
  return typeof all === "object" && all !== null ? all : {}
}
const scriptOf = (name) => {
  const all = scripts()
  return Object.hasOwn(all, name) && typeof all[name] === "string" ? all[name] : undefined
}

const quoted = (word) => "'" + word.replaceAll("'", "'\\\\''") + "'"
const environment = (more) => {
  const own = folder + "/node_modules/.bin"
  const all = process.env.PATH.split(":")
  return { ...process.env, ...more, PATH: (all.includes(own) ? all : [...all, own]).join(":") }
}
const spawned = (file, args, options) => {
  const { error, signal, status } = spawnSync(file, args, { stdio: "inherit", ...options })
  if (error) end(127, file + " cannot be run: " + error.message)
  if (signal) process.kill(process.pid, signal)
  return status ?? 1
}
const shell = (name, text, args) =>
  spawned("/bin/sh", ["-c", [text, ...args.map(quoted)].join(" ")], {
    cwd: folder,
    env: environment({
      npm_lifecycle_event: name,
      npm_lifecycle_script: text,
      npm_command: "run-script",
      npm_package_json: folder + "/package.json",
      npm_package_name: String(manifest().name ?? ""),
      npm_package_version: String(manifest().version ?? "")
    })
  })

const runScript = (name, args, ifPresent) => {
  if (name === undefined) end(1, "say which script: " + Object.keys(scripts()).join(", "))
  const text = scriptOf(name)
  if (text === undefined) return ifPresent ? process.exit(0) : end(1, "package.json has no script " + JSON.stringify(name))
  for (const [each, words] of [["pre" + name, []], [name, args], ["post" + name, []]]) {
    const script = scriptOf(each)
    const code = script === undefined ? 0 : shell(each, script, words)
    if (code !== 0) process.exit(code)
  }
  process.exit(0)
}

const binaryOf = (name) => {
  for (const at of upFrom(folder)) {
    const plain = at + "/node_modules/.bin/" + name
    if (!name.includes("/") && existsSync(plain)) return plain
    try {
      const { bin } = JSON.parse(readFileSync(at + "/node_modules/" + name + "/package.json", "utf8"))
      const own = typeof bin === "string" ? bin : (bin?.[name.split("/").at(-1)] ?? Object.values(bin ?? {})[0])
      if (typeof own === "string") return path.join(at, "node_modules", name, own)
    } catch {}
  }
}
const runBinary = (word, args) => {
  if (word === undefined) end(1, "say which program")
  const name = word.replace(/(?<=.)@[^/]*$/, "")
  const file = binaryOf(name)
  if (file === undefined) end(127, name + " is not among the packages of this source, and nothing is installed here")
  process.exit(spawned(file, args, { env: environment({}) }))
}

const install = (names) => {
  if (names.length > 0) end(1, "nothing is installed here: add " + names.join(" ") + " to package.json and its lock file")
  if (!existsSync(folder + "/node_modules")) end(1, "nothing is installed here, and this source has no lock file")
  end(0, "nothing is installed here: what the lock file names is in node_modules already")
}

const isFlag = (word) => word.startsWith("-")
const flagsThat = (words, withValue) => {
  const flags = []
  let at = 0
  while (at < words.length && isFlag(words[at]) && words[at] !== "--") {
    const flag = words[at++]
    flags.push(flag)
    if (withValue.includes(flag)) at++
  }
  if (words[at] === "--") at++
  return { flags, rest: words.slice(at) }
}
const workspaces = ["-w", "--workspace", "--workspaces", "-ws", "-r", "--recursive", "-F", "--filter", "workspace", "workspaces"]
const unsupported = (words) => {
  const found = words.find((word) => workspaces.includes(word.split("=")[0]))
  if (found !== undefined) end(1, found + " is not supported here: change the folder and run the script there")
}
const installing = ["install", "i", "ci", "add", "update", "up", "upgrade", "remove", "uninstall", "rm", "dedupe", "rebuild"]

if (tool === "npx") {
  const call = given.findIndex((word) => word === "-c" || word === "--call")
  if (call >= 0) process.exit(shell("npx", given[call + 1] ?? "true", []))
  const { rest } = flagsThat(given, ["-p", "--package"])
  runBinary(rest[0], rest.slice(1))
}

const { flags, rest } = flagsThat(given, [])
const [verb, ...after] = rest
unsupported([...flags, verb ?? ""])
if (flags.includes("-v") || flags.includes("--version")) end(0, "runs scripts and programs of packages, and installs nothing")
if (verb === undefined && tool === "yarn") install([])
if (verb === undefined) end(1, "say what to run; nothing is installed here")
if (installing.includes(verb)) install(after.filter((word) => !isFlag(word)))
const own = (words) => {
  const { flags: mine, rest: left } = flagsThat(words, [])
  unsupported(mine)
  const ifPresent = [...flags, ...mine].includes("--if-present")
  const [name, ...words2] = left
  if (tool !== "npm") return runScript(name, words2, ifPresent)
  const cut = words2.indexOf("--")
  const before = (cut < 0 ? words2 : words2.slice(0, cut)).filter((word) => !isFlag(word))
  const present = ifPresent || words2.slice(0, cut < 0 ? undefined : cut).includes("--if-present")
  return runScript(name, [...before, ...(cut < 0 ? [] : words2.slice(cut + 1))], present)
}
if (["run", "run-script"].includes(verb)) own(after)
if (["test", "t", "start", "stop", "restart"].includes(verb)) own([verb === "t" ? "test" : verb, ...after])
if (["exec", "x", "dlx"].includes(verb)) {
  const { rest: words } = flagsThat(after, ["-p", "--package"])
  runBinary(words[0], words[1] === "--" ? words.slice(2) : words.slice(1))
}
if (tool === "npm") end(1, JSON.stringify(verb) + " is not supported here: scripts and programs of packages are run, and nothing is installed")
if (scriptOf(verb) !== undefined) runScript(verb, after, false)
runBinary(verb, after)
`
