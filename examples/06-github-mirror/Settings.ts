/** What the mirror is told by its environment. No message of this file holds a value: some of them are secrets. */

/** A variable is missing, or what it holds cannot be used. */
export class BadSetting extends Error {}

export interface Settings {
  readonly host: string
  readonly port: number
  readonly pawl: {
    /** Where its API is. */
    readonly url: string
    /** Reads alone: a role of `viewer` and the scope `read` are enough. */
    readonly token: string
    /** Of the webhook. */
    readonly secret: string
    /** Where people find its console. */
    readonly consoleUrl: string
  }
  readonly github: {
    /** `https://api.github.com`, or that of an Enterprise Server. */
    readonly url: string
    readonly token: string
    /** `owner/name` */
    readonly repository: string
    /** The environment that its deployments are of. */
    readonly environment: string
    /** What its commit statuses are called; those of checks go on with `/` and the check's id. */
    readonly context: string
  }
}

type Environment = Readonly<Record<string, string | undefined>>

const needed = (environment: Environment, name: string): string => {
  const value = environment[name]
  if (value === undefined || value === "") throw new BadSetting(`${name} is not set`)
  return value
}

/** A token with a line break would be quoted by the error of whoever puts it into a header. */
const secret = (environment: Environment, name: string): string => {
  const value = needed(environment, name)
  if (!/^[\x21-\x7e]+$/.test(value)) throw new BadSetting(`${name} holds a blank or a character that no token has`)
  return value
}

const address = (value: string, name: string): string => {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new BadSetting(`${name} is no address that begins with http:// or https://`)
  return value.replace(/\/+$/, "")
}

/** As Pawl answers it when a webhook is made. */
const webhookSecret = (environment: Environment): string => {
  const value = secret(environment, "PAWL_WEBHOOK_SECRET")
  if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(value)) throw new BadSetting("PAWL_WEBHOOK_SECRET is no secret of a webhook")
  return value
}

const portOf = (value: string): number => {
  if (!/^[0-9]{1,5}$/.test(value) || Number(value) > 65_535) throw new BadSetting("PORT is no port")
  return Number(value)
}

const repositoryOf = (value: string): string => {
  if (!/^[\w.-]+\/[\w.-]+$/.test(value)) throw new BadSetting("GITHUB_REPOSITORY is not of the form owner/name")
  return value
}

/** Reads the environment, or throws a `BadSetting` that names the variable. */
export const settingsOf = (environment: Environment): Settings => {
  const url = address(needed(environment, "PAWL_URL"), "PAWL_URL")
  return {
    host: environment["HOST"] ?? "127.0.0.1",
    port: portOf(environment["PORT"] ?? "8788"),
    pawl: {
      url,
      token: secret(environment, "PAWL_TOKEN"),
      secret: webhookSecret(environment),
      consoleUrl: address(environment["PAWL_CONSOLE_URL"] ?? url, "PAWL_CONSOLE_URL")
    },
    github: {
      url: address(environment["GITHUB_API_URL"] ?? "https://api.github.com", "GITHUB_API_URL"),
      token: secret(environment, "GITHUB_TOKEN"),
      repository: repositoryOf(needed(environment, "GITHUB_REPOSITORY")),
      environment: environment["GITHUB_ENVIRONMENT"] ?? "production",
      context: environment["GITHUB_CONTEXT"] ?? "pawl"
    }
  }
}
