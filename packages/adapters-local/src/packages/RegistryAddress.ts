/** Which addresses belong to a registry, and where its answers may lead. Nobody is asked here. */
import { isPackageName, isPackageVersion } from "@pawl/core/packages/PackageNames"
import { Result } from "effect"

/**
 * The address of a registry, as an operator gives it; it may be one of this machine's network. A user name and a password
 * are refused: none is ever sent. Fails with what is wrong, as a sentence.
 */
export const registryAddress = (text: string): Result.Result<URL, string> => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    return Result.fail("The registry's address is no http or https URL.")
  if (url.username !== "" || url.password !== "")
    return Result.fail("The registry's address holds a user name or a password: use a registry that asks for none.")
  if (url.search !== "" || url.hash !== "") return Result.fail("The registry's address has a query or a fragment.")
  if (!url.pathname.endsWith("/")) url.pathname += "/"
  return Result.succeed(url)
}

/** Why a package of a lock cannot be asked for, as a sentence goes on after its name; null when it can. */
export const wrongPackage = ({ name, version }: { readonly name: string; readonly version: string }): string | null => {
  if (!isPackageName(name)) return "is no name of a package"
  return isPackageVersion(version) ? null : "has no exact version"
}

/** Where a registry says what it knows of a package. Scopes are written as npm writes them. */
export const packumentAddress = (registry: URL, name: string): URL => new URL(name.replace("/", "%2f"), registry)

/** Where npm looks for an archive before it asks. */
export const archiveAddress = (
  registry: URL,
  { name, version }: { readonly name: string; readonly version: string }
): URL => new URL(`${name}/-/${name.slice(name.indexOf("/") + 1)}-${version}.tgz`, registry)

/** Where a registry answers with the advisories of many packages at once. */
export const advisoriesAddress = (registry: URL): URL => new URL("-/npm/v1/security/advisories/bulk", registry)

/**
 * The address that a registry gives for an archive, on that registry itself: registries that copy others repeat those
 * others' addresses. As npm's `replace-registry-host` with `always`. Null when it is no address.
 */
export const ownAddress = (registry: URL, said: string): URL | null => {
  const url = URL.parse(said, registry.href)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return null
  const path = url.pathname.startsWith(registry.pathname)
    ? url.pathname
    : `${registry.pathname}${url.pathname.slice(1)}`
  const own = new URL(registry)
  own.pathname = path
  own.search = url.search
  return own
}

/**
 * Where an answer of `from` leads: within the registry's own origin, which is the only one that is asked. Fails with what is
 * wrong, as a sentence goes on after "it leads".
 */
export const redirected = (registry: URL, from: URL, location: string): Result.Result<URL, string> => {
  const url = URL.parse(location, from.href)
  if (url === null) return Result.fail("to what is no address")
  if (url.origin !== registry.origin) return Result.fail("to another host, and only itself is asked")
  if (url.username !== "" || url.password !== "") return Result.fail("to an address with a user name or a password")
  url.hash = ""
  return Result.succeed(url)
}
