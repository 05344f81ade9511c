/**
 * Packages that sign people in for real, or hash their passwords: apps have no real login (specification,
 * Authentication 5), so a build that names one fails. The page docs/reference/apps.md lists them; a test compares.
 * A name ends with `/*` for a whole scope, and with `*` for all names that begin so. Subpaths are always meant too.
 */
import { LocalLimits } from "../../LocalLimits.ts"

/** Packages that are refused for the same reason. */
export interface AuthGroup {
  /** What such a package is, as a problem words it. */
  readonly kind: string
  readonly names: ReadonlyArray<string>
}

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

/** The whole list, grouped by why a package is refused. */
export const authGroups: ReadonlyArray<AuthGroup> = [
  {
    kind: "the SDK of a hosted identity provider",
    names: words(`
      @clerk/* @hono/clerk-auth
      @auth0/* auth0 auth0-js auth0-lock express-oauth2-jwt-bearer
      @okta/* okta-auth-js
      firebase firebase-admin firebaseui @firebase/auth @firebase/auth-compat @hono/firebase-auth
      react-firebase-hooks @angular/fire reactfire vuefire firebase-auth-cloudflare-workers
      @supabase/supabase-js @supabase/auth-js @supabase/gotrue-js @supabase/ssr @supabase/auth-helpers-*
      @supabase/auth-ui-* gotrue-js netlify-identity-widget
      amazon-cognito-identity-js aws-cognito-* aws-jwt-verify @aws-amplify/auth @aws-amplify/ui-react
      aws-amplify @aws-sdk/client-cognito-identity
      @aws-sdk/client-cognito-identity-provider
      @workos-inc/* @workos/*
      @stytch/*
      @kinde-oss/* @kinde/*
      @descope/*
      @magic-sdk/* @magic-ext/* magic-sdk
      @logto/* @propelauth/* @frontegg/* @fusionauth/* @corbado/* @hanko/* @teamhanko/* @passageidentity/*
      @privy-io/* @web3auth/* @dynamic-labs/* @userfront/* @asgardeo/* @wristband/* @scalekit-sdk/*
      @azure/msal-* @azure-rest/msal-* msal passport-azure-ad google-auth-library @react-oauth/google vue3-google-login
      react-google-login react-apple-signin-auth apple-signin-auth @nhost/* @scute/*
      appwrite node-appwrite pocketbase userbase-js realm-web
    `)
  },
  {
    kind: "an authentication framework",
    names: words(`
      next-auth @next-auth/* @auth/* @authjs/* @hono/auth-js nuxt-auth @sidebase/nuxt-auth nuxt-auth-utils
      passport passport-* @fastify/passport @nestjs/passport koa-passport remix-auth remix-auth-*
      lucia lucia-auth @lucia-auth/* arctic oslo @oslojs/*
      better-auth @better-auth/* @convex-dev/auth @openauthjs/*
      keycloak-js keycloak-connect @keycloak/* @react-keycloak/* nest-keycloak-connect
      oidc-client oidc-client-ts openid-client oidc-provider react-oidc-context angular-oauth2-oidc
      angular-auth-oidc-client @axa-fr/oidc-client @axa-fr/react-oidc express-openid-connect @hono/oidc-auth
      @hono/oauth-providers oauth4webapi simple-oauth2 client-oauth2 oauth2-server @node-oauth/*
      @badgateway/oauth2-client @cloudflare/workers-oauth-provider
      grant hellojs iron-session next-iron-session everyauth authom
      supertokens-* @supertokens/* @ory/* @zitadel/* casdoor-js-sdk
      worker-auth-providers express-basic-auth basic-auth koa-basic-auth http-auth
      @fastify/basic-auth hono/basic-auth @simplewebauthn/* @passwordless-id/* fido2-lib passwordless
      @adonisjs/auth @feathersjs/authentication @feathersjs/authentication-* @loopback/authentication @accounts/*
      samlify @node-saml/* saml2-js
    `)
  },
  {
    kind: "a password hashing library",
    names: words(`
      bcrypt bcryptjs bcrypt-ts bcrypt-nodejs @node-rs/bcrypt bcrypt-pbkdf twin-bcrypt
      argon2 argon2-browser argon2-wasm* argon2id argon2themax argon2-pass hash-wasm @node-rs/argon2
      @phi-ag/argon2 @phc/*
      scrypt scrypt-js scryptsy scrypt-async scrypt-kdf scrypt-pbkdf secure-password
      pbkdf2 pbkdf2-hmac pbkdf2-password password-hash password-hash-and-salt credential
      @noble/hashes/scrypt @noble/hashes/scrypt.js @noble/hashes/argon2 @noble/hashes/argon2.js
      @noble/hashes/pbkdf2 @noble/hashes/pbkdf2.js phpass
    `)
  }
]

interface Rule {
  readonly kind: string
  /** The name without its star. */
  readonly name: string
  readonly starts: boolean
}

const exact = new Map<string, Rule>()
const beginnings: Array<Rule> = []
for (const { kind, names } of authGroups)
  for (const name of names)
    if (name.endsWith("*")) beginnings.push({ kind, name: name.slice(0, -1), starts: true })
    else exact.set(name, { kind, name, starts: false })

/** A package of the list, as a file names it. */
export interface AuthPackage {
  /** The package as it was named, without version and most of a subpath. */
  readonly name: string
  readonly kind: string
}

/** A name of a package with or without a subpath. npm knows no capitals, and neither does this. */
const named = (parts: ReadonlyArray<string>): AuthPackage | null => {
  const lengths = parts[0]?.startsWith("@") === true ? [2, 3] : [1, 2]
  for (const length of lengths) {
    const name = parts.slice(0, length).join("/").toLowerCase()
    const rule = exact.get(name) ?? beginnings.find((one) => name.startsWith(one.name) && name.length > one.name.length)
    if (rule !== undefined) return { name, kind: rule.kind }
  }
  return null
}

const withoutVersion = (part: string): string => part.replace(/(?<=.)@[^@]*$/, "")

/**
 * What of the list an import or a dependency names: `bcryptjs`, `@clerk/backend/internal`, `npm:bcrypt@5`,
 * `https://esm.sh/@clerk/clerk-js@5`. Null for everything else.
 */
export const authPackage = (specifier: string): AuthPackage | null => {
  if (specifier.length > LocalLimits.buildAuthNameLength) return null
  const text = specifier.split(/[?#]/, 1)[0] ?? ""
  const alias = /^(?:npm|jsr):(.+)$/.exec(text)?.[1]
  if (alias !== undefined) return named(alias.split("/").map(withoutVersion))
  if (!/^(?:https?:)?\/\//i.test(text)) return named(text.split("/").map(withoutVersion))
  const parts = text.split("/").slice(3).map(withoutVersion)
  for (const [at, part] of parts.entries()) {
    const found = parts[at - 1]?.startsWith("@") === true ? null : named(parts.slice(at, at + 3))
    // A folder of an ordinary address may be called `parse`; an address of a package has it at the end or with a version.
    if (found !== null && isPackageAddress(text, part)) return found
    if (/^firebase-auth(?:-compat)?\.js$/.test(part))
      return { name: "firebase", kind: "the SDK of a hosted identity provider" }
  }
  return null
}

const packageHosts =
  /^(?:https?:)?\/\/(?:[\w-]+\.)*(?:esm\.sh|jsdelivr\.net|unpkg\.com|skypack\.dev|jspm\.(?:io|dev)|cdnjs\.cloudflare\.com|esm\.run|clerk\.accounts\.dev)\//i
const isPackageAddress = (address: string, part: string): boolean => part.startsWith("@") || packageHosts.test(address)

const literal = (name: string): string => name.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&")

/** Finds in a text what could be a name of the list; most texts hold none, and need no closer look. */
export const mayNameAuth: RegExp = new RegExp(
  `["'\`/:](?:${[...exact.keys(), ...beginnings.map(({ name }) => name)].map(literal).join("|")})`,
  "i"
)
