import { layer } from "@pawl/server/http/WebCryptoSecrets"
import { secretsContract } from "@pawl/testing/contracts/SecretsContract"

secretsContract("Web Crypto", { layer })
