"""The root of the REST API: its routers, error handlers and documentation page."""

from django.http import Http404, HttpRequest, HttpResponse
from ninja.errors import HttpError, ValidationError

from agentsite.api.authentication import COUNTED_SIGN_IN
from agentsite.api.operations import DocumentedAPI, ViewRenderer
from agentsite.health import router as health_router
from agentsite.http.error_responses import answer_exception
from agentsite.http.json_input import PlainParser
from agentsite.tenancy.rest import invitations, members, projects, service_accounts, teams, tokens
from agentsite.tenancy.rest.audit import router as audit_router
from agentsite.tenancy.rest.me import router as tenancy_router
from sessions_app.transport.rest import router as sessions_router
from tools_app.policies.rest import router as policies_router
from tools_app.rest import router as tools_router

api = DocumentedAPI(
    title="agentsite",
    version="1",
    description="Programs can use this API for everything that people can do in the browser.",
    auth=COUNTED_SIGN_IN,
    docs_url=None,
    parser=PlainParser(),
    renderer=ViewRenderer(),
    urls_namespace="api",
)
for failure in (Exception, Http404, HttpError, ValidationError):
    api.add_exception_handler(failure, answer_exception)

api.add_router("/health", health_router)
api.add_router("", tenancy_router)
api.add_router("", audit_router)
for resource in (teams, members, invitations, projects, tokens, service_accounts):
    api.add_router("", resource.router)
api.add_router("", sessions_router)
api.add_router("", policies_router)
api.add_router("", tools_router)


def show_documentation(request: HttpRequest) -> HttpResponse:
    return api.docs.render_page(request, api)
