/**
 * Cookies that user agents are known to read differently. The inputs are those of the corpus of the IETF's working group
 * http-state (github.com/abarth/http-state, tests/data/parser, on which RFC 6265 was tested), under its numbers. What is
 * expected is our own: what the app gets back, through the router both ways and a user agent by RFC 6265 between.
 */
export type CookieCase = readonly [id: string, set: ReadonlyArray<string>, back: string]

const one = (id: string, set: string, back: string): CookieCase => [id, [set], back]

const basics: ReadonlyArray<CookieCase> = [
  one("0001", "foo=bar", "foo=bar"),
  one("0002", "foo=bar; Expires=Fri, 07 Aug 2099 08:04:19 GMT", "foo=bar"),
  [
    "0003",
    ["foo=bar; Expires=Fri, 07 Aug 2007 08:04:19 GMT", "foo2=bar2; Expires=Fri, 07 Aug 2099 08:04:19 GMT"],
    "foo2=bar2"
  ],
  one("0004", "foo", ""),
  one("0005", "foo=bar; max-age=10000;", "foo=bar"),
  one("0006", "foo=bar; max-age=0;", ""),
  one("0007", "foo=bar; version=1;", "foo=bar"),
  one("0009", "foo=bar; customvalue=1000;", "foo=bar"),
  one("0010", "foo=bar; secure;", ""),
  one("0011", 'foo=bar; customvalue="1000 or more";', "foo=bar"),
  ["0013", ["foo=bar", "foo=qux"], "foo=qux"],
  ["0014", ["foo1=bar", "foo2=qux"], "foo1=bar; foo2=qux"],
  ["0016", ["z=y", "a=b"], "z=y; a=b"],
  one("0017", "z=y, a=b", "z=y, a=b"),
  one("0018", "z=y; foo=bar, a=b", "z=y"),
  one("0019", "foo=b;max-age=3600, c=d;path=/", "foo=b"),
  ["0020", ["a=b", "=", "c=d"], "a=b; c=d"],
  ["0021", ["a=b", "=x", "c=d"], "a=b; c=d"],
  ["0022", ["a=b", "x=", "c=d"], "a=b; x=; c=d"],
  ["0025", ["foo", "; bar"], ""],
  ["0026", ["foo", "   "], ""]
]

const attributes: ReadonlyArray<CookieCase> = [
  one("ATTRIBUTE0002", "foo=bar; seCURe", ""),
  one("ATTRIBUTE0003", 'foo=bar; "Secure"', "foo=bar"),
  one("ATTRIBUTE0005", "foo=bar; Secure=aaaa", ""),
  one("ATTRIBUTE0006", "foo=bar; Secure qux", "foo=bar"),
  one("ATTRIBUTE0007", "foo=bar; Secure =aaaaa", ""),
  one("ATTRIBUTE0013", "foo=bar;       Secure     ;", ""),
  one("ATTRIBUTE0014", "foo=bar; Path", "foo=bar"),
  one("ATTRIBUTE0018", "foo=bar; Path    =/qux", ""),
  one("ATTRIBUTE0021", "foo=bar; Path=/qux; Path=/", "foo=bar"),
  one("ATTRIBUTE0022", "foo=bar; Path=/; Path=/qux", ""),
  one("ATTRIBUTE0026", 'foo=bar; qux="aaa;bbb"; Secure', ""),
  one("COMMA0001", "foo=bar, baz=qux", "foo=bar, baz=qux"),
  one("COMMA0002", 'foo="bar, baz=qux"', 'foo="bar, baz=qux"'),
  one("COMMA0003", "foo=bar; b,az=qux", "foo=bar"),
  one("MOZILLA0001", "foo=bar; max-age=-1", ""),
  one("MOZILLA0003", "foo=bar; expires=Thu, 10 Apr 1980 16:33:12 GMT", ""),
  ["MOZILLA0009", ["foo=bar; max-age=60", "foo1=bar; max-age=60", "foo=differentvalue; max-age=0"], "foo1=bar"],
  ["MOZILLA0012", ['test="fubar! = foo;bar\\";" parser; max-age=6', "five; max-age=2.63,"], 'test="fubar! = foo'],
  ["MOZILLA0017", ["six", "seven", " =eight", "test=six"], "test=six"],
  ["PATH0001", ["a=b; path=/", "x=y; path=/cookies"], "x=y; a=b"],
  ["PATH0006", ["foo=bar", "foo=qux; path=/cookies/foo"], "foo=bar"],
  one("PATH0020", "foo=bar; path=", "foo=bar"),
  one("PATH0023", "foo=bar; Path=/COOKIES", ""),
  ["PATH0029", ["a=b;       path    =       /cookies   ", "x=y;       path    =       /book   "], "a=b"],
  one("PATH0030", "foo=bar; path=/dog; path=", "foo=bar"),
  one("PATH0031", "foo=bar; path=; path=/dog", "")
]

/** Every attribute `Domain` drops the cookie, also where a user agent would have taken it for nothing. */
const domains: ReadonlyArray<CookieCase> = [
  one("DOMAIN0001", "foo=bar; domain=jar.apps.localhost", ""),
  one("DOMAIN0003", "foo=bar; domain=.jar.apps.localhost", ""),
  one("DOMAIN0008", "foo=bar; domain=.apps.localhost", ""),
  one("DOMAIN0010", "foo=bar; domain=..jar.apps.localhost", ""),
  one("DOMAIN0012", "foo=bar; domain=  .jar.apps.localhost", ""),
  one("DOMAIN0014", "foo=bar; domain=jar.apps.localhost.", ""),
  one("DOMAIN0017", "foo=bar; domain=.localhost", ""),
  one("DOMAIN0021", 'foo=bar; domain="jar.apps.localhost"', ""),
  one("DOMAIN0024", "foo=bar; domain=.apps.localhost; domain=jar.apps.localhost", ""),
  one("DOMAIN0026", "foo=bar; domain=jar.aPpS.localhost", ""),
  one("DOMAIN0027", "foo=bar; domain=jar.apps.localhost:8888", ""),
  one("DOMAIN0041", "foo=bar; domain=.sibling.apps.localhost", ""),
  one("OPTIONAL_DOMAIN0030", "foo=bar; domain=", ""),
  one("OPTIONAL_DOMAIN0041", "foo=bar; domain=apps.localhost; domain=", ""),
  one("MOZILLA0011", "test=parser; domain=.parser.test; ;; ;=; ,,, ===,abc,=; abracadabra! max-age=20;=;;", "")
]

const names: ReadonlyArray<CookieCase> = [
  ...["a", "1", "$", "!a", "@a", "#a", "$a", "%a", "^a", "&a", "*a", "(a", ")a", "-a", "_a", "+"].map((name, at) =>
    one(`NAME${String(at + 1).padStart(4, "0")}`, `${name}=bar`, `${name}=bar`)
  ),
  one("NAME0017", "=a=bar", ""),
  one("NAME0018", "a =bar", "a=bar"),
  one("NAME0019", '"a=bar', '"a=bar'),
  one("NAME0020", '"a=b"=bar', '"a=b"=bar'),
  ["NAME0021", ['"a=b"=bar', '"a=qux'], '"a=qux'],
  one("NAME0023", "foo;bar=baz", ""),
  one("NAME0024", "$Version=1; foo=bar", "$Version=1"),
  one("NAME0025", "===a=bar", ""),
  one("NAME0027", "foo=bar    ;", "foo=bar"),
  one("NAME0030", "foo bar=baz", "foo bar=baz"),
  one("NAME0031", '"foo;bar"=baz', ""),
  ["NAME0033", ["=foo=bar", "aaa"], ""]
]

const values: ReadonlyArray<CookieCase> = [
  one("VALUE0001", "foo=  bar", "foo=bar"),
  one("VALUE0003", 'foo="  bar "', 'foo="  bar "'),
  one("VALUE0004", 'foo="bar;baz"', 'foo="bar'),
  one("VALUE0005", 'foo="bar=baz"', 'foo="bar=baz"'),
  one("VALUE0006", "   foo     =       bar             ;       ttt", "foo=bar"),
  one("CHROMIUM0002", 'aBc="zzz "   ;', 'aBc="zzz "'),
  one("CHROMIUM0004", 'aBc="zz;pp" ; ;', 'aBc="zz'),
  one("CHROMIUM0006", 'aBc="zzz "   "ppp"  ;', 'aBc="zzz "   "ppp"'),
  one("CHROMIUM0008", 'aBc=A"B ;', 'aBc=A"B'),
  one("CHROMIUM0010", '"BLA\\"HHH"; path=/;', ""),
  one("CHROMIUM0013", "ABC=;  path = /", "ABC="),
  one("CHROMIUM0014", "  A  = BC  ;foo;;;   bar", "A=BC"),
  one("CHROMIUM0015", "  A=== BC  ;foo;;;   bar", "A=== BC"),
  one("CHROMIUM0018", "    ", ""),
  one("CHROMIUM0021", "", ""),
  one("CHARSET0001", "foo=\u00e6\u0098\u00a5", "foo=\u00e6\u0098\u00a5"),
  one("CHARSET0002", "\u00e6\u0098\u00a5=bar", "\u00e6\u0098\u00a5=bar")
]

export const cookieCases: ReadonlyArray<CookieCase> = [...basics, ...attributes, ...domains, ...names, ...values]
