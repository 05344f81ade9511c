/** The part of @npmcli/arborist that is used here; the package brings no types. */
declare module "@npmcli/arborist" {
  /** What is asked for a package's document; the key ends with its name, escaped as in a URL. */
  export interface PackumentCache {
    has(key: string): boolean
    get(key: string): Promise<unknown>
    set(key: string, packument: unknown): void
    delete(key: string): void
  }
  export interface Tree {
    readonly meta: { toJSON(): unknown }
  }
  export default class Arborist {
    constructor(options: {
      readonly path: string
      readonly cache: string
      readonly registry: string
      readonly packumentCache: PackumentCache
      readonly lockfileVersion: number
      readonly packageLockOnly: boolean
      readonly ignoreScripts: boolean
      readonly audit: boolean
      readonly nodeVersion: string
      readonly npmVersion: string
      readonly os: string
      readonly cpu: string
      readonly libc: string
      readonly allowGit: "none"
      readonly allowRemote: "none"
      readonly allowFile: "none"
      readonly allowDirectory: "none"
    })
    buildIdealTree(): Promise<Tree>
  }
}
