from threading import Thread

from celery import current_app
from django.conf import settings

from agentsite.celery import app


def test_a_task_is_sent_with_our_application_from_any_thread() -> None:
    seen: list[str] = []
    thread = Thread(target=lambda: seen.append(current_app.conf.broker_url))
    thread.start()
    thread.join()
    assert seen == [settings.BROKER_URL]


def test_a_task_may_be_delivered_twice_but_is_never_lost_with_its_worker() -> None:
    assert app.conf.task_acks_late
    assert app.conf.task_reject_on_worker_lost
    assert app.conf.worker_prefetch_multiplier == 1


def test_messages_are_json_and_nothing_else() -> None:
    assert app.conf.accept_content == ["json"]
