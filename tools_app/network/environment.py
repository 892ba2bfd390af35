"""environment(): the variables that make programs in a workspace use the door."""

from typing import Final

from sandbox.runner.door import CERTIFICATES, LOOPBACK

LOCAL: Final = f"localhost,{LOOPBACK},::1"

PROXY_NAMES: Final = (
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "npm_config_proxy",
    "npm_config_https_proxy", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY", "CARGO_HTTP_PROXY",
)  # fmt: skip
LOCAL_NAMES: Final = ("NO_PROXY", "no_proxy", "npm_config_noproxy")
CERTIFICATE_NAMES: Final = (
    "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "NODE_EXTRA_CA_CERTS", "CARGO_HTTP_CAINFO",
)  # fmt: skip
BUNDLE_NAMES: Final = (*CERTIFICATE_NAMES, "GIT_SSL_CAINFO", "DENO_CERT")
"""Variables that name the file with the certificates to trust where the door answers in place of hosts."""
JAVA_NAMES: Final = ("MAVEN_OPTS", "GRADLE_OPTS")
ALL_NAMES: Final = frozenset((*PROXY_NAMES, *LOCAL_NAMES, *BUNDLE_NAMES, *JAVA_NAMES, "NODE_USE_ENV_PROXY"))


def environment(port: int) -> dict[str, str]:
    """Return environment variables that send programs of a container through the proxy on this port."""
    proxy = f"http://{LOOPBACK}:{port}"
    java = " ".join(f"-D{scheme}.proxyHost={LOOPBACK} -D{scheme}.proxyPort={port}" for scheme in ("http", "https"))
    return {
        **dict.fromkeys(PROXY_NAMES, proxy),
        **dict.fromkeys(LOCAL_NAMES, LOCAL),
        **dict.fromkeys(CERTIFICATE_NAMES, CERTIFICATES),
        **dict.fromkeys(JAVA_NAMES, java),
        "NODE_USE_ENV_PROXY": "1",  # Node.js since 22.21
    }
