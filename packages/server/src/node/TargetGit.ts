/** Where canonical `main` may be pushed to for release targets, and with what: four options that belong together. */
import { isAbsolute } from "node:path"
import type { GitPlace } from "@pawl/adapters-local/repositories/GitPlace"
import * as GitRemote from "@pawl/adapters-local/repositories/transport/GitRemote"
import * as CanonicalRemote from "@pawl/core/release/CanonicalRemote"
import { remoteUrl } from "@pawl/core/model/RemoteUrl"
import { Layer, Option, Redacted } from "effect"

/** The name that GitHub takes beside a token; other services take any. */
export const defaultGitUser = "x-access-token"

const unset = Layer.succeed(CanonicalRemote.CanonicalRemote, CanonicalRemote.none("PAWL_TARGET_GIT_URL names where"))

/** Without an address nothing is pushed anywhere. */
export const layer = (access: GitRemote.RemoteAccess | null): Layer.Layer<never, never, GitPlace> =>
  access === null ? unset : GitRemote.layer(access)

/** A token goes over the network in the open with http: that is for this machine alone. */
const isOpen = (url: string): boolean => /^http:\/\/(?!(?:localhost|127\.0\.0\.1)(?:[:/]|$))/.test(url)

/** What four options name; a text says what is wrong with them. */
export const remoteAccessOf = (options: {
  readonly targetGitUrl: Option.Option<string>
  readonly targetGitUser: string
  readonly targetGitToken: Option.Option<Redacted.Redacted>
  readonly targetSshKeyFile: Option.Option<string>
}): GitRemote.RemoteAccess | string | null => {
  const given = Option.getOrNull(options.targetGitUrl)
  const token = Option.getOrNull(options.targetGitToken)
  const sshKeyFile = Option.getOrNull(options.targetSshKeyFile)
  if (given === null)
    return token === null && sshKeyFile === null
      ? null
      : "targetGitToken (PAWL_TARGET_GIT_TOKEN) and targetSshKeyFile need targetGitUrl (PAWL_TARGET_GIT_URL): where they may be used"
  const url = remoteUrl(given)
  if (url === null)
    return "targetGitUrl (PAWL_TARGET_GIT_URL): use https://host/path or ssh://user@host/path, without a password"
  if (isOpen(url)) return "targetGitUrl (PAWL_TARGET_GIT_URL): use https or ssh; http is for this machine alone"
  if (token !== null && !/^[!-~]{1,500}$/.test(Redacted.value(token)))
    return "targetGitToken (PAWL_TARGET_GIT_TOKEN): use 1 to 500 visible ASCII characters"
  if (!/^[\w.-]{1,100}$/.test(options.targetGitUser))
    return "targetGitUser (PAWL_TARGET_GIT_USER): use letters, digits, ., - and _"
  if (sshKeyFile !== null && !isAbsolute(sshKeyFile))
    return "targetSshKeyFile (PAWL_TARGET_SSH_KEY_FILE): use an absolute path"
  if (token !== null && url.startsWith("ssh:"))
    return "targetGitToken (PAWL_TARGET_GIT_TOKEN) is for https; for ssh use targetSshKeyFile"
  return { url, token: token === null ? null : { user: options.targetGitUser, password: token }, sshKeyFile }
}
