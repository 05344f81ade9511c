/** From which hosts a first source may be imported: one option. */
import type { GitPlace } from "@pawl/adapters-local/repositories/GitPlace"
import * as GitSourceImport from "@pawl/adapters-local/repositories/transport/GitSourceImport"
import { importHost, none, SourceImport } from "@pawl/core/project/SourceImport"
import { Layer } from "effect"

/** Where no host is named nothing is imported, and a refusal names the option. */
export const layer = (hosts: ReadonlyArray<string>): Layer.Layer<never, never, GitPlace> =>
  hosts.length === 0
    ? Layer.succeed(SourceImport, none("PAWL_IMPORT_HOSTS names where from"))
    : GitSourceImport.layer({ hosts })

/** The hosts of the option; a text says what is wrong with one. */
export const hostsOf = (text: string): ReadonlyArray<string> | string => {
  const named = text.split(",").map((each) => each.trim().toLowerCase())
  if (text.trim() === "") return []
  const hosts = named.flatMap((each) => importHost(each) ?? [])
  return hosts.length === named.length
    ? hosts
    : "importHosts (PAWL_IMPORT_HOSTS): use host names with commas between them, such as github.com,git.example.com:8443"
}
