import { layer } from "@pawl/server/http/WebCryptoSecrets"
import { secretsContract } from "@pawl/testing/SecretsContract"

secretsContract("Web Crypto", { layer })
