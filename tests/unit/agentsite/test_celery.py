from threading import Thread

from celery import current_app
from django.conf import settings
from kombu.transport import virtual

from agentsite.celery import app


def test_a_task_is_sent_with_our_application_from_any_thread() -> None:
    seen: list[str] = []
    thread = Thread(target=lambda: seen.append(current_app.conf.broker_url))
    thread.start()
    thread.join()
    assert seen == [settings.BROKER_URL]


def test_a_worker_that_stops_puts_back_what_it_has_not_done() -> None:
    assert app.conf.task_acks_late
    assert app.conf.worker_prefetch_multiplier == 1
    assert virtual.QoS.restore_at_shutdown


def test_the_broker_keeps_no_list_of_messages_in_progress() -> None:
    """Celery keeps no list of unacknowledged messages. It would only cost CPU, because `recover` enqueues the tasks of
    a killed worker again."""
    with app.connection_for_read() as connection:
        assert connection.transport_options["ack_emulation"] is False


def test_messages_are_json_and_nothing_else() -> None:
    assert app.conf.accept_content == ["json"]
