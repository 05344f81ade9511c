/** The files of `deploy/kubernetes`: as they stand, as kubectl makes one of them, and as types of Kubernetes know them. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Deployment } from "kubernetes-types/apps/v1.js"
import type { Job } from "kubernetes-types/batch/v1.js"
import { parseAllDocuments } from "yaml"
import { root } from "./EnvironmentFiles.ts"

export const folder = join(root, "deploy/kubernetes")

/** One thing of Kubernetes. What else it holds is judged by its types. */
export interface Resource {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

export const roles = ["api", "router", "worker"] as const

/** The one of a kind whose name begins so. */
export const named = <A extends object>(all: ReadonlyArray<Resource>, kind: string, name: string): A => {
  const found = all.find((each) => each.kind === kind && each.metadata.name.startsWith(name))
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`)
  return found as unknown as A
}

/** What runs in it, and the container that is ours. */
export const podOf = (deployment: Deployment | Job) => {
  const pod = deployment.spec?.template?.spec
  const [container] = pod?.containers ?? []
  if (pod === undefined || container === undefined) throw new Error("there is no container")
  return { pod, container }
}

/** Each document of a text; what is no YAML, or has a key twice, throws. */
export const documentsOf = (text: string): ReadonlyArray<Resource> =>
  parseAllDocuments(text, { strict: true, uniqueKeys: true }).map((document) => {
    if ("empty" in document || document.errors.length > 0) throw document.errors[0] ?? new Error("nothing there")
    return document.toJS() as Resource
  })

/** All files but those for kustomize. */
export const files: ReadonlyArray<string> = ["base", "example"].flatMap((each) =>
  readdirSync(join(folder, each))
    .filter((name) => name.endsWith(".yaml") && name !== "kustomization.yaml")
    .map((name) => `${each}/${name}`)
)

export const written: ReadonlyArray<Resource> = files.flatMap((file) =>
  documentsOf(readFileSync(join(folder, file), "utf8"))
)

/** Why kustomize cannot be run here; null when it can. */
export const whyNot = spawnSync("kubectl", ["kustomize", "--help"]).status === 0 ? null : "no kubectl here"

/** What `kubectl apply --kustomize` would send. */
export const rendered = (): ReadonlyArray<Resource> => {
  const { status, stderr, stdout } = spawnSync("kubectl", ["kustomize", join(folder, "example")], { encoding: "utf8" })
  if (status !== 0 || stderr !== "") throw new Error(stderr)
  return documentsOf(stdout)
}

/** Where the types of a kind are: `apps/v1`, `networking.k8s.io/v1`, and `v1` for the oldest. */
const moduleOf = (apiVersion: string): string => {
  const [group = "", version] = apiVersion.split("/")
  return version === undefined ? `core/${group}` : `${group.split(".")[0]}/${version}`
}

const checked = ({ apiVersion, kind }: Resource, resource: unknown, at: number): string => `
import type { ${kind} as Kind${at} } from "kubernetes-types/${moduleOf(apiVersion)}.js"
const resource${at}: Kind${at} = ${JSON.stringify(resource, null, 1)}
`

/** What the compiler finds wrong: a field that there is not, or one of another type. */
export const wrongIn = (resources: ReadonlyArray<Resource>): ReadonlyArray<string> => {
  const place = mkdtempSync(join(root, "node_modules/.cache/pawl-kubernetes-"))
  try {
    writeFileSync(join(place, "all.ts"), `${resources.map((each, at) => checked(each, each, at)).join("")}export {}\n`)
    const compilerOptions = { strict: true, noEmit: true, module: "nodenext", target: "es2023", types: [] }
    writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["all.ts"] }))
    const { stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", place, "--pretty", "false"], {
      encoding: "utf8"
    })
    return stdout.split("\n").filter((line) => line.includes("error TS"))
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}
