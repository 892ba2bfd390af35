import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client

from agentsite.heartbeat import heartbeat_key

pytestmark = pytest.mark.django_db


def _workers_report() -> None:
    for worker in ("agent", f"sandbox.{settings.NODE_NAME}"):
        cache.set(heartbeat_key(worker), 1, 15)


def test_a_living_site_says_so_whatever_its_parts_do() -> None:
    assert Client().get("/api/v1/health/live").json() == {"status": "ok"}


def test_a_site_whose_workers_report_is_ready() -> None:
    _workers_report()
    answer = Client().get("/api/v1/health/ready")
    assert answer.status_code == 200
    assert set(answer.json()["parts"]) == {"database", "valkey", "agent", "sandbox"}


def test_a_missing_worker_is_named() -> None:
    _workers_report()
    cache.delete(heartbeat_key("agent"))
    answer = Client().get("/api/v1/health/ready")
    assert answer.status_code == 503
    assert list(answer.json()["error"]["fields"]) == ["agent"]
