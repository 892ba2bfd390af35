"""Django settings. Every value that can differ between sites is read from an environment variable, as listed in
`agentsite.base.environment`."""

from datetime import timedelta
from typing import Any, Final
from urllib.parse import unquote

import environ

from agentsite.base.environment import REPOSITORY, ProcessRole, address_here, read_environment, site_label
from agentsite.base.logs import configure_logging
from agentsite.base.preview_address import preview_address

_ENV: Final = read_environment()

ROLE: Final = _ENV.role
PRODUCTION: Final = _ENV.text("AGENTSITE_ENV") == "production"
NODE_NAME: Final = _ENV.text("AGENTSITE_NODE")
DEMO_MODE: Final = _ENV.flag("AGENTSITE_DEMO")
TEAM_CREATION = _ENV.text("TEAM_CREATION")

STATE_DIR: Final = _ENV.path("AGENTSITE_STATE")
RUN_DIR: Final = STATE_DIR / "run"
WORKSPACES_DIR: Final = STATE_DIR / "workspaces"
RUN_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
FRONTEND_DIST: Final = REPOSITORY / "frontend" / "dist"

SITE_HOST: Final = _ENV.text("AGENTSITE_HOST")
SITE_PORT: Final = _ENV.number("AGENTSITE_PORT")
SITE_URL: Final = _ENV.text("AGENTSITE_URL") or address_here(SITE_HOST, SITE_PORT)

PREVIEW_PORT: Final = _ENV.number("AGENTSITE_PREVIEW_PORT")
PREVIEW_URL = preview_address(_ENV.text("AGENTSITE_PREVIEW_URL"), PREVIEW_PORT, SITE_URL)

SECRET_KEY = _ENV.text("SECRET_KEY")
SECRET_KEY_FALLBACKS = _ENV.words("SECRET_KEY_FALLBACKS")
DEBUG = _ENV.flag("DEBUG")
ALLOWED_HOSTS = _ENV.words("ALLOWED_HOSTS")
SEALING_PUBLIC_KEY = _ENV.text("SEALING_PUBLIC_KEY")
SEALING_PRIVATE_KEYS = _ENV.secrets("SEALING_PRIVATE_KEYS")
VARIABLES_PUBLIC_KEY = _ENV.text("VARIABLES_PUBLIC_KEY")
VARIABLES_PRIVATE_KEYS = _ENV.secrets("VARIABLES_PRIVATE_KEYS")
DOOR_PUBLIC_KEY = _ENV.text("DOOR_PUBLIC_KEY")
DOOR_PRIVATE_KEYS = _ENV.secrets("DOOR_PRIVATE_KEYS")

# --- apps and middleware --------------------------------------------------------------------------------------------
# Workers and beat load only the apps with their models: each other app costs startup time and memory in five processes.
_CORE_APPS: Final = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.sessions",
    "agentsite.apps.SiteConfig",
    "agentsite.tenancy",
    "tools_app",
    "sessions_app",
]
_WEB_APPS: Final = [
    "ninja",
    "allauth",
    "allauth.account",
    "allauth.headless",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "axes",
    "django.contrib.messages",
    "django.contrib.admin.apps.SimpleAdminConfig",
]
LOADS_WEB_APPS: Final = ROLE in (ProcessRole.WEB, ProcessRole.MANAGE, ProcessRole.TEST)
INSTALLED_APPS = _CORE_APPS + (_WEB_APPS if LOADS_WEB_APPS else [])

ROOT_URLCONF = "agentsite.urls"
ASGI_APPLICATION = "agentsite.asgi.application"
MIDDLEWARE = [
    "csp.middleware.CSPMiddleware",
    "agentsite.http.middleware.complete_headers",
    "agentsite.http.middleware.observe_request",
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
APPEND_SLASH = False
LANGUAGE_CODE = "en"
USE_I18N = False
TIME_ZONE = "UTC"
USE_TZ = True


# --- worker threads -------------------------------------------------------------------------------------------------
AGENT_THREADS: Final = _ENV.number("AGENTSITE_AGENT_THREADS")
SANDBOX_THREADS: Final = _ENV.number("AGENTSITE_SANDBOX_THREADS")


# --- database -----------------------------------------------------------------------------------------------------
def _sqlite() -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": STATE_DIR / "db.sqlite3",
        "CONN_MAX_AGE": None,  # each thread keeps its connection: `RequestHandler` uses threads again
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-16000",
        },
    }


def _max_connections() -> int:
    """Return the maximum number of database connections of this process.

    Each thread of an agent or sandbox worker keeps a connection during a whole step or call, for as long as the model
    or the command takes. 40 additional connections are for asyncio's threads, of which there are up to 32, and for
    single threads of the process.
    """
    threads = {ProcessRole.AGENT: AGENT_THREADS, ProcessRole.SANDBOX: SANDBOX_THREADS}
    return threads[ROLE] + 40 if ROLE in threads else 32


def _postgres(url: str) -> dict[str, Any]:
    config: dict[str, Any] = environ.Env.db_url_config(url)
    config["HOST"] = unquote(config["HOST"])  # the directory of a Unix socket is written as %2Fpath%2Fto%2Fit
    config["CONN_HEALTH_CHECKS"] = True
    config.setdefault("OPTIONS", {})["pool"] = {"min_size": 1, "max_size": _max_connections(), "timeout": 20}
    return config


EMBEDDED_DATABASE: Final = not _ENV.has("DATABASE_URL")
DATABASES = {"default": _sqlite() if EMBEDDED_DATABASE else _postgres(_ENV.text("DATABASE_URL"))}


# --- Valkey: broker, channel layer, cache -------------------------------------------------------------------------
EMBEDDED_VALKEY: Final = not _ENV.has("REDIS_URL")
VALKEY_SOCKET: Final = RUN_DIR / "valkey.sock"
REDIS_URL: Final = f"unix://{VALKEY_SOCKET}" if EMBEDDED_VALKEY else _ENV.text("REDIS_URL")
BROKER_URL: Final = REDIS_URL.replace("unix://", "redis+socket://", 1)

# The channel layer blocks in reads of 5 s. The default timeout of redis-py is also 5 s and would cancel them.
_CHANNEL_HOST: Final = {"address": REDIS_URL, "socket_timeout": 15}
CHANNEL_LAYERS: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        # With the default capacity of 100, one busy turn loses messages silently. Lost ones are replayed from the log.
        "CONFIG": {"hosts": [_CHANNEL_HOST], "capacity": 5000, "expiry": 60, "prefix": "agentsite"},
    }
}
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "agentsite",
        "OPTIONS": {"pool_class": "agentsite.base.cache_pool.SharedPool"},
    }
}

# --- models -------------------------------------------------------------------------------------------------------
DEMO_MODEL_NAME: Final = "demo"
DEMO_SMALL_MODEL_NAME: Final = "demo-small"
DEMO_MODEL: Final = not _ENV.has("MODEL_NAME")
MODEL_KIND: Final = "openai_compatible" if DEMO_MODEL else _ENV.text("MODEL_KIND")
MODEL_BASE_URL: Final = _ENV.text("DEMO_MODEL_URL") if DEMO_MODEL else _ENV.text("MODEL_BASE_URL")
MODEL_NAME: Final = _ENV.text("MODEL_NAME") or DEMO_MODEL_NAME
SMALL_MODEL_NAME: Final = _ENV.text("SMALL_MODEL_NAME") or (DEMO_SMALL_MODEL_NAME if DEMO_MODEL else MODEL_NAME)
MODEL_SEES = _ENV.words("MODEL_SEES")
MODEL_EFFORTS = _ENV.words("MODEL_EFFORTS")
MODEL_CHOICES: Final = _ENV.words("MODEL_CHOICES")
MODEL_CONTEXT: Final = _ENV.number("MODEL_CONTEXT")
MODEL_TABLE_URL = "" if _ENV.text("MODEL_TABLE_URL") == "none" else _ENV.text("MODEL_TABLE_URL")
MODEL_TABLE_FILE = STATE_DIR / "known-models.json"
"""The file with the last table of models that was downloaded, for the processes of this machine. The database contains
the same table."""
PROVIDER_ALLOW: Final = _ENV.hosts("PROVIDER_ALLOW")
COPILOT_CLIENT_ID: Final = _ENV.text("COPILOT_CLIENT_ID")
GITLAB_CLIENT_ID: Final = _ENV.text("GITLAB_CLIENT_ID")
MODEL_API_KEY: Final = "" if DEMO_MODEL or not _ENV.has("MODEL_API_KEY") else _ENV.text("MODEL_API_KEY")

# --- sandboxes ----------------------------------------------------------------------------------------------------
DOCKER_HOST: Final = _ENV.text("DOCKER_HOST") if _ENV.has("DOCKER_HOST") else ""
SANDBOX_IMAGE: Final = _ENV.text("SANDBOX_IMAGE")
SANDBOX_RUNTIME: Final = _ENV.text("SANDBOX_RUNTIME")
SANDBOX_LANGUAGES: Final = _ENV.flag("SANDBOX_LANGUAGES")
SANDBOX_BROWSER: Final = _ENV.flag("SANDBOX_BROWSER")
SANDBOX_DISK: Final = _ENV.text("SANDBOX_DISK")
SITE_LABEL: Final = site_label(STATE_DIR)

# --- web access of agents and webhooks ------------------------------------------------------------------------------
WEB_ALLOW: Final = _ENV.hosts("WEB_ALLOW")
NETWORK_ALLOW: Final = _ENV.hosts("NETWORK_ALLOW")
NETWORK_CERTIFICATES: Final = str(_ENV.path("NETWORK_CERTIFICATES")) if _ENV.has("NETWORK_CERTIFICATES") else ""
WEBHOOK_ALLOW = _ENV.hosts("WEBHOOK_ALLOW")
PUSH_ALLOW = _ENV.hosts("PUSH_ALLOW")
VAPID_PUBLIC_KEY = _ENV.text("VAPID_PUBLIC_KEY")
VAPID_PRIVATE_KEY = _ENV.text("VAPID_PRIVATE_KEY") if _ENV.has("VAPID_PRIVATE_KEY") else ""
WEB_CERTIFICATES: Final = str(_ENV.path("WEB_CERTIFICATES")) if _ENV.has("WEB_CERTIFICATES") else ""
SEARCH_SERVER: Final = _ENV.text("SEARCH_SERVER")
SEARCH_KEY: Final = _ENV.text("SEARCH_KEY") if _ENV.has("SEARCH_KEY") else ""

# --- archives of workspaces -------------------------------------------------------------------------------------------
ARCHIVE_STORAGE: Final = _ENV.text("ARCHIVE_STORAGE") or (STATE_DIR / "archives").as_uri()
ARCHIVE_S3_KEY: Final = _ENV.text("ARCHIVE_S3_KEY") if _ENV.has("ARCHIVE_S3_KEY") else ""
ARCHIVE_S3_SECRET: Final = _ENV.text("ARCHIVE_S3_SECRET") if _ENV.has("ARCHIVE_S3_SECRET") else ""
ARCHIVE_AFTER_TURNS = _ENV.flag("ARCHIVE_AFTER_TURNS")
SPOOL_DIR: Final = STATE_DIR / "spool"
WORKSPACE_MARKERS_DIR: Final = STATE_DIR / "held"

# --- attachments ------------------------------------------------------------------------------------------------------
ATTACHMENT_STORAGE: Final = _ENV.text("ATTACHMENT_STORAGE") or (STATE_DIR / "attachments").as_uri()
ATTACHMENT_S3_KEY: Final = _ENV.text("ATTACHMENT_S3_KEY") if _ENV.has("ATTACHMENT_S3_KEY") else ""
ATTACHMENT_S3_SECRET: Final = _ENV.text("ATTACHMENT_S3_SECRET") if _ENV.has("ATTACHMENT_S3_SECRET") else ""
ATTACHMENT_DAYS: Final = _ENV.number("ATTACHMENT_DAYS")

# --- e-mail ---------------------------------------------------------------------------------------------------------
EMAIL_HOST = _ENV.text("EMAIL_HOST")
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
EMAIL_PORT = _ENV.number("EMAIL_PORT")
_EMAIL_SECURITY: Final = _ENV.choice("EMAIL_SECURITY", "starttls", "tls", "none")
EMAIL_USE_TLS, EMAIL_USE_SSL = _EMAIL_SECURITY == "starttls", _EMAIL_SECURITY == "tls"
EMAIL_HOST_USER = _ENV.text("EMAIL_USER")
EMAIL_HOST_PASSWORD = _ENV.text("EMAIL_PASSWORD") if _ENV.has("EMAIL_PASSWORD") else ""
EMAIL_TIMEOUT = 20  # seconds
DEFAULT_FROM_EMAIL = _ENV.text("EMAIL_FROM")

# --- sign-in --------------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "tenancy.User"


def _oidc_app() -> dict[str, Any]:
    return {
        "provider_id": "oidc",
        "name": _ENV.text("OIDC_NAME"),
        "client_id": _ENV.text("OIDC_CLIENT_ID"),
        "secret": _ENV.text("OIDC_CLIENT_SECRET") if _ENV.has("OIDC_CLIENT_SECRET") else "",
        "settings": {"server_url": _ENV.text("OIDC_ISSUER").rstrip("/"), "oauth_pkce_enabled": True},
    }


AUTHENTICATION_BACKENDS = (
    ["axes.backends.AxesStandaloneBackend", "allauth.account.auth_backends.AuthenticationBackend"]
    if LOADS_WEB_APPS
    else []
)
_VALIDATORS: Final = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_VALIDATORS}.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": f"{_VALIDATORS}.CommonPasswordValidator"},
    {"NAME": f"{_VALIDATORS}.NumericPasswordValidator"},
    {"NAME": f"{_VALIDATORS}.UserAttributeSimilarityValidator", "OPTIONS": {"user_attributes": ("email", "name")}},
]
SIGN_UP: Final = _ENV.choice("SIGN_UP", "invitation", "open", "closed")
PROXY_COUNT: Final = _ENV.number("PROXY_COUNT") if _ENV.flag("TRUST_PROXY_HEADERS") else 0
ACCOUNT_ADAPTER = "agentsite.tenancy.accounts.adapters.AccountAdapter"
ACCOUNT_SIGNUP_FORM_CLASS = "agentsite.tenancy.accounts.forms.SignUpFields"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_SESSION_REMEMBER = True
PASSWORD_RESET_TIMEOUT = 24 * 3600  # seconds
# Axes locks an account for one address after 5 wrong passwords; these limits stop guesses from many addresses.
ACCOUNT_RATE_LIMITS = {"login": "30/m/ip", "login_failed": "20/m/ip,10/5m/key"}
HEADLESS_ONLY = True
HEADLESS_CLIENTS = ("browser",)
HEADLESS_FRONTEND_URLS = {
    "account_confirm_email": f"{SITE_URL}/verify-email/{{key}}",
    "account_reset_password": f"{SITE_URL}/forgot-password",
    "account_reset_password_from_key": f"{SITE_URL}/reset-password/{{key}}",
    "account_signup": f"{SITE_URL}/sign-up",
    "socialaccount_login_error": f"{SITE_URL}/",
}
MFA_ADAPTER = "agentsite.tenancy.accounts.adapters.FactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not PRODUCTION  # allows http://localhost
MFA_TOTP_ISSUER = "agentsite"
MFA_ALLOW_UNVERIFIED_EMAIL = True  # sign-in already requires a verified address; False would only block changes of it
USERSESSIONS_ADAPTER = "agentsite.tenancy.accounts.adapters.DeviceAdapter"
USERSESSIONS_TRACK_ACTIVITY = True  # shows the last activity, which our adapter records, but not with every request
SOCIALACCOUNT_ADAPTER = "agentsite.tenancy.accounts.adapters.ProviderAdapter"
SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [_oidc_app()] if _ENV.has("OIDC_ISSUER") else []}}
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_DISABLE_ACCESS_LOG = True  # sign-ins are recorded in the audit log
AXES_VERBOSE = False
AXES_CLIENT_IP_CALLABLE = "agentsite.http.client_address.client_address"
AXES_USERNAME_CALLABLE = "agentsite.tenancy.accounts.lockout.account_tried"
AXES_LOCKOUT_CALLABLE = "agentsite.tenancy.accounts.lockout.refuse"

# --- rate limits ------------------------------------------------------------------------------------------------------
RATE_LIMITS = {kind: _ENV.text(f"RATE_LIMIT_{kind.upper()}") for kind in ("token", "person", "team")}

# --- browser security: cookies and headers --------------------------------------------------------------------------
_SECURE: Final = _ENV.flag("SECURE_COOKIES")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _SECURE
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
# Browsers accept a cookie with this prefix only from this host and over HTTPS, so that no other host of the domain can
# overwrite it.
_COOKIE_PREFIX: Final = "__Host-" if _SECURE else ""
SESSION_COOKIE_NAME = f"{_COOKIE_PREFIX}agentsite_session"
CSRF_COOKIE_NAME = f"{_COOKIE_PREFIX}csrftoken"
SESSION_COOKIE_AGE = 14 * 24 * 3600  # seconds
CSRF_TRUSTED_ORIGINS = _ENV.words("CSRF_TRUSTED_ORIGINS")
CSRF_FAILURE_VIEW = "agentsite.http.error_responses.csrf_failure"
SECURE_HSTS_SECONDS = 31_536_000 if _SECURE else 0
SECURE_SSL_REDIRECT = _SECURE
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if _ENV.flag("TRUST_PROXY_HEADERS"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "frame-src": [PREVIEW_URL.replace("{id}", "*")] if PREVIEW_URL else ["'none'"],
        "manifest-src": ["'self'"],
        "object-src": ["'none'"],
        "worker-src": ["'self'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024  # bytes

# --- the built interface, served from the output folder of Vite -----------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = FRONTEND_DIST
WHITENOISE_MIMETYPES = {".webmanifest": "application/manifest+json"}
WHITENOISE_IMMUTABLE_FILE_TEST = r"^.+[.-][0-9A-Za-z_-]{8,}\.\w+$"

AUDIT_DAYS = _ENV.number("AUDIT_DAYS")

METRICS_TOKEN: Final = _ENV.text("METRICS_TOKEN") if _ENV.has("METRICS_TOKEN") else ""
METRICS_ADDRESS: Final = _ENV.text("METRICS_ADDRESS")

LOG_LEVEL: Final = _ENV.text("AGENTSITE_LOG_LEVEL").upper()
LOGGING_CONFIG = None
configure_logging(
    level=LOG_LEVEL,
    style=_ENV.text("AGENTSITE_LOG_FORMAT") or ("json" if PRODUCTION else "console"),
    role=ROLE.value,
    secrets=_ENV.known_secrets(),
)
