/** The files of `deploy/chart`: as they stand, and as `tools/chart/render.go` makes manifests of them. */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { root } from "./EnvironmentFiles.ts"
import { documentsOf, type Resource } from "./KubernetesFiles.ts"

export type Values = Readonly<Record<string, unknown>>

export const chart = join(root, "deploy/chart")

/** A file of the chart as YAML. */
export const yamlOf = (name: string): Values =>
  parse(readFileSync(join(chart, name), "utf8"), { strict: true, uniqueKeys: true }) as Values

export const isMap = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What is given over what the chart has, as helm does it: map by map, and a null takes away. */
export const over = (base: Values, given: Values): Values => {
  const all: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(given)) {
    const before = all[name]
    if (value === null) delete all[name]
    else all[name] = isMap(before) && isMap(value) ? over(before, value) : value
  }
  return all
}

/** The text of each template. */
export const templates: ReadonlyArray<readonly [name: string, text: string]> = readdirSync(
  join(chart, "templates")
).map((name) => [name, readFileSync(join(chart, "templates", name), "utf8")])

const library = "/usr/share/gocode"
const packages = ["golang-github-masterminds-sprig-dev", "golang-k8s-sigs-yaml-dev"]

/** Why nothing can be rendered here; null when it can. */
export const whyNoGo =
  spawnSync("go", ["version"]).status !== 0
    ? "(needs go: apt-get install gccgo-go)"
    : ["github.com/Masterminds/sprig", "sigs.k8s.io/yaml"].every((name) => existsSync(join(library, "src", name)))
      ? null
      : `(needs Sprig: apt-get install ${packages.join(" ")})`

/** Compiles what renders, into a folder. Its own cache makes it quick the next time. */
export const compiled = (folder: string): string => {
  const program = join(folder, "render")
  const { status, stderr } = spawnSync("go", ["build", "-o", program, join(root, "tools/chart/render.go")], {
    encoding: "utf8",
    env: {
      ...process.env,
      GO111MODULE: "off",
      GOPATH: library,
      GOCACHE: join(root, "node_modules/.cache/pawl-go")
    }
  })
  if (status !== 0) throw new Error(stderr)
  return program
}

export interface Release {
  readonly name: string
  readonly namespace: string
  readonly values: Values
}

/** What `helm template` would print, or why it would not: as the program that was compiled into the folder says it. */
export const template = (folder: string, { name, namespace, values }: Release) => {
  const file = join(folder, "values.json")
  writeFileSync(file, JSON.stringify(values))
  const { status, stderr, stdout } = spawnSync(join(folder, "render"), [chart, name, namespace, file], {
    encoding: "utf8"
  })
  return { status, stderr, stdout }
}

/** What would be sent to Kubernetes, hooks too. */
export const installed = (folder: string, release: Release): ReadonlyArray<Resource> => {
  const { status, stderr, stdout } = template(folder, release)
  if (status !== 0 || stderr !== "") throw new Error(stderr)
  return documentsOf(stdout)
}
