/**
 * Our TypeScript files as one typed program, through the compiler that also builds them. TypeScript 7 calls this API
 * unstable, so the version is pinned exactly, and `tools/test` fails when an upgrade changes what is used here.
 */
import { existsSync } from "node:fs"
import { join, relative, sep } from "node:path"
import type { Node, SourceFile } from "typescript/unstable/ast"
import { API, type Checker } from "typescript/unstable/sync"

export interface OurFile {
  /** Path from the root, with forward slashes. */
  readonly path: string
  readonly source: SourceFile
  readonly checker: Checker
}

/** The programs of a workspace: the one of everything, and the one of the console, which runs in browsers. */
const configsOf = (root: string): ReadonlyArray<string> =>
  ["tsconfig.json", "packages/console/tsconfig.json"].map((path) => join(root, path)).filter((path) => existsSync(path))

/** Opens the programs of the workspace, hands their files (not those of dependencies) to `use`, and closes them. */
export const withWorkspace = <A>(root: string, use: (files: ReadonlyArray<OurFile>) => A): A => {
  const api = new API({ cwd: root })
  try {
    const configs = configsOf(root)
    const snapshot = api.updateSnapshot({ openProjects: [...configs] })
    const files = configs.flatMap((config) => {
      const project = snapshot.getProject(config)
      if (project === undefined) throw new Error(`${config} could not be opened`)
      const { program, checker } = project
      return project.rootFiles.flatMap((name): ReadonlyArray<OurFile> => {
        const path = relative(root, name).split(sep).join("/")
        const source = program.getSourceFile(name)
        return source === undefined || path.startsWith("..") ? [] : [{ path, source, checker }]
      })
    })
    return use(files)
  } finally {
    api.close()
  }
}

/** Every node below this one, depth first. */
export function* descendants(node: Node): Generator<Node> {
  const children: Array<Node> = []
  node.forEachChild((child) => {
    children.push(child)
  })
  for (const child of children) {
    yield child
    yield* descendants(child)
  }
}

/** 1-based line on which a node's text starts. */
export const lineOf = (source: SourceFile, node: Node): number =>
  source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
